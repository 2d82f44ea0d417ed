// Reads FASTA and FASTQ piece by piece; the first byte decides which of the two a file is.
//
//   weft::io::sequence_reader reader(weft::io::open_bytes("mt_human.fa"));
//   weft::io::sequence_chunk chunk;
//   std::uint64_t residues = 0;
//   while (reader.read(chunk, 1 << 20)) residues += chunk.residues.size();
//   residues;                                       // == 16569
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/byte_source.hpp>

namespace weft::io {

// Concatenated records: record i has the name names[i], the rest of its header line descriptions[i], and the
// symbols residues[offsets[i], offsets[i + 1]).
struct sequence_chunk {
  // The records' names, descriptions, symbols and offsets, as described above.
  std::vector<std::string> names, descriptions;
  std::string residues;
  std::vector<std::uint64_t> offsets{0};
  // Return the number of records, and the symbols of one record.
  [[nodiscard]] std::uint64_t count() const noexcept { return names.size(); }
  [[nodiscard]] std::string_view sequence(std::uint64_t i) const noexcept {
    return std::string_view(residues).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  // Removes all records.
  void clear();
};

// Reads records in order. White space inside sequences (blanks, tabs, CR, blank lines) is dropped; letters
// keep their case. A line of '>' alone starts a record with an empty name; a record without residues is kept;
// the last line may lack its newline. Symbols must be printable ASCII. '>' starts a record only at the start
// of a line. Lines that start with ';' are comments before the first record, and residues after it (as in
// seqkit and samtools). FASTQ records may have four lines or wrapped lines; the text after '+' is not
// compared with the header; the quality is checked for its length and dropped. Throws parse_error with file,
// line, column, and the record's number and name for malformed input. Passes on what the source throws:
// io_error, parse_error for damaged compressed data, memory_error for data that needs too much memory to be
// decompressed. After an error, reader and chunk can only be destroyed. O(bytes) in all; memory: the chunk
// and a buffer. Not thread-safe.
class sequence_reader {
public:
  // Reads the records of a source from its current position. A record of more than `max_record` residues (0:
  // no limit) causes a memory_error that names the file, the record and its size. With a limit, the residues
  // of a chunk never take more than `residues` + `max_record` bytes (see read()), even while they grow.
  explicit sequence_reader(std::unique_ptr<byte_source> source, std::uint64_t max_record = 0);
  ~sequence_reader();
  sequence_reader(sequence_reader&&) noexcept;
  sequence_reader& operator=(sequence_reader&&) noexcept;

  // Makes the reader call `wait` once for each record of more than `residues` residues, before it reads more
  // of the record, so that `wait` can free memory. `wait` may throw.
  void before_long_records(std::uint64_t residues, std::function<void()> wait);

  // Replaces `chunk` by the next whole records: as many as have about `residues` residues (and as many bytes
  // of names and descriptions), but at least one, which may be longer than `residues`. At the end, returns
  // false and leaves an empty chunk.
  [[nodiscard]] bool read(sequence_chunk& chunk, std::uint64_t residues);
  [[nodiscard]] const byte_source& source() const noexcept;

private:
  struct state;
  std::unique_ptr<state> state_;
};

// Returns all records of a file ("-": standard input). O(bytes); memory: the records. Throws io_error if the
// file cannot be opened or read, and parse_error as sequence_reader.
[[nodiscard]] sequence_chunk read_sequences(const std::string& path);

} // namespace weft::io
