// The commands `weft bwt` and `weft unbwt`.
#include <array>
#include <cli/bwt_verbs.hpp>
#include <cli/file_check.hpp>
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <cli/teams.hpp>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/suffix_array.hpp>
#include <weft/files/formats/text_formats.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/io/bwt_file.hpp>
#include <weft/io/checksum.hpp>
#include <weft/io/npy.hpp>
#include <weft/io/output_file.hpp>
#include <weft/multi/suffixes.hpp>

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
  const bool on_gpu = base_detail::has_usable_gpu(parse_device(given.value("device")));
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

namespace {

std::string title_of(const arguments& given) { return fmt::format("weft {}", given.chosen_verb->name); }

// Checks the flags and reads the text on rank 0. Returns, on all ranks, the size of the text if the ranks
// share it, and then sets the total of the monitor; otherwise 0.
std::uint64_t read_shared_text(const arguments& given, const text_verb& verb, std::string& text) {
  std::uint64_t shared_size = 0;
  multi::run_together(ranks(), [&] {
    if (!is_first_rank()) return;
    verb.check_flags(given);
    const bool on_gpu = base_detail::has_usable_gpu(parse_device(given.value("device")));
    const multi::suffix_limits limits = suffix_limits_of_ranks();
    const auto is_shared = [&](std::uint64_t size) { return !on_gpu && limits.allow(ranks().size(), size); };
    constexpr std::uint64_t any_size = ~std::uint64_t{0};
    text = read_text(given, is_shared(any_size) ? verb.memory_of_shared_byte : memory_of_byte(given));
    if (is_shared(text.size())) shared_size = text.size();
    if (shared_size > 0) monitor().set_total(shared_size);
  });
  return multi::reduce_number(ranks(), shared_size, multi::reduction::max);
}

} // namespace

