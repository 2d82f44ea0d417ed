// Reads the references from which an index is built, within a limit on memory, and opens files of indexes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::files {

// The records of one or more files: their letters end to end, their offsets and their names.
struct reference_set {
  std::string text;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::string> names;
  std::uint64_t name_bytes = 0; // total size of the names

  operator sequences_view() const noexcept { return {text, offsets, names}; } // NOLINT: a set is its view
  // Returns the bytes of everything except the text.
  [[nodiscard]] std::uint64_t size_of_names() const {
    return 8 * offsets.capacity() + sizeof(std::string) * names.capacity() + name_bytes;
  }
  [[nodiscard]] std::uint64_t size_in_memory() const { return text.size() + size_of_names(); }
};

// Reads the records of files of sequences. Stops as soon as it is clear that their index cannot be built
// within `memory` bytes, on a GPU if `on_gpu`. Throws memory_error then, and the errors of the reader.
[[nodiscard]] reference_set read_references(const std::vector<std::string>& paths, std::uint64_t memory,
                                            bool on_gpu);

// Returns dna if at least nine in ten symbols are IUPAC codes of nucleotides, X or gaps, and at least half of
// the symbols other than N, X and gaps are A, C, G, T or U; otherwise protein. (A third of the residues of
// proteins are not in the first group.) `threads` = 0 uses all threads.
[[nodiscard]] fm_alphabet guess_alphabet(std::string_view text, int threads);
// Does the same from the number of occurrences of each byte.
[[nodiscard]] fm_alphabet guess_alphabet(std::span<const std::uint64_t, 256> counts);

// Returns the notes on references of these names and numbers of letters, and of letters that an index of DNA
// finds: that a name is not unique, or that letters are none or match nothing. Empty, or lines.
[[nodiscard]] std::string notes_on_references(std::vector<std::string_view> names, std::uint64_t letters,
                                              std::uint64_t bases, fm_alphabet alphabet);

// Returns whether a file begins as an index. "-" and pipes do not, because only an ordinary file can be
// mapped.
[[nodiscard]] bool is_index(const std::string& path);

// Returns the index in a file, which is mapped into memory until the index and all its copies are destroyed.
// Throws error(invalid_input) if the file is "-" or no valid index, and the errors of opening it.
[[nodiscard]] fm_index open_index(const std::string& path);

} // namespace weft::files
