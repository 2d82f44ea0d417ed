#include <weft/files/find/match_search.hpp>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/files/find/index_files.hpp>
#include <weft/files/find/patterns.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t max_chunk_letters = std::uint64_t{1} << 25;
constexpr std::uint64_t slice_matches = std::uint64_t{1} << 12; // matches that a thread formats at a time

// Formats a part of the matches on several threads, and writes it.
void write_part(const fm_index& index, const fm_matches& part, const sequences_view& queries,
                const match_search_options& options, io::output_file& out) {
  const int threads = options.match.run.threads;
  const std::uint64_t at_once = 4 * slice_matches * static_cast<std::uint64_t>(thread_count(threads));
  std::vector<std::string> texts(at_once / slice_matches);
  for (std::uint64_t begin = 0; begin < part.size(); begin += at_once) {
    const std::uint64_t end = std::min(part.size(), begin + at_once);
    parallel_for(begin, end, slice_matches, threads, [&](std::uint64_t first, std::uint64_t last) {
      std::string& text = texts[(first - begin) / slice_matches];
      text.clear();
      match_writer(options.format, index).append(text, part, first, last, queries);
    });
    for (std::uint64_t first = begin; first < end; first += slice_matches)
      out.write(texts[(first - begin) / slice_matches]);
  }
}

} // namespace

reference_index open_or_build_index(const std::string& path, fm_build_options options, std::uint64_t memory) {
  if (std::filesystem::is_regular_file(path) &&
      io::peek(io::open_bytes(path, false), fm_index_magic.size()).start == fm_index_magic)
    return {open_index(path), false};
  const bool on_gpu = options.run.device.kind != device_kind::cpu && !known_gpus().devices.empty();
  reference_set references = read_references({path}, memory_limit(memory), on_gpu);
  if (!references.text.empty() && guess_alphabet(references.text, options.run.threads) != fm_alphabet::dna)
    throw error(errc::invalid_input, fmt::format("{}: the references are not DNA", path));
  replace_u_by_t(references.text, options.run.threads);
  options.run.memory = memory_left(memory, references.size_in_memory());
  return {fm_index::build(references, options), true};
}

match_totals find_matches(const fm_index& index, const std::vector<std::string>& paths,
                          const match_search_options& options, io::output_file& out) {
  // Queries take a byte a letter, half as much again while they are read, and less than a byte when packed.
  const std::uint64_t memory = memory_limit(options.memory),
                      max_letters = std::max<std::uint64_t>(memory / 6, 1);
  match_options match = options.match;
  match.run.memory = std::max<std::uint64_t>(memory / 2, 1);
  match_totals totals;
  out.write(match_writer::header(options.format));
  io::sequence_chunk chunk;
  for (const std::string& path : paths) {
    io::sequence_reader reader(io::open_bytes(path, true, memory), max_letters);
    while (reader.read(chunk, std::min(max_letters, max_chunk_letters))) {
      if (has_u(chunk.residues)) replace_u_by_t(chunk.residues, match.run.threads);
      const sequences_view queries{chunk.residues, chunk.offsets, chunk.names};
      if (options.on_queries) options.on_queries(queries);
      index.visit_matches(queries, match, [&](const fm_matches& part) {
        if (options.on_matches) options.on_matches(part);
        totals.matches += part.size();
        write_part(index, part, queries, options, out);
      });
      totals.queries += chunk.count();
      totals.letters += chunk.residues.size();
    }
  }
  return totals;
}

} // namespace weft::files
