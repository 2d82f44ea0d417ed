// The command `weft info`.
#include <algorithm>
#include <array>
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <cstring>
#include <fmt/format.h>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/formats/text_formats.hpp>
#include <weft/files/sequence_summary.hpp>
#include <weft/io/bwt_file.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/escape.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/io/npy.hpp>
#include <weft/io/output_file.hpp>
#include <weft/scan/motif.hpp>

namespace weft::cli {

namespace {

using properties = std::vector<files::property>;

files::property text(std::string key, std::string_view value) {
  return {std::move(key), std::string(value), true};
}
files::property number(std::string key, std::uint64_t value) {
  return {std::move(key), std::to_string(value)};
}

std::string_view name_of(io::compression kind) {
  switch (kind) {
  case io::compression::gzip:
    return "gzip";
  case io::compression::bzip2:
    return "bzip2";
  case io::compression::zstd:
    return "zstd";
  case io::compression::xz:
    return "xz";
  case io::compression::none:
    break;
  }
  return "none";
}

// Throws memory_error if the properties of all records, and their text, take more than `memory` bytes.
void require_memory_for_names(const fm_index& index, const std::string& path, std::uint64_t memory) {
  std::uint64_t needed =
      index.num_records() * 3 * sizeof(files::property); // the list is copied while it grows
  for (std::uint64_t r = 0; r < index.num_records(); ++r)
    needed += 48 + 4 * (path.size() +
                        index.name(r).size()); // the key, and the text, which is copied while it grows
  if (needed > memory)
    throw memory_error(fmt::format("{}: the names of {} records need {} of memory, but only {} is "
                                   "allowed (set --memory to allow more)",
                                   path, index.num_records(), format_size(needed), format_size(memory)));
}

properties describe_index(const std::string& path, bool names, std::uint64_t memory) {
  if (path == "-")
    throw error(errc::invalid_input,
                "an index cannot be read from standard input: give the name of a file, which weft maps "
                "into memory");
  const io::mapped_file file = io::map_file(path);
  const fm_index index = [&] {
    try {
      return fm_index::from_bytes(file.bytes, file.owner);
    } catch (const error& failure) {
      throw error(failure.code(), fmt::format("{}: {}", path, failure.what()));
    }
  }();
  std::uint32_t version = 0; // behind the eight bytes of the magic number
  std::memcpy(&version, file.bytes.data() + 8, sizeof version);
  const fm_alphabet alphabet = index.alphabet();
  properties result = {text("kind", "index"),
                       number("version", version),
                       text("alphabet", alphabet == fm_alphabet::dna       ? "dna"
                                        : alphabet == fm_alphabet::protein ? "protein"
                                                                           : "bytes"),
                       number("records", index.num_records()),
                       number("residues", index.num_symbols()),
                       number("sa_sample_rate", index.sa_sample_rate())};
  if (index.has_contexts()) result.push_back(text("bidirectional", "yes"));
  result.push_back(text("checksum", "verified"));
  if (names) require_memory_for_names(index, path, memory);
  for (std::uint64_t r = 0; names && r < index.num_records(); ++r)
    result.push_back(number(fmt::format("lengths.{}", index.name(r)), index.length(r)));
  return result;
}

properties describe_transform(io::byte_source& source) {
  const io::bwt_file_summary file = io::check_bwt_file(source);
  return {text("kind", "transform"),
          number("version", 1),
          text("form", file.form == io::bwt_file::form_type::rotation ? "rotation" : "sentinel"),
          number("length", file.size),
          number("primary_index", file.primary_index),
          text("text_checksum", fmt::format("{:016x}", file.text_checksum)),
          text("checksum", "verified")};
}

properties describe_array(io::byte_source& source) {
  const io::npy_array array = io::read_npy_header(source);
  std::string buffer(std::size_t{1} << 18, '\0');
  std::uint64_t bytes = 0;
  for (std::size_t got = source.read(buffer); got > 0; got = source.read(buffer)) {
    bytes += got;
    monitor().add(got);
    monitor().check();
  }
  const std::uint64_t expected = array.count * io::size_of(array.type);
  if (bytes != expected)
    throw parse_error(source.name(), 0, 0,
                      fmt::format("damaged: {} items of type {} take {} bytes, but the file contains {}",
                                  array.count, io::name_of(array.type), expected, bytes));
  return {text("kind", "array"), text("type", io::name_of(array.type)), number("items", array.count)};
}

properties describe_sequences(std::unique_ptr<io::byte_source> source, bool fastq, std::uint64_t memory) {
  const std::uint64_t max_record = io::memory_beside_decoder(source->kind(), memory);
  const files::sequence_summary summary =
      files::summarise_sequences(std::move(source), fastq, max_record, &monitor());
  std::array<std::uint64_t, 256> letters{}; // upper and lower case together
  std::uint64_t lower_case = 0;
  for (std::size_t c = 0; c < letters.size(); ++c) {
    const bool is_lower = c >= 'a' && c <= 'z';
    letters[is_lower ? c - 'a' + 'A' : c] += summary.counts[c];
    lower_case += is_lower ? summary.counts[c] : 0;
  }
  const bool dna = summary.guess.is_dna();
  properties result = {text("kind", fastq ? "fastq" : "fasta"),  number("records", summary.num_records),
                       number("residues", summary.num_residues), number("shortest", summary.shortest),
                       number("longest", summary.longest),       text("longest_record", summary.longest_name),
                       text("alphabet", dna ? "dna" : "protein")};
  if (dna) {
    const std::uint64_t gc = letters['G'] + letters['C'],
                        bases = gc + letters['A'] + letters['T'] + letters['U'];
    if (bases > 0)
      result.push_back({"gc", fmt::format("{:.6f}", static_cast<double>(gc) / static_cast<double>(bases))});
  }
  result.push_back(number("unknown", letters[dna ? 'N' : 'X']));
  result.push_back(number("gaps", letters['-'] + letters['.']));
  result.push_back(number("lower_case", lower_case));
  for (std::size_t c = 0; c < letters.size(); ++c)
    if (letters[c] > 0) result.push_back(number(fmt::format("letters.{}", static_cast<char>(c)), letters[c]));
  return result;
}

// Any text could be a list of patterns, so a file without a single valid pattern is not accepted as motifs. A
// letter of a pattern takes 17 bytes while it is read, and five times as many until it has been parsed.
properties describe_motifs(io::byte_source& source, std::uint64_t memory) {
  constexpr std::uint64_t small = std::uint64_t{1} << 20;
  const auto is_bad = [](const io::motif_record& record, alphabet letters) {
    motif parsed;
    motif_fault fault{};
    return !parse_motif(record.pattern, {letters}, parsed, fault);
  };
  std::uint64_t patterns = 0, bad = 0, frequent = 0;
  const auto count = [&](const io::motif_record& record) {
    monitor().check();
    ++patterns;
    bad += is_bad(record, alphabet::protein) && is_bad(record, alphabet::dna) ? 1 : 0;
    frequent += record.skip_flag ? 1 : 0;
  };
  const io::motif_file file = io::for_each_motif(source, count, memory / 8 + small);
  if (!file.is_prosite && bad == patterns)
    throw parse_error(source.name(), 0, 0,
                      "the file is not an index, a transform, an array, sequences or motifs: no line is "
                      "a valid pattern");
  properties result = {text("kind", file.is_prosite ? "prosite" : "motifs"), number("patterns", patterns),
                       number("bad_patterns", bad)};
  if (file.is_prosite) {
    result.push_back(number("frequent", frequent));
    result.push_back(number("profiles", file.matrix_entries));
    result.push_back(number("rules", file.rule_entries));
  }
  return result;
}

// Recognises the file by its first bytes, and then reads the rest of it.
properties describe(const std::string& path, bool names, std::uint64_t memory) {
  io::peeked_bytes file = io::peek(io::open_bytes(path, true, memory), 4096);
  const std::string& start = file.start;
  const io::compression kind = file.source->kind();
  monitor().set_total(kind == io::compression::none ? monitor().done() + file.source->size() : 0);
  const std::size_t at = start.find_first_not_of(" \t\r\n\v\f");
  const char first = at == std::string::npos ? '\0' : start[at];
  const std::uint64_t size = file.source->size();
  properties result;
  if (start.empty()) throw parse_error(file.source->name(), 0, 0, "the file is empty");
  if (names && !start.starts_with(fm_index_magic))
    throw error(errc::invalid_input,
                fmt::format("{}: --names lists the records of an index, but this file is not an index",
                            file.source->name()));
  if (start.starts_with(fm_index_magic))
    result = describe_index(path, names, memory);
  else if (start.starts_with(io::bwt_magic))
    result = describe_transform(*file.source);
  else if (start.starts_with(io::npy_magic))
    result = describe_array(*file.source);
  else if (first == '>' || first == '@' || first == ';')
    result = describe_sequences(std::move(file.source), first == '@', memory);
  else
    result = describe_motifs(*file.source, memory);
  result.insert(result.begin() + 1, text("compression", name_of(kind)));
  if (size > 0) result.insert(result.begin() + 2, number("file_size", size));
  return result;
}

} // namespace

int run_info(const arguments& given) {
  const bool json = wants_json(given);
  const stopwatch time;
  io::output_file out(given.value("output"));
  int code = 0;
  bool found_any = false;
  if (!json) out.write("file\tproperty\tvalue\n");
  {
    const progress_line progress(given, "weft info", 1, "bytes");
    for (const std::string& path : given.inputs) try {
        properties found = describe(path, given.has("names"), memory_limit(given.size("memory")));
        found.insert(found.begin(), text("file", path));
        found_any = true;
        if (json) {
          out.write(files::property_json(found));
        } else {
          found.erase(found.begin());
          out.write(files::property_lines(found, io::escaped(path) + "\t"));
        }
      } catch (const error& failure) { // the other files are still described
        if (failure.code() == errc::cancelled || dynamic_cast<const io::broken_pipe*>(&failure) != nullptr)
          throw;
        say(fmt::format("weft: {}\n", failure.what()));
        if (code == 0) code = exit_code(failure.code());
      }
  }
  if (!found_any && given.value("output") != "-") return code; // no file of a heading alone
  out.commit();
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(monitor().done()) / time.seconds()) + "bytes/s", "info");
  return code;
}

} // namespace weft::cli
