// A communicator lets the ranks of one job exchange bytes. The ranks are processes that MPI has started
// (mpi_communicator.hpp), or threads of one process (thread_ranks.hpp).
//
//   #include <weft/multi/thread_ranks.hpp>
//   std::vector<std::uint64_t> sums(3);
//   weft::multi::run_ranks(3, [&](weft::multi::communicator& ranks) {
//     std::uint64_t number[] = {static_cast<std::uint64_t>(ranks.rank()) + 1};
//     ranks.all_reduce(number, weft::multi::reduction::sum);
//     sums[static_cast<std::size_t>(ranks.rank())] = number[0];
//   });
//   sums;                                           // == {6, 6, 6}
//
// Calls. Every rank calls the same functions in the same order, but for send() and receive(), which two ranks
// call. A call returns when its part of the exchange is complete on the calling rank. One thread at a time
// may use a communicator; threads that exchange at the same time use duplicates. Sizes are 64-bit: backends
// send long messages in pieces of less than 2 GiB.
//
// Failure. fail() ends the exchange for all: every later call on any rank, and every call that is waiting,
// throws the error that was given to the first fail(). Then the data of an interrupted exchange are
// unspecified, and no further exchange is possible with this communicator and its duplicates.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/error.hpp>

namespace weft::multi {

// The ways to reduce numbers of all ranks to one number.
enum class reduction { sum, min, max };

// What the ranks agree has gone wrong: the kind of error, its message, and the rank that met it.
struct rank_failure {
  // The kind; none for an exception that is no weft::error.
  std::optional<errc> code;
  std::string message; // what() of the exception
  int rank = 0;        // the rank that threw it
};

// Describes an exception of `rank`.
[[nodiscard]] rank_failure describe_failure(const std::exception_ptr& fault, int rank);
// Throws the error: memory_error, io_error and so on by its kind. memory_error names the rank.
[[noreturn]] void throw_failure(const rank_failure& failure);

// The calls and bytes that one rank has sent with one communicator and its duplicates. A collective call
// counts the bytes that this rank contributes for each other rank that needs them: broadcast, all_gather and
// the reductions count them once, all_to_all counts what goes to other ranks.
struct traffic {
  std::uint64_t calls = 0; // functions that were called
  std::uint64_t bytes = 0; // bytes that this rank gave
};

// The connection of one rank to the other ranks of a job. The functions throw what fail() was given, and
// error(errc::io) if the backend reports an error. O(latency) and, for B bytes sent or received by a rank,
// O(B) time unless stated otherwise; extra memory: that of the backend.
class communicator {
public:
  virtual ~communicator() = default;
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;

  // Returns the number of this rank, from 0 on, and the number of ranks.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  // Waits until all ranks have called it.
  void barrier();
  // Copies the bytes of rank `root` to the other ranks. All give the same size.
  void broadcast(std::span<std::byte> bytes, int root);
  // Replaces each number by the sum (modulo 2^64), minimum or maximum of the numbers of all ranks at its
  // position. All give as many numbers.
  void all_reduce(std::span<std::uint64_t> numbers, reduction how);
  // Replaces each number by the sum of those of the ranks before this one; 0 on rank 0.
  void exclusive_scan(std::span<std::uint64_t> numbers);
  // Copies `own` of every rank to `all` of every rank, in the order of the ranks. sizes[r] is the size that
  // rank r gives, and all.size() their sum. `all` must not overlap `own`.
  void all_gather(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                  std::span<std::byte> all);
  // Sends the r-th piece of `send`, of send_sizes[r] bytes, to rank r, and receives from each rank a piece of
  // receive_sizes[r] bytes; pieces follow one another without gaps in the order of the ranks. `send` and
  // `receive` must not overlap.
  void all_to_all(std::span<const std::byte> send, std::span<const std::uint64_t> send_sizes,
                  std::span<std::byte> receive, std::span<const std::uint64_t> receive_sizes);
  // Does the same with pieces that need not be contiguous: sends send[r] to rank r.
  void all_to_all(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                  std::span<const std::uint64_t> receive_sizes);
  // Sends bytes to another rank, which must call receive() with the same size. Messages between two ranks
  // arrive in their order. send() may wait for receive().
  void send(std::span<const std::byte> bytes, int to);
  void receive(std::span<std::byte> bytes, int from);
  // Returns a communicator of the same ranks whose messages are separate, for use by another thread. All
  // ranks call it together. It must not outlive this communicator.
  [[nodiscard]] std::unique_ptr<communicator> duplicate();

