// Patterns from a file, streaming: FASTA, FASTQ, or a list of one pattern a line. weft find and weft scan
// read their patterns by it, so that a file means the same to both.
//
//   const std::string list = "# a comment\nEcoRI\tGAATTC\nACGT\n";
//   weft::io::pattern_reader reader(weft::io::memory_bytes(list, "list"));
//   weft::io::pattern_chunk chunk;
//   reader.read(chunk, 1 << 16);                    // == true
//   chunk.name(0);                                  // == "EcoRI"
//   chunk.pattern(0);                               // == "GAATTC"
//   chunk.name(1);                                  // == "ACGT"
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/byte_source.hpp>

namespace weft::io {

// Patterns side by side: pattern p is text[offsets[p], offsets[p + 1]), and its name, if the file has one, is
// names[name_offsets[p], name_offsets[p + 1]).
struct pattern_chunk {
  // Where the first byte of a pattern of a list stood, both 1-based.
  struct position {
    std::uint64_t line, column;
  };
  std::string text, names;
  std::vector<std::uint64_t> offsets{0}, name_offsets{0};
  std::vector<position> positions; // of the patterns of a list; empty for FASTA and FASTQ
  std::uint64_t first_record = 1;  // number of the first pattern among the records of a FASTA or FASTQ file
  std::string source;              // name of the file

  [[nodiscard]] std::uint64_t count() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::string_view pattern(std::uint64_t p) const noexcept {
    return std::string_view(text).substr(offsets[p], offsets[p + 1] - offsets[p]);
  }
  // A pattern without a name in the file is its own name.
  [[nodiscard]] std::string_view name(std::uint64_t p) const noexcept {
    const std::uint64_t size = name_offsets[p + 1] - name_offsets[p];
    return size == 0 ? pattern(p) : std::string_view(names).substr(name_offsets[p], size);
  }
  // Returns where byte `i` of pattern `p` stands, for a message: "list.txt:3:1", or "reads.fq: record 3
  // ('x')".
  [[nodiscard]] std::string location(std::uint64_t p, std::uint64_t i = 0) const;
  // Appends a pattern. An empty name: the pattern is its own.
  void add(std::string_view name, std::string_view pattern);
  // Removes all patterns and keeps the memory.
  void clear();
};

// How a list is read.
struct pattern_list_options {
  // White space around a pattern does not belong to it, a line that begins with '>' and control characters
  // are errors. For patterns of bytes: false.
  bool letters = true;
  // Largest size in bytes of a line or record; 0: no limit.
  std::uint64_t max_bytes = 0;
};

// Reads patterns in order. A file whose first line that is neither blank nor starts with ';' starts with '>'
// or
// '@' is FASTA or FASTQ (sequence_reader.hpp): a record is a pattern, called as the record. Any other file is
// a list, "pattern" or "name<TAB>pattern" a line; empty lines and lines that start with '#' are skipped, and
// the first tab with something before it ends the name. Lines end with LF or CR LF. A byte order mark of
// UTF-8 at the start of the file is skipped. Throws parse_error (line, column) where a name has no pattern,
// and as sequence_reader; memory_error, which names file and line, past max_bytes; what the source throws.
// O(bytes); memory: the chunk and a buffer. Not thread-safe.
class pattern_reader {
public:
  // Reads the first bytes of the source, to tell the kinds of file apart.
  explicit pattern_reader(std::unique_ptr<byte_source> source, const pattern_list_options& options = {});
  ~pattern_reader();
  pattern_reader(pattern_reader&&) noexcept;
  pattern_reader& operator=(pattern_reader&&) noexcept;

  // Replaces `chunk` by the next patterns, as many as take about `bytes` bytes with their names and
  // positions, at least one. False, and an empty chunk, at the end.
  [[nodiscard]] bool read(pattern_chunk& chunk, std::uint64_t bytes);
  // Whether the file is FASTA or FASTQ.
  [[nodiscard]] bool has_records() const noexcept;
  [[nodiscard]] const byte_source& source() const noexcept;

private:
  struct state;
  std::unique_ptr<state> state_;
};

// Returns whether a file that begins with these bytes is FASTA or FASTQ: whether its first line that is
// neither blank nor starts with ';' starts with '>' or '@'.
[[nodiscard]] bool begins_with_record(std::string_view start);

} // namespace weft::io
