// The sequences that a scan reads: chunks of whole records out of several files.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <weft/io/alphabet_guess.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::cli {

// Reads files of sequences one after another.
class scan_input {
public:
  // Opens no file yet. memory: the limit of the whole task (0: none); a record has at most max_record
  // residues (0: no bound), or read() throws memory_error.
  explicit scan_input(std::vector<std::string> files, std::uint64_t memory = 0, std::uint64_t max_record = 0)
      : files_(std::move(files)), memory_(memory), max_record_(max_record) {}
  scan_input(const scan_input&) = delete;
  scan_input& operator=(const scan_input&) = delete;

  // Calls `wait` before it reads on in a record that is longer than read() was asked for.
  void before_long_records(std::function<void()> wait) { wait_ = std::move(wait); }

  // Reads the first letters of the files, up to those that the guess is made of, or 8 MiB of symbols. read()
  // gives them once more. What cannot be read is left for read() to report.
  [[nodiscard]] io::alphabet_guess guess_alphabet();

  // Replaces `chunk` as sequence_reader::read() does; false at the end of the last file. Tells the monitor of
  // the verb how many residues are to come, each of them `strands` times.
  [[nodiscard]] bool read(io::sequence_chunk& chunk, std::uint64_t residues, std::uint64_t strands);

private:
  void keep(io::sequence_chunk& record);
  bool read_files(io::sequence_chunk& chunk, std::uint64_t residues);
  void expect(std::uint64_t strands) const;

  std::vector<std::string> files_;
  std::uint64_t memory_, max_record_;
  std::function<void()> wait_;
  std::size_t next_ = 0; // of the files
  std::unique_ptr<io::sequence_reader> reader_;
  std::uint64_t residues_ = 0;                // that read() gave
  std::deque<io::sequence_chunk> read_ahead_; // by guess_alphabet()
  std::exception_ptr failure_;                // of reading ahead
};

} // namespace weft::cli