  // Ends all exchanges of this job with this error, unless another one was given before. Called by any rank,
  // by any thread, at any time.
  virtual void fail(const rank_failure& failure) noexcept = 0;
  // Returns the error that was given to the first fail(), as far as this rank knows.
  [[nodiscard]] virtual std::optional<rank_failure> failure() const = 0;

  // Returns what this rank has sent.
  [[nodiscard]] traffic sent() const noexcept { return {sent_->calls, sent_->bytes}; }

protected:
  // Makes the connection of rank `rank` of `size` ranks.
  communicator(int rank, int size) : rank_(rank), size_(size), sent_(std::make_shared<counters>()) {}

  // Counts the bytes of an exchange of pieces. Throws std::invalid_argument if the sizes do not fit the
  // bytes.
  void count_pieces(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                    std::span<const std::uint64_t> receive_sizes);

private:
  virtual void do_barrier() = 0;
  virtual void do_broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void do_all_reduce(std::span<std::uint64_t> numbers, reduction how) = 0;
  virtual void do_exclusive_scan(std::span<std::uint64_t> numbers) = 0;
  virtual void do_all_gather(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                             std::span<std::byte> all) = 0;
  virtual void do_all_to_all(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                             std::span<const std::uint64_t> receive_sizes) = 0;
  virtual void do_send(std::span<const std::byte> bytes, int to) = 0;
  virtual void do_receive(std::span<std::byte> bytes, int from) = 0;
  virtual std::unique_ptr<communicator> do_duplicate() = 0;
  struct counters {
    std::atomic<std::uint64_t> calls{0}, bytes{0};
  };
  void check_rank(int other) const;
  void count(std::uint64_t bytes) noexcept;

  int rank_, size_;
  std::shared_ptr<counters> sent_; // duplicates share it
};

// Calls step() on every rank, and returns when all have returned from it. If it throws on some ranks, all
// ranks throw the error of the first of them; the communicator stays usable. For steps that may fail on one
// rank alone, such as allocations and opening files: afterwards all ranks are known to be ready. step() must
// not use the communicator.
void run_together(communicator& ranks, const std::function<void()>& step);

// An error that call_together() has thrown on all ranks.
struct common_failure {
  rank_failure failure; // what the first rank has met
};
// Does the same as run_together(), but throws a common_failure. A rank that goes on after an error of step()
// can tell it from a failure of the exchange, after which the ranks cannot go on.
void call_together(communicator& ranks, const std::function<void()>& step);

// Copies a text of rank `root`, of any size, to the other ranks.
void broadcast_text(communicator& ranks, std::string& text, int root);
// Send and receive a text whose size the receiver does not know.
void send_text(communicator& ranks, std::string_view text, int to);
[[nodiscard]] std::string receive_text(communicator& ranks, int from);

// Send and receive a list of any size, whose items can be copied as bytes.
template <class Item> void send_items(communicator& ranks, const std::vector<Item>& items, int to) {
  send_text(ranks, {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item)}, to);
}
template <class Item> void receive_items(communicator& ranks, std::vector<Item>& items, int from) {
  const std::string bytes = receive_text(ranks, from);
  items.resize(bytes.size() / sizeof(Item));
  bytes.copy(reinterpret_cast<char*>(items.data()), bytes.size());
}
// Copies a list of rank 0 to the other ranks.
template <class Item> void broadcast_items(communicator& ranks, std::vector<Item>& items) {
  std::uint64_t size = items.size();
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  items.resize(size);
  ranks.broadcast(std::as_writable_bytes(std::span(items)), 0);
}

// Returns the number that each rank gives, in the order of the ranks.
[[nodiscard]] std::vector<std::uint64_t> all_gather_number(communicator& ranks, std::uint64_t number);
// Holds the texts or lists of all ranks.
template <class Items> struct gathered {
  Items items;                      // of all ranks, in the order of the ranks
  std::vector<std::uint64_t> sizes; // bytes of each rank
};
// Copies the texts or lists of all ranks to every rank.
template <class Items> gathered<Items> gather_items(communicator& ranks, const Items& own) {
  constexpr std::uint64_t bytes_of_item = sizeof(typename Items::value_type);
  gathered<Items> all{{}, all_gather_number(ranks, own.size() * bytes_of_item)};
  std::uint64_t bytes = 0;
  for (const std::uint64_t size : all.sizes) bytes += size;
  all.items.resize(bytes / bytes_of_item);
  ranks.all_gather(std::as_bytes(std::span(own)), all.sizes, std::as_writable_bytes(std::span(all.items)));
  return all;
}
// Returns the sum, minimum or maximum of a number of all ranks.
[[nodiscard]] std::uint64_t reduce_number(communicator& ranks, std::uint64_t number, reduction how);

} // namespace weft::multi
