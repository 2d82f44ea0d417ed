// Orders the output of batches that several threads process at the same time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/output_file.hpp>

namespace weft::files {

// An ordered_output writes the texts of batches 0, 1, 2, ... in this order, whatever the order in which they
// become ready. The texts of up to `window` batches wait in memory; a thread that finishes a batch further
// ahead is blocked until earlier batches are written. While a thread writes to the file, other threads can
// finish their batches. Thread-safe.
class ordered_output {
public:
  // Thrown by all functions that wait if an earlier batch has failed, because nothing may be written after
  // it.
  struct abandoned {};

  ordered_output(io::output_file& out, std::uint64_t window) : out_(out), window_(window) {}

  // Waits until all earlier batches are written. Until the batch is finished, only its thread writes.
  void wait_for_turn(std::uint64_t batch);
  // Writes a part of a batch. Waits until all earlier batches are written.
  void write(std::uint64_t batch, std::string_view text);
  // Takes the last part of a batch, and leaves `text` empty. Waits while the batch is ahead of the window.
  void finish(std::uint64_t batch, std::string& text);
  // Records that a batch has failed: the batches before it are written, the later ones are not.
  void fail(std::uint64_t batch, std::exception_ptr failure);
  // Rethrows the exception of the first batch that failed, if any.
  void rethrow();

private:
  // Writes to the file at once. Only the thread whose turn it is may call it.
  void put(std::string_view text);
  // Waits until ready() or a failure of an earlier batch, in which case it throws abandoned.
  template <class Ready> void wait(std::unique_lock<std::mutex>& lock, std::uint64_t batch, Ready ready);

  io::output_file& out_;
  std::uint64_t window_;
  std::uint64_t turn_ = 0;                       // number of the batch that may be written now
  std::uint64_t failed_ = ~std::uint64_t{0};     // number of the first batch that failed
  bool is_writing_ = false;                      // whether a thread writes the texts of finished batches
  std::map<std::uint64_t, std::string> waiting_; // texts of finished batches from `turn_` on
  std::vector<std::string> spare_;               // written texts, whose memory is used again
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

} // namespace weft::files
