#include <weft/multi/communicator.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <new>
#include <numeric>
#include <stdexcept>

namespace weft::multi {

namespace {

std::uint64_t sum_of(std::span<const std::uint64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

std::span<std::byte> bytes_of(std::uint64_t& number) { return std::as_writable_bytes(std::span(&number, 1)); }

// Returns the bytes of a failure for a message to the other ranks: the code and the text.
std::string packed(const rank_failure& failure) {
  const char code = static_cast<char>(failure.code ? 1 + static_cast<int>(*failure.code) : 0);
  return std::string(1, code) + failure.message;
}

rank_failure unpacked(std::string_view bytes, int rank) {
  rank_failure failure{{}, std::string(bytes.substr(1)), rank};
  if (bytes[0] != 0) failure.code = static_cast<errc>(bytes[0] - 1);
  return failure;
}

// Calls step() on every rank. Returns the first failure of a rank, if there is one, and sets `fault` to the
// exception of this rank.
std::optional<rank_failure> failure_of(communicator& ranks, const std::function<void()>& step,
                                       std::exception_ptr& fault) {
  try {
    step();
  } catch (...) {
    fault = std::current_exception();
  }
  const auto self = static_cast<std::uint64_t>(ranks.rank()), none = static_cast<std::uint64_t>(ranks.size());
  const std::uint64_t first = reduce_number(ranks, fault ? self : none, reduction::min);
  if (first == none) return {};
  std::string text = first == self ? packed(describe_failure(fault, ranks.rank())) : "";
  broadcast_text(ranks, text, static_cast<int>(first));
  return unpacked(text, static_cast<int>(first));
}

} // namespace

rank_failure describe_failure(const std::exception_ptr& fault, int rank) {
  try {
    std::rethrow_exception(fault);
  } catch (const error& known) {
    return {known.code(), known.what(), rank};
  } catch (const std::bad_alloc&) {
    return {errc::out_of_memory, "not enough memory", rank};
  } catch (const std::exception& other) {
    return {{}, other.what(), rank};
  } catch (...) {
    return {{}, "an exception of an unknown type", rank};
  }
}

void throw_failure(const rank_failure& failure) {
  const std::string prefix = fmt::format("rank {}: ", failure.rank);
  const std::string named = failure.message.starts_with("rank ") ? failure.message : prefix + failure.message;
  if (!failure.code) throw std::runtime_error(named);
  switch (*failure.code) {
  case errc::out_of_memory:
    throw memory_error(named);
  case errc::io:
    throw io_error(failure.message);
  case errc::unavailable:
    throw unavailable_error(named);
  case errc::cancelled:
    throw cancelled_error();
  default:
    throw error(*failure.code, failure.message);
  }
}

void communicator::check_rank(int other) const {
  if (other < 0 || other >= size_)
    throw std::invalid_argument(fmt::format("there is no rank {} among {}", other, size_));
}

void communicator::count(std::uint64_t bytes) noexcept {
  ++sent_->calls;
  if (size_ > 1) sent_->bytes += bytes;
}

void communicator::barrier() {
  count(0);
  do_barrier();
}

void communicator::broadcast(std::span<std::byte> bytes, int root) {
  check_rank(root);
  count(rank_ == root ? bytes.size() : 0);
  do_broadcast(bytes, root);
}

void communicator::all_reduce(std::span<std::uint64_t> numbers, reduction how) {
  count(numbers.size_bytes());
  do_all_reduce(numbers, how);
}

void communicator::exclusive_scan(std::span<std::uint64_t> numbers) {
  count(numbers.size_bytes());
  do_exclusive_scan(numbers);
}

void communicator::all_gather(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                              std::span<std::byte> all) {
  if (sizes.size() != static_cast<std::size_t>(size_) ||
      own.size() != sizes[static_cast<std::size_t>(rank_)] || sum_of(sizes) != all.size())
    throw std::invalid_argument("all_gather: the sizes do not fit the bytes");
  count(own.size());
  do_all_gather(own, sizes, all);
}

void communicator::all_to_all(std::span<const std::byte> send, std::span<const std::uint64_t> send_sizes,
                              std::span<std::byte> receive, std::span<const std::uint64_t> receive_sizes) {
  if (sum_of(send_sizes) != send.size())
    throw std::invalid_argument("all_to_all: the sizes do not fit the bytes");
  std::vector<std::span<const std::byte>> pieces;
  for (const std::uint64_t size : send_sizes) {
    pieces.push_back(send.first(size));
    send = send.subspan(size);
  }
  all_to_all(pieces, receive, receive_sizes);
}

void communicator::count_pieces(std::span<const std::span<const std::byte>> send,
                                std::span<std::byte> receive, std::span<const std::uint64_t> receive_sizes) {
  const auto num_ranks = static_cast<std::size_t>(size_), self = static_cast<std::size_t>(rank_);
  if (send.size() != num_ranks || receive_sizes.size() != num_ranks ||
      sum_of(receive_sizes) != receive.size() || send[self].size() != receive_sizes[self])
    throw std::invalid_argument("all_to_all: the sizes do not fit the bytes");
  std::uint64_t bytes = 0;
  for (std::size_t r = 0; r < num_ranks; ++r) bytes += r == self ? 0 : send[r].size();
  count(bytes);
}

void communicator::all_to_all(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                              std::span<const std::uint64_t> receive_sizes) {
  count_pieces(send, receive, receive_sizes);
  do_all_to_all(send, receive, receive_sizes);
}

void communicator::send(std::span<const std::byte> bytes, int to) {
  check_rank(to);
  if (to == rank_) throw std::invalid_argument("a rank cannot send to itself");
  count(bytes.size());
  do_send(bytes, to);
}

void communicator::receive(std::span<std::byte> bytes, int from) {
  check_rank(from);
  if (from == rank_) throw std::invalid_argument("a rank cannot receive from itself");
  count(0);
  do_receive(bytes, from);
}

std::unique_ptr<communicator> communicator::duplicate() {
  std::unique_ptr<communicator> copy = do_duplicate();
  copy->sent_ = sent_;
  return copy;
}

void run_together(communicator& ranks, const std::function<void()>& step) {
  std::exception_ptr fault;
  const std::optional<rank_failure> failure = failure_of(ranks, step, fault);
  if (!failure) return;
  if (failure->rank == ranks.rank() && failure->code != errc::out_of_memory) std::rethrow_exception(fault);
  throw_failure(*failure);
}

void call_together(communicator& ranks, const std::function<void()>& step) {
  std::exception_ptr fault;
  if (const std::optional<rank_failure> failure = failure_of(ranks, step, fault))
    throw common_failure{*failure};
}

void broadcast_text(communicator& ranks, std::string& text, int root) {
  std::uint64_t size = text.size();
  ranks.broadcast(bytes_of(size), root);
  text.resize(size);
  ranks.broadcast(std::as_writable_bytes(std::span(text)), root);
}

void send_text(communicator& ranks, std::string_view text, int to) {
  std::uint64_t size = text.size();
  ranks.send(bytes_of(size), to);
  if (size > 0) ranks.send(std::as_bytes(std::span(text)), to);
}

std::string receive_text(communicator& ranks, int from) {
  std::uint64_t size = 0;
  ranks.receive(bytes_of(size), from);
  std::string text(size, '\0');
  if (size > 0) ranks.receive(std::as_writable_bytes(std::span(text)), from);
  return text;
}

std::vector<std::uint64_t> all_gather_number(communicator& ranks, std::uint64_t number) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks.size()));
  const std::vector<std::uint64_t> sizes(all.size(), sizeof number);
  ranks.all_gather(bytes_of(number), sizes, std::as_writable_bytes(std::span(all)));
  return all;
}

std::uint64_t reduce_number(communicator& ranks, std::uint64_t number, reduction how) {
  ranks.all_reduce({&number, 1}, how);
  return number;
}

} // namespace weft::multi
