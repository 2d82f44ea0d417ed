#include <weft/files/find/index_files.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <fmt/format.h>
#include <numeric>
#include <string_view>
#include <utility>
#include <weft/base/byte_counts.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/files/ranks/rank_bytes.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::files {

namespace {

// The limits on references while they are read. They follow from the minimum of memory for building the
// index: on the CPU, each letter takes its own byte, a byte of code, and more than a byte for its share of
// the index and of the packed text that is sorted; on a GPU, the text is not packed in host memory. The
// builder checks the memory that it needs exactly. Reading takes less memory than building.
struct reading_limits {
  std::uint64_t memory;  // bytes for building the index
  std::uint64_t letters; // letters of all references
  std::uint64_t chunk;   // residues that are read at once

  reading_limits(std::uint64_t limit, bool on_gpu)
      : memory(limit), letters(std::max<std::uint64_t>(on_gpu ? limit / 5 * 2 : limit / 3, 1)),
        chunk(std::clamp<std::uint64_t>(limit / 32, std::uint64_t{1} << 16, std::uint64_t{1} << 24)) {}

  // Throws memory_error if the references that have been read exceed the limits.
  void check(const std::string& path, const reference_set& read) const {
    if (read.text.size() > letters || read.size_of_names() > memory / 2)
      throw memory_error(
          fmt::format("{}: the references do not fit in {} of memory: the index of the {} residues and "
                      "{} records read so far needs at least {}",
                      path, format_size(memory), read.text.size(), read.names.size(),
                      format_size(read.text.size() * memory / letters + 2 * read.size_of_names())));
  }
};

// Appends the residues of a chunk of `from` to the text. The first chunk becomes the text, without a copy, if
// it has at least half of the file: the rest then fits in memory that is reserved now, or needs one move.
void append_letters(std::string& text, std::string& residues, const io::byte_source& from,
                    const reading_limits& limits) {
  if (text.empty() && residues.size() >= from.size() / 2) return text.swap(residues);
  if (from.kind() == io::compression::none) { // reserved memory that is not used costs nothing
    text.reserve(
        std::min(text.size() + residues.size() + (from.size() - std::min(from.size(), from.position())),
                 limits.letters));
    prefer_large_pages(text.data(), text.capacity());
  }
  reserve_within(text, text.size() + residues.size(), limits.letters);
  text += residues;
}

// Returns whether all symbols are A, C, G, T or U, of either case.
bool are_all_bases(std::string_view text, int threads) {
  std::atomic<bool> only_bases{true};
  parallel_for(0, text.size(), std::uint64_t{1} << 18, threads, [&](std::uint64_t first, std::uint64_t last) {
    if (!only_bases) return;
    unsigned char others = 0; // one pass without branches or comparisons, which compilers vectorise
    for (const char letter : text.substr(first, last - first)) {
      const auto differ = [&](char base) { return static_cast<unsigned char>((letter & ~0x20) ^ base); };
      others |= std::min({differ('A'), differ('C'), differ('G'), differ('T'), differ('U')});
    }
    if (others != 0) only_bases = false;
  });
  return only_bases;
}

} // namespace

reference_set read_references(const std::vector<std::string>& paths, std::uint64_t memory, bool on_gpu) {
  const reading_limits limits(memory, on_gpu);
  reference_set result;
  io::sequence_chunk chunk;
  for (const std::string& path : paths) {
    io::sequence_reader reader(io::open_bytes(path, true, limits.memory), limits.letters);
    while (reader.read(chunk, limits.chunk)) {
      for (std::uint64_t i = 0; i < chunk.count(); ++i) {
        result.name_bytes += chunk.names[i].size();
        result.names.push_back(std::move(chunk.names[i]));
        result.offsets.push_back(result.text.size() + chunk.offsets[i + 1]);
      }
      append_letters(result.text, chunk.residues, reader.source(), limits);
      limits.check(path, result);
    }
  }
  return result;
}

fm_alphabet guess_alphabet(std::string_view text, int threads) {
  if (are_all_bases(text, threads)) return fm_alphabet::dna; // takes a fifth of the time of counting
  return guess_alphabet(count_bytes(text, threads));
}

fm_alphabet guess_alphabet(std::span<const std::uint64_t, 256> counts) {
  const auto count = [&](std::string_view symbols) {
    std::uint64_t sum = 0;
    for (const char c : symbols) sum += counts[static_cast<unsigned char>(c)];
    return sum;
  };
  const std::uint64_t bases = count("ACGTUacgtu"), unknown = count("NXnx-"),
                      several = count("RYSWKMBDHVryswkmbdhv"),
                      size = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const bool nucleotides = bases + unknown + several >= size - size / 10;
  return nucleotides && bases >= (size - unknown) / 2 ? fm_alphabet::dna : fm_alphabet::protein;
}

std::string notes_on_references(std::vector<std::string_view> names, std::uint64_t letters,
                                std::uint64_t bases, fm_alphabet alphabet) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  std::string text;
  if (twice != names.end()) text += fmt::format("weft: several records have the name '{}'\n", *twice);
  if (letters == 0) text += "weft: the references have no letters\n";
  if (alphabet == fm_alphabet::dna && 2 * bases < letters)
    text += fmt::format(
        "weft: {} of {} letters are not A, C, G, T or U, and match nothing in this index of DNA\n",
        letters - bases, letters);
  return text;
}

bool is_index(const std::string& path) {
  return is_regular(path) &&
         io::peek(io::open_bytes(path, false), fm_index_magic.size()).start == fm_index_magic;
}

fm_index open_index(const std::string& path) {
  if (path == "-")
    throw error(errc::invalid_input,
                "an index cannot be read from standard input: give the name of a file, which weft maps "
                "into memory");
  const io::mapped_file file = io::map_file(path);
  try {
    return fm_index::from_bytes(file.bytes, file.owner);
  } catch (const error& failure) {
    throw error(failure.code(), fmt::format("{}: {}", path, failure.what()));
  }
}

} // namespace weft::files
