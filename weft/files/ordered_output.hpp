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
#include <weft/files/ranks/rank_output.hpp>

namespace weft::files {

// An ordered_output writes the texts of batches 0, 1, 2, ... in this order, whatever the order in which they
// become ready. With several ranks, each batch is written in a turn of the rank. The texts of up to `window`
// batches wait in memory; a thread that finishes a batch further ahead is blocked until earlier batches are
// written. While a thread writes to the file, other threads can finish their batches. Thread-safe.
class ordered_output {
public:
  // Thrown by all functions that wait if an earlier batch has failed, because nothing may be written after
  // it.
  struct abandoned {};

  ordered_output(rank_output& out, std::uint64_t window) : out_(out), window_(window) {}

  // Waits until all batches of this rank with lower numbers are written. Returns at once if they are, even if
  // batch `batch` is written, too.
  void wait_for_earlier(std::uint64_t batch);
  // Waits until all earlier batches of this rank are written, and for its turn among the ranks. Until the
  // batch is finished, only its thread writes.
  void wait_for_turn(std::uint64_t batch);
  // Writes a part of a batch. Waits until all earlier batches are written.
  void write(std::uint64_t batch, std::string_view text);
  // Takes the last part of a batch, and leaves `text` empty. Waits while the batch is ahead of the window.
  void finish(std::uint64_t batch, std::string& text);
  // Records that a batch has failed: the batches before it are written, the later ones are not.
  void fail(std::uint64_t batch, std::exception_ptr failure);
  // Rethrows the exception of the first batch that failed, if any. If the input is wrong, waits until the
  // batches of other ranks before it are written, because an error in one of them comes first.
  void rethrow();

private:
  // Writes a part, or the last part, of the batch whose turn it is. Only the thread of this batch may call
  // it.
  void put(std::string_view text);
  void put_last(std::string_view text);
  void begin_rank_turn();
  // Waits until ready() or a failure of an earlier batch, in which case it throws abandoned.
  template <class Ready> void wait(std::unique_lock<std::mutex>& lock, std::uint64_t batch, Ready ready);

  rank_output& out_;
  bool has_rank_turn_ = false; // whether the turn of the rank has begun; of the thread whose turn it is
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