int run_text_verb(const arguments& given, const text_verb& verb, bool may_share) {
  if (ranks().size() == 1 || !may_share)
    return run_with_suffix_team(given, [&](const arguments&, bwt_detail::suffix_helpers* helpers) {
      verb.check_flags(given);
      const stopwatch time;
      std::string text;
      {
        const progress_line progress(given, title_of(given), 1, "bytes");
        text = read_text(given, memory_of_byte(given));
      }
      return verb.work_alone(given, time, text, helpers);
    });
  const stopwatch time;
  std::string text, report;
  std::optional<progress_line> progress(std::in_place, given, title_of(given), 1, "bytes");
  const std::uint64_t shared_size = read_shared_text(given, verb, text);
  if (shared_size > 0) report = verb.work_shared(given, text, shared_size);
  progress.reset();
  if (shared_size == 0) return run_on_first_rank([&] { return verb.work_alone(given, time, text, nullptr); });
  if (!report.empty()) print(report);
  write_closing_line(given, time, shared_size, "suffix-sort");
  return 0;
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

void check_flags(const arguments& given) {
  require_device(parse_device(given.value("device")));
  const bool to_stdout = given.value("output") == "-", stats = given.has("stats");
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
}

std::string header_of(const bwt_text& transformed, const std::string& text) {
  return io::bwt_file_header({static_cast<io::bwt_file::form_type>(transformed.form),
                              transformed.bytes.size(), transformed.primary_index, io::checksum(text),
                              io::checksum(transformed.bytes)});
}

int transform_text(const arguments& given, const stopwatch& time, const std::string& text,
                   bwt_detail::suffix_helpers* helpers) {
  const bool stats = given.has("stats"), raw = given.has("raw");
  weft::run_info used;
  bwt_text transformed;
  {
    const progress_line progress(given, "weft bwt", 1, "bytes");
    bwt_options options = bwt_options_of(given, text.size());
    options.run.info = &used;
    options.helpers = helpers;
    transformed = bwt(text, form_of(given), options);
  }
  if (given.value("output") != "-" || !stats) {
    io::output_file out(given.value("output"));
    if (!raw) out.write(header_of(transformed, text));
    out.write(transformed.bytes);
    out.commit();
  }
  if (stats) print(statistics(transformed, wants_json(given)));
  if (raw && !stats) print(fmt::format("{}\n", transformed.primary_index));
  write_closing_line(given, time, text.size(), used.engine, used.device);
  return 0;
}

// Writes the bytes of a turn of this rank. The checksum of all bytes so far, if not null, goes from rank to
// rank before the bytes are written, and from the last rank back to rank 0 by wait_for_turns().
void write_turn(files::rank_output& out, io::running_checksum* sum, std::string_view bytes) {
  multi::communicator& all = ranks();
  const int self = all.rank();
  if (sum != nullptr) {
    if (self > 0) sum->restore(multi::receive_text(all, self - 1));
    sum->add(bytes);
    if (self + 1 < all.size()) multi::send_text(all, sum->save(), self + 1);
  }
  out.begin_turn(bytes.size());
  out.end_turn(bytes);
}

void wait_for_turns(files::rank_output& out, io::running_checksum* sum) {
  multi::communicator& all = ranks();
  const int last = all.size() - 1;
  out.wait_for_turns();
  if (sum != nullptr && all.rank() == last) multi::send_text(all, sum->save(), 0);
  if (sum != nullptr && all.rank() == 0) sum->restore(multi::receive_text(all, last));
}

// Transforms the text of rank 0 on all ranks, each of which writes the bytes of its parts at their offsets,
// and then rank 0 writes the header. Returns the primary index.
std::uint64_t write_parts(const arguments& given, const std::string& text, files::rank_output& out) {
  multi::communicator& all = ranks();
  multi::suffix_parts parts(all, text, bwt_options_of(given, 2 * text.size()).run); // with bytes of a part
  const bool has_header = !given.has("raw");
  io::running_checksum sum_of_bytes; // of all bytes so far, for the header
  io::running_checksum* const sum = has_header ? &sum_of_bytes : nullptr;
  std::uint64_t primary_index = 0, sum_of_text = 0;
  if (all.rank() == 0) {
    const std::string first(1, text.back()); // the byte before the end mark
    sum_of_bytes.add(first);
    out.write_header(std::string(has_header ? io::bwt_header_size : 0, '\0') + first);
  }
  for (std::uint64_t part = 0; part < parts.count(); ++part) {
    std::uint64_t row = parts.first_row(part);
    std::string bytes;
    bytes.reserve(parts.end_row(part) - row);
    parts.exchange(part);
    parts.sort_preceding(part, [&](std::string_view some, std::optional<std::uint64_t> whole_row) {
      bytes.append(some.substr(0, whole_row ? *whole_row - row : some.size()));
      if (whole_row) { // the end mark is before the whole text
        bytes.append(some.substr(*whole_row - row + 1));
        primary_index = *whole_row + 1;
      }
      row += some.size();
    });
    write_turn(out, sum, bytes);
    // Rank 0 has the time for this while the checksum goes through the other ranks.
    if (part == 0 && has_header && all.rank() == 0) sum_of_text = io::checksum(text);
    wait_for_turns(out, sum);
  }
  primary_index = multi::reduce_number(all, primary_index, multi::reduction::max);
  if (has_header)
    out.replace_header(all.rank() > 0
                           ? ""
                           : io::bwt_file_header({io::bwt_file::form_type::sentinel, text.size(),
                                                  primary_index, sum_of_text, sum_of_bytes.value()}));
  return primary_index;
}

// Transforms the text of rank 0, and returns the primary index as text if it is wanted. Rank 0 writes an
// output that is no regular file which all ranks see.
std::string transform_shared(const arguments& given, const std::string& text, std::uint64_t) {
  files::rank_output out(ranks(), given.value("output"));
  std::uint64_t primary_index = 0;
  if (out.is_common()) {
    primary_index = write_parts(given, text, out);
  } else {
    const bwt_text transformed = multi::bwt(ranks(), text, bwt_form::sentinel,
                                            bwt_options_of(given, text.size()), suffix_limits_of_ranks());
    if (is_first_rank() && !given.has("raw")) out.write_header(header_of(transformed, text));
    out.write_header(transformed.bytes);
    primary_index = transformed.primary_index;
  }
  out.commit();
  return given.has("raw") ? fmt::format("{}\n", primary_index) : "";
}

} // namespace

int run_bwt(const arguments& given) {
  return run_text_verb(given, {check_flags, transform_text, transform_shared, 2},
                       !given.has("stats") && form_of(given) == bwt_form::sentinel);
}

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
