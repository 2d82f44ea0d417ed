// FASTA and FASTQ, streaming, told apart by the first byte.
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

// Records side by side, in the form the capabilities take: record i has the name names[i], the rest of its
// header line descriptions[i], and the symbols residues[offsets[i], offsets[i + 1]).
struct sequence_chunk {
  // As above.
  std::vector<std::string> names, descriptions;
  std::string residues;
  std::vector<std::uint64_t> offsets{0};
  // How many records there are, and the symbols of one.
  [[nodiscard]] std::uint64_t count() const noexcept { return names.size(); }
  [[nodiscard]] std::string_view sequence(std::uint64_t i) const noexcept {
    return std::string_view(residues).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  // Leaves no records.
  void clear();
};

// Reads records in order. White space inside sequences (blanks, tabs, CR, blank lines) is dropped; letters
// keep their case. '>' alone is a record with an empty name; a record without residues is kept; a last line
// without newline counts. Symbols must be printable ASCII. '>' starts a record at the start of a line only.
// Lines that start with ';' are comments before the first record, and residues behind it (as seqkit and
// samtools have it). FASTQ: four-line records or wrapped ones; what stands behind '+' is not compared with
// the header; quality is checked for length and dropped. Malformed input: parse_error with file, line and
// column; the record's number and name are in the message. What the source throws is passed on: io_error, or
// parse_error for damaged compressed data, memory_error for data that needs too much to be decompressed.
// After an error, reader and chunk are good for destruction only. O(bytes) in all; memory: the chunk and a
// buffer. Not thread-safe.
class sequence_reader {
public:
  // Reads the records of this source, from where it is. A record of more than `max_record` residues (0: no
  // bound) is a memory_error that names the file, the record and its size. With a bound, the residues of a
  // chunk never take more than `residues` + `max_record` bytes (see read()), also while they grow.
  explicit sequence_reader(std::unique_ptr<byte_source> source, std::uint64_t max_record = 0);
  ~sequence_reader();
  sequence_reader(sequence_reader&&) noexcept;
  sequence_reader& operator=(sequence_reader&&) noexcept;

  // Calls `wait` once for each record that is longer than read() was asked for, before more of it is read: to
  // make room for it. It may throw.
  void before_long_records(std::function<void()> wait);

  // Replaces `chunk` by the next records: whole ones, as many as fit in about `residues` residues (and as
  // many bytes of names and descriptions), at least one. False, and an empty chunk, at the end. A single
  // record may be larger than `residues`.
  [[nodiscard]] bool read(sequence_chunk& chunk, std::uint64_t residues);
  [[nodiscard]] const byte_source& source() const noexcept;

private:
  struct state;
  std::unique_ptr<state> state_;
};

// Every record of a file ("-": standard input). O(bytes); memory: the records. Throws io_error if it cannot
// be opened or read, parse_error as sequence_reader.
[[nodiscard]] sequence_chunk read_sequences(const std::string& path);

} // namespace weft::io
