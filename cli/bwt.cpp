// The commands `weft bwt` and `weft unbwt`.
#include <array>
#include <cli/bwt_verbs.hpp>
#include <cli/file_check.hpp>
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <cli/teams.hpp>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/suffix_array.hpp>
#include <weft/files/formats/text_formats.hpp>
#include <weft/io/bwt_file.hpp>
#include <weft/io/checksum.hpp>
#include <weft/io/npy.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

namespace {

std::unique_ptr<io::byte_source> open_input(const arguments& given) {
  return io::open_bytes(given.inputs.front(), !given.has("no-decompress"),
                        memory_limit(given.size("memory")));
}

bwt_form form_of(const arguments& given) {
  return given.value("form") == "rotation" ? bwt_form::rotation : bwt_form::sentinel;
}

} // namespace

std::uint64_t memory_of_byte(const arguments& given) {
  const device_choice device = parse_device(given.value("device"));
  const bool on_gpu = device.kind != device_kind::cpu && !known_gpus().devices.empty();
  const std::string engine = given.value("engine");
  const bool quicksort = engine == "ternary-quicksort";
  if (given.chosen_verb->name == "sa") {
    const std::uint64_t arrays = given.has("lcp") ? (on_gpu ? 2 : 3) : quicksort && !on_gpu ? 3 : 1;
    return 1 + arrays * sizeof(std::uint32_t);
  }
  if (on_gpu) return 2;
  if (quicksort) return 14;
  if (form_of(given) == bwt_form::rotation) return 7;
  return engine == "libdivsufsort" ? 6 : 3;
}

bwt_options bwt_options_of(const arguments& given, std::uint64_t held) {
  bwt_options options;
  set_common_options(given, options);
  options.run.memory = memory_left(given.size("memory"), held);
  return options;
}

std::string read_text(const arguments& given, std::uint64_t each) {
  const auto source = open_input(given);
  const std::uint64_t limit = io::memory_beside_decoder(source->kind(), memory_limit(given.size("memory")));
  if (!given.has("memory")) return io::read_all(*source, limit);
  const std::uint64_t max_bytes = limit / each;
  const std::uint64_t known = source->kind() == io::compression::none ? source->size() : 0;
  std::string text;
  if (known <= max_bytes && io::append_bytes(*source, text, max_bytes + 1) <= max_bytes) return text;
  throw memory_error(
      known > max_bytes
          ? fmt::format("{}: weft {} needs {} of memory for this file, but --memory is {}", source->name(),
                        given.chosen_verb->name, format_size(known * each), given.value("memory"))
          : fmt::format("{}: the input is longer than {}, but weft {} needs {} bytes of memory for each "
                        "byte of input, and --memory is {}",
                        source->name(), format_size(max_bytes), given.chosen_verb->name, each,
                        given.value("memory")));
}

void write_closing_line(const arguments& given, const stopwatch& time, std::uint64_t bytes,
                        const std::string& engine, device_choice used) {
  closing_line(given, time.seconds(), with_prefix(static_cast<double>(bytes) / time.seconds()) + "bytes/s",
               engine, used);
}

