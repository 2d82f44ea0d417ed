// Reads the sequences of a scan: chunks of whole records out of several files.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <weft/base/monitor.hpp>
#include <weft/io/alphabet_guess.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::files {

// A scan_input reads files of sequences one after another.
class scan_input {
public:
  // Opens no file yet. `memory` is the limit of the whole task (0: none). A record may have at most
  // `max_record` residues (0: no bound), or else read() throws memory_error. `monitor`, which may be null, is
  // told how many residues there are.
  explicit scan_input(std::vector<std::string> files, std::uint64_t memory = 0, std::uint64_t max_record = 0,
                      task_monitor* monitor = nullptr)
      : files_(std::move(files)), memory_(memory), max_record_(max_record), monitor_(monitor) {}
  virtual ~scan_input() = default;
  scan_input(const scan_input&) = delete;
  scan_input& operator=(const scan_input&) = delete;

  // Sets a function that is called before reading continues in a record of more than `residues` residues.
  virtual void before_long_records(std::uint64_t residues, std::function<void()> wait);

  // Reads the first letters of the files until the guess has enough letters, or up to 8 MiB of symbols.
  // read() returns these records again. An error is kept, and the next read() behind the records before it
  // throws it.
  [[nodiscard]] virtual io::alphabet_guess guess_alphabet();

  // Reads chunks as read() does while they have fewer than `max_residues` residues together and go_on()
  // returns true. The first one has about `size` residues, and each further one twice as many, but at most
  // `max_size`. read() returns these chunks later, and throws the error of reading them, if there is one.
  // guess_alphabet() must be called before, if at all. With several ranks, does nothing.
  virtual void read_ahead(std::uint64_t size, std::uint64_t max_size, std::uint64_t max_residues,
                          const std::function<bool()>& go_on);

  // Replaces `chunk` as sequence_reader::read() does. Returns false at the end of the last file. With several
  // ranks (ranks/rank_input.hpp), the chunk may have no records. Updates the total of the monitor to the
  // estimated number of residues times `strands`.
  [[nodiscard]] virtual bool read(io::sequence_chunk& chunk, std::uint64_t residues, std::uint64_t strands);
  // Makes read() return false, also a call that waits for another rank: for a search that has failed. Called
  // by any thread.
  virtual void stop() noexcept {}

private:
  void store_read_ahead(io::sequence_chunk& record);
  bool read_files(io::sequence_chunk& chunk, std::uint64_t residues);
  void watch_long_records();
  void estimate_total(std::uint64_t strands) const;

  std::vector<std::string> files_;
  std::uint64_t memory_, max_record_;
  task_monitor* monitor_;
  std::uint64_t long_record_ = ~std::uint64_t{0}; // residues of a record after which wait_ is called
  std::function<void()> wait_;
  std::size_t next_ = 0; // index of the next file
  std::unique_ptr<io::sequence_reader> reader_;
  std::uint64_t residues_ = 0;                // residues that have been read from the files
  std::deque<io::sequence_chunk> read_ahead_; // records that read() has not returned yet
  std::exception_ptr failure_;                // the error of reading ahead
};

} // namespace weft::files
