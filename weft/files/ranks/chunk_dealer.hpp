// Chunks of an input that rank 0 reads, dealt out to the ranks of a job.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <weft/base/bounded_queue.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// A chunk_dealer gives each rank its share of the chunks that rank 0 reads. Chunks come in rounds: in each
// round, rank 0 gets the first chunk, rank 1 the next one, and so on. All ranks get as many chunks; at the
// end of the input, some are empty. A thread of rank 0 reads ahead, by up to two chunks for rank 0 and those
// of the other ranks before them; a thread of each other rank receives up to two chunks ahead.
template <class Chunk> class chunk_dealer {
public:
  // What the dealer calls. read() is for rank 0: it replaces the chunk by the next one, and returns false at
  // the end. send() and receive() exchange a chunk.
  struct functions {
    std::function<bool(Chunk&)> read;
    std::function<void(multi::communicator&, const Chunk&, int to)> send;
    std::function<void(multi::communicator&, Chunk&, int from)> receive;
  };

  // This object alone uses the ranks, from start() on until it is destroyed.
  explicit chunk_dealer(multi::communicator& ranks) : ranks_(ranks), own_(ranks.rank() == 0 ? 2 : 1) {}
  // If the input has not been dealt out to its end, the exchange must have failed on all ranks, so that the
  // thread ends.
  ~chunk_dealer() { own_.close(); }
  chunk_dealer(const chunk_dealer&) = delete;
  chunk_dealer& operator=(const chunk_dealer&) = delete;

  // Starts to deal out chunks. Called once.
  void start(functions calls) {
    calls_ = std::move(calls);
    thread_ = std::jthread([this] { ranks_.rank() == 0 ? deal() : receive(); });
  }
  // Replaces `chunk` by the next one of this rank. Returns false at the end, and then at each further call.
  // Throws what read() throws.
  [[nodiscard]] bool next(Chunk& chunk) {
    std::optional<dealt> got = own_.pop();
    if (!got) return false;
    if (got->failure) std::rethrow_exception(got->failure);
    chunk = std::move(got->chunk);
    return true;
  }
  // Makes next() return false, also a call that is waiting: for a rank that has failed. Called by any thread.
  void stop() noexcept { own_.close(); }

private:
  struct dealt {
    Chunk chunk;
    std::exception_ptr failure;
  };

  // Reads all chunks, and sends the other ranks theirs, until the end or a failure. If reading fails, the
  // other ranks of the round get empty chunks, so that the failure comes after all chunks before it.
  void deal() {
    try {
      Chunk chunk;
      std::exception_ptr failure;
      const auto read = [&] {
        if (!failure) try {
            return calls_.read(chunk);
          } catch (...) {
            failure = std::current_exception();
          }
        return false;
      };
      for (std::uint64_t has_chunk = 1; has_chunk != 0;) {
        has_chunk = read() ? 1 : 0;
        if (failure) std::rethrow_exception(failure);
        if (has_chunk != 0 && !own_.push({std::exchange(chunk, {}), nullptr})) return;
        for (int other = 1; other < ranks_.size(); ++other) {
          if (has_chunk != 0 && !read()) chunk = {};
          ranks_.send(std::as_bytes(std::span(&has_chunk, 1)), other);
          if (has_chunk != 0) calls_.send(ranks_, chunk, other);
        }
      }
    } catch (...) {
      (void)own_.push({{}, std::current_exception()});
    }
    own_.finish();
  }

  // Receives the chunks of this rank until the end, a failure or stop().
  void receive() {
    try {
      for (std::uint64_t has_chunk = 1; has_chunk != 0;) {
        ranks_.receive(std::as_writable_bytes(std::span(&has_chunk, 1)), 0);
        Chunk chunk;
        if (has_chunk != 0) calls_.receive(ranks_, chunk, 0);
        if (has_chunk != 0 && !own_.push({std::move(chunk), nullptr})) return;
      }
    } catch (...) {
      (void)own_.push({{}, std::current_exception()});
    }
    own_.finish();
  }

  multi::communicator& ranks_;
  functions calls_;
  bounded_queue<dealt> own_; // the chunks of this rank that have come
  std::jthread thread_;
};

} // namespace weft::files
