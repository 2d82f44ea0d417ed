// Reads patterns from a file piece by piece: FASTA, FASTQ, or a list with one pattern on each line. weft find
// and weft scan both read their patterns with it, so a file means the same to both.
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

// Concatenated patterns: pattern p is text[offsets[p], offsets[p + 1]), and its name, if the file has one, is
// names[name_offsets[p], name_offsets[p + 1]).
struct pattern_chunk {
  // The position of the first byte of a pattern of a list; both numbers are 1-based.
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
  // Returns the name of pattern p, which is the pattern itself if the file has no name for it.
  [[nodiscard]] std::string_view name(std::uint64_t p) const noexcept {
    const std::uint64_t size = name_offsets[p + 1] - name_offsets[p];
    return size == 0 ? pattern(p) : std::string_view(names).substr(name_offsets[p], size);
  }
  // Returns the location of byte `i` of pattern `p` for a message: "list.txt:3:1", or "reads.fq: record 3
  // ('x')".
  [[nodiscard]] std::string location(std::uint64_t p, std::uint64_t i = 0) const;
  // Appends a pattern. If `name` is empty, the pattern is its own name.
  void add(std::string_view name, std::string_view pattern);
  // Removes all patterns and keeps the memory.
  void clear();
};

// Options for reading a list.
struct pattern_list_options {
  // Whether patterns consist of letters: white space around a pattern is dropped, and control characters and
  // lines that begin with '>' are errors. If false, patterns consist of bytes.
  bool letters = true;
  // The largest size of a line or record in bytes; 0: no limit.
  std::uint64_t max_bytes = 0;
};

// Reads patterns in order. If the first line that is neither blank nor starts with ';' starts with '>' or
// '@', the file is FASTA or FASTQ (sequence_reader.hpp), and each record is a pattern with the record's name.
// Any other file is a list with "pattern" or "name<TAB>pattern" on each line. In a list, empty lines and
// lines that start with '#' are skipped, and the first tab with something before it ends the name. Lines end
// with LF or CR LF. A UTF-8 byte order mark at the start of the file is skipped. Throws parse_error (line,
// column) if a name has no pattern, and as sequence_reader; memory_error, which names file and line, for more
// than max_bytes; and what the source throws. O(bytes); memory: the chunk and a buffer. Not thread-safe.
class pattern_reader {
public:
  // Reads the first bytes of the source to find out the kind of file.
  explicit pattern_reader(std::unique_ptr<byte_source> source, const pattern_list_options& options = {});
  ~pattern_reader();
  pattern_reader(pattern_reader&&) noexcept;
  pattern_reader& operator=(pattern_reader&&) noexcept;

  // Replaces `chunk` by the next patterns: as many as take about `bytes` bytes with their names and
  // positions, but at least one. At the end, returns false and leaves an empty chunk.
  [[nodiscard]] bool read(pattern_chunk& chunk, std::uint64_t bytes);
  // Returns whether the file is FASTA or FASTQ.
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