namespace {

std::string statistics(const bwt_text& transformed, bool json) {
  std::array<std::uint64_t, 256> counts{};
  std::uint64_t runs = 0;
  for (std::size_t i = 0; i < transformed.bytes.size(); ++i) {
    ++counts[static_cast<unsigned char>(transformed.bytes[i])];
    if (i == 0 || transformed.bytes[i] != transformed.bytes[i - 1]) ++runs;
  }
  const auto n = static_cast<double>(transformed.bytes.size());
  double entropy = 0;
  int symbols = 0;
  for (const std::uint64_t count : counts) {
    if (count == 0) continue;
    ++symbols;
    entropy -= static_cast<double>(count) / n * std::log2(static_cast<double>(count) / n);
  }
  const std::vector<files::property> properties = {
      {"form", transformed.form == bwt_form::rotation ? "rotation" : "sentinel", true},
      {"length", std::to_string(transformed.bytes.size())},
      {"primary_index", std::to_string(transformed.primary_index)},
      {"symbols", std::to_string(symbols)},
      {"runs", std::to_string(runs)},
      {"entropy", fmt::format("{:.6f}", entropy + 0.0)}};
  return json ? files::property_json(properties) : files::property_lines(properties);
}

int transform_file(const arguments& given, bwt_detail::suffix_helpers* helpers) {
  require_device(parse_device(given.value("device")));
  const bool to_stdout = given.value("output") == "-", stats = given.has("stats");
  const bool json = wants_json(given);
  if (!stats && (given.has("json") || given.has("format")))
    throw error(errc::invalid_input,
                fmt::format("--{} can be used only with --stats", given.has("json") ? "json" : "format"));
  if (!stats) require_no_terminal(given);
  if (given.has("raw") && to_stdout)
    throw error(errc::invalid_input,
                "--raw prints the primary index on standard output: use -o FILE for the transformed bytes");
  if ((given.has("raw") || stats) && !to_stdout && is_standard_output(given.value("output")))
    throw error(errc::invalid_input,
                fmt::format("--{} prints on standard output, but --output '{}' is the same file",
                            stats ? "stats" : "raw", given.value("output")));
  const stopwatch time;
  std::string text;
  weft::run_info used;
  bwt_text transformed;
  {
    const progress_line progress(given, "weft bwt", 1, "bytes");
    text = read_text(given, memory_of_byte(given));
    bwt_options options = bwt_options_of(given, text.size());
    options.run.info = &used;
    options.helpers = helpers;
    transformed = bwt(text, form_of(given), options);
  }
  const std::string report = stats              ? statistics(transformed, json)
                             : given.has("raw") ? fmt::format("{}\n", transformed.primary_index)
                                                : "";
  if (!to_stdout || !stats) {
    io::output_file out(given.value("output"));
    if (given.has("raw"))
      out.write(transformed.bytes);
    else
      io::write_bwt_file(out, {static_cast<io::bwt_file::form_type>(transformed.form),
                               transformed.primary_index, io::checksum(text), std::move(transformed.bytes)});
    out.commit();
  }
  if (!report.empty()) print(report);
  write_closing_line(given, time, text.size(), used.engine, used.device);
  return 0;
}

} // namespace

int run_bwt(const arguments& given) { return run_with_suffix_team(given, transform_file); }

int run_unbwt(const arguments& given) {
  require_device(parse_device(given.value("device")));
  const bool raw = given.has("raw");
  if (raw != given.has("primary-index"))
    throw error(errc::invalid_input, "--raw and --primary-index must be given together");
  if (!raw && given.has("form"))
    throw error(errc::invalid_input, "--form can be used only with --raw, because a .wbwt file states "
                                     "its form");
  require_engine(given, "chains");
  bwt_options options = bwt_options_of(given, 0);
  const stopwatch time;
  std::optional<progress_line> progress(std::in_place, given, "weft unbwt", 1, "bytes");
  std::unique_ptr<io::byte_source> source = open_input(given);
  const std::string name = source->name();
  const std::uint64_t limit = io::memory_beside_decoder(source->kind(), memory_limit(given.size("memory")));
  io::bwt_file file;
  if (raw) {
    file.bytes = io::read_all(*source, limit);
    file.primary_index = parse_count(given.value("primary-index"), "--primary-index");
    file.form = static_cast<io::bwt_file::form_type>(form_of(given));
  } else {
    file = io::read_bwt_file(*source, limit);
  }
  source.reset(); // frees the decoder, whose memory the inversion may take
  options.run.memory = memory_left(given.size("memory"), file.bytes.size());
  weft::run_info used;
  options.run.info = &used;
  std::string text;
  try {
    monitor().set_total(file.bytes.size());
    text = inverse_bwt(file.bytes, file.primary_index, static_cast<bwt_form>(file.form), options);
  } catch (const error& failure) {
    if (failure.code() != errc::invalid_input) throw;
    throw error(errc::invalid_input, fmt::format("{}: {}", name, failure.what()));
  }
  if (!raw && io::checksum(text) != file.text_checksum)
    throw error(errc::invalid_input, fmt::format("{}: damaged: the text does not match its checksum", name));
  progress.reset();
  io::output_file out(given.value("output"));
  out.write(text);
  out.commit();
  write_closing_line(given, time, text.size(), used.engine, used.device);
  return 0;
}

} // namespace weft::cli
