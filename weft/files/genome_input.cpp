#include <weft/files/genome_input.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::files {

namespace {

bool is_gap(char c) { return c == '-' || c == '.'; }

// Appends the letters of a record without gaps. Returns the number of gaps.
std::uint64_t append_letters(std::string& text, std::string_view letters) {
  const std::size_t before = text.size();
  std::copy_if(letters.begin(), letters.end(), std::back_inserter(text), [](char c) { return !is_gap(c); });
  return letters.size() - (text.size() - before);
}

// Throws memory_error if what has been read needs too much memory.
void check_memory(const std::string& path, const reference_set& read, const genome_reading& how) {
  const std::uint64_t needed = read.text.size() * how.bytes_per_letter + read.size_of_names();
  if (needed > how.memory)
    throw memory_error(fmt::format("{}: the genomes do not fit in the memory: the comparison of the {} "
                                   "letters and {} records read so far needs at least {}, but only {} is "
                                   "left",
                                   path, read.text.size(), read.names.size(), format_size(needed),
                                   format_size(how.memory)));
}

} // namespace

genome_input read_genome(const std::string& path, const genome_reading& how) {
  const std::uint64_t max_letters = std::max<std::uint64_t>(how.memory / how.bytes_per_letter, 1),
                      chunk_letters = std::clamp<std::uint64_t>(how.memory / 32, std::uint64_t{1} << 16,
                                                                std::uint64_t{1} << 24);
  genome_input result;
  reference_set& read = result.records;
  io::sequence_reader reader(io::open_bytes(path, true, how.memory), max_letters);
  io::sequence_chunk chunk;
  while (reader.read(chunk, chunk_letters)) {
    reserve_within(read.text, read.text.size() + chunk.residues.size(), max_letters);
    for (std::uint64_t i = 0; i < chunk.count(); ++i) {
      const std::uint64_t gaps = append_letters(read.text, chunk.sequence(i));
      if (gaps > 0 && how.gaps == gap_rule::refuse)
        throw error(errc::invalid_input,
                    fmt::format("{}: record '{}' has gaps of an alignment ('-' or '.'): remove them, because "
                                "positions in the output count letters of this file",
                                path, chunk.names[i]));
      result.removed_gaps += gaps;
      read.offsets.push_back(read.text.size());
      read.name_bytes += chunk.names[i].size();
      read.names.push_back(std::move(chunk.names[i]));
    }
    check_memory(path, read, how);
  }
  if (read.text.empty()) throw error(errc::invalid_input, fmt::format("{}: the file has no letters", path));
  if (guess_alphabet(read.text, how.threads) != fm_alphabet::dna)
    throw error(errc::invalid_input, fmt::format("{}: the sequences are not DNA", path));
  return result;
}

void require_unique_names(const reference_set& records, const std::string& path) {
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < records.names.size(); ++i) {
    if (records.names[i].empty())
      throw error(errc::invalid_input, fmt::format("{}: record {} has no name", path, i + 1));
    if (!names.insert(records.names[i]).second)
      throw error(errc::invalid_input,
                  fmt::format("{}: two records have the name '{}': the records of A need "
                              "different names",
                              path, records.names[i]));
  }
}

genome_pair read_genome_pair(const std::string& a_path, const std::string& b_path, std::uint64_t memory,
                             int threads) {
  // A letter of A takes a byte, and six in compare_genomes(); a letter of B takes one and two.
  constexpr std::uint64_t a_bytes = 7, b_bytes = 3;
  const std::uint64_t limit = memory_limit(memory);
  genome_pair pair;
  pair.a = read_genome(
      a_path, {.gaps = gap_rule::refuse, .memory = limit, .bytes_per_letter = a_bytes, .threads = threads});
  const reference_set& a = pair.a.records;
  require_unique_names(a, a_path);
  pair.b = read_genome(b_path, {.gaps = gap_rule::remove,
                                .memory = memory_left(limit, a_bytes * a.text.size() + a.size_of_names()),
                                .bytes_per_letter = b_bytes,
                                .threads = threads});
  return pair;
}

} // namespace weft::files
