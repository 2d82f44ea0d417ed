// Every operation is started and then tested until it is complete, so that a rank that waits also notices a
// failure of another rank. Long messages go in pieces.
#include <weft/multi/mpi_communicator.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sched.h>
#include <utility>

namespace weft::multi_detail {

using multi::communicator;
using multi::rank_failure;
using multi::reduction;
using namespace std::chrono_literals;

namespace {

constexpr int data_tag = 0;

class mpi_communicator final : public communicator {
public:
  mpi_communicator(const mpi_functions& mpi, mpi_comm* comm, int rank, int size, std::uint64_t max_piece,
                   std::shared_ptr<mpi_control> control)
      : communicator(rank, size), mpi_(mpi), comm_(comm), max_piece_(max_piece),
        control_(std::move(control)) {}
  ~mpi_communicator() override {
    if (!control_->has_failed()) mpi_.release(comm_); // otherwise operations may not have ended
  }

  void fail(const rank_failure& failure) noexcept override { control_->fail(failure); }
  [[nodiscard]] std::optional<rank_failure> failure() const override { return control_->failure(); }

private:
  // Starts an operation and waits until it is complete.
  template <class Start> void complete(const char* call, const Start& start) {
    control_->check_before_exchange();
    mpi_request* request = nullptr;
    check_mpi(mpi_, start(&request), call);
    wait(request, call);
  }

  // Tests more and more rarely, so that ranks that wait leave the processor to those that work.
  void wait(mpi_request* request, const char* call) {
    constexpr int num_busy_tests = 200;
    constexpr auto max_pause = 500us;
    std::chrono::microseconds pause = 1us;
    for (int tests = 0;; ++tests) {
      bool done = false;
      check_mpi(mpi_, mpi_.test(request, &done), call);
      if (done) return control_->check();
      if (control_->all_know_failure()) {
        mpi_.drop(request);
        control_->check();
      }
      if (tests < num_busy_tests) {
        ::sched_yield();
        continue;
      }
      std::this_thread::sleep_for(pause);
      pause = std::min<std::chrono::microseconds>(2 * pause, max_pause);
    }
  }

  // Calls each(offset, count) for the pieces of `size` bytes.
  template <class Each> void for_each_piece(std::uint64_t size, const Each& each) const {
    for (std::uint64_t at = 0; at < size; at += max_piece_)
      each(at, static_cast<int>(std::min(max_piece_, size - at)));
  }

  void do_barrier() override {
    complete("MPI_Ibarrier", [&](mpi_request** request) { return mpi_.barrier(comm_, request); });
  }

  void do_broadcast(std::span<std::byte> bytes, int root) override {
    for_each_piece(bytes.size(), [&](std::uint64_t at, int count) {
      complete("MPI_Ibcast", [&](mpi_request** request) {
        return mpi_.broadcast(comm_, bytes.data() + at, count, root, request);
      });
    });
  }

  // Minima and maxima are those of signed numbers in the same order, because MPICH 4.0 compares all numbers
  // as signed ones, also those of an unsigned type.
  void do_all_reduce(std::span<std::uint64_t> numbers, reduction how) override {
    const int code = how == reduction::sum ? 0 : how == reduction::min ? 1 : 2;
    const auto change_sign = [&] {
      for (std::uint64_t& number : numbers) number ^= std::uint64_t{1} << 63;
    };
    if (how != reduction::sum) change_sign();
    for_each_number(numbers, [&](std::uint64_t* first, int count) {
      complete("MPI_Iallreduce",
               [&](mpi_request** request) { return mpi_.all_reduce(comm_, first, count, code, request); });
    });
    if (how != reduction::sum) change_sign();
  }

  void do_exclusive_scan(std::span<std::uint64_t> numbers) override {
    for_each_number(numbers, [&](std::uint64_t* first, int count) {
      complete("MPI_Iexscan",
               [&](mpi_request** request) { return mpi_.exclusive_scan(comm_, first, count, request); });
    });
    if (rank() == 0) std::fill(numbers.begin(), numbers.end(), 0); // MPI leaves them undefined
  }

  template <class Each> void for_each_number(std::span<std::uint64_t> numbers, const Each& each) const {
    const std::uint64_t max_numbers = std::max<std::uint64_t>(1, max_piece_ / sizeof(std::uint64_t));
    for (std::uint64_t at = 0; at < numbers.size(); at += max_numbers)
      each(numbers.data() + at, static_cast<int>(std::min(max_numbers, numbers.size() - at)));
  }

  // Results that are too long for one call are broadcast by one rank after another.
  void do_all_gather(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                     std::span<std::byte> all) override {
    if (all.size() <= max_piece_) {
      std::vector<int> counts, offsets;
      std::uint64_t at = 0;
      for (const std::uint64_t size : sizes) {
        counts.push_back(static_cast<int>(size));
        offsets.push_back(static_cast<int>(at));
        at += size;
      }
      return complete("MPI_Iallgatherv", [&](mpi_request** request) {
        return mpi_.all_gather(comm_, own.data(), static_cast<int>(own.size()), all.data(), counts.data(),
                               offsets.data(), request);
      });
    }
    std::uint64_t at = 0;
    for (int root = 0; root < size(); ++root) {
      const std::span<std::byte> piece = all.subspan(at, sizes[static_cast<std::size_t>(root)]);
      if (root == rank()) std::copy(own.begin(), own.end(), piece.begin());
      do_broadcast(piece, root);
      at += piece.size();
    }
  }

  // In step s, each rank sends to the rank s after it and receives from the rank s before it.
  void do_all_to_all(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                     std::span<const std::uint64_t> receive_sizes) override {
    const auto num_ranks = static_cast<std::size_t>(size()), self = static_cast<std::size_t>(rank());
    std::vector<std::span<std::byte>> in;
    for (const std::uint64_t size : receive_sizes) {
      in.push_back(receive.first(size));
      receive = receive.subspan(size);
    }
    std::copy(send[self].begin(), send[self].end(), in[self].begin());
    for (std::size_t step = 1; step < num_ranks; ++step) {
      const std::size_t to = (self + step) % num_ranks, from = (self + num_ranks - step) % num_ranks;
      exchange(send[to], static_cast<int>(to), in[from], static_cast<int>(from));
    }
  }

  // Sends and receives at the same time, piece by piece.
  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) {
    control_->check_before_exchange();
    for (std::uint64_t at = 0; at < std::max(out.size(), in.size()); at += max_piece_) {
      mpi_request *sending = nullptr, *receiving = nullptr;
      if (at < in.size())
        check_mpi(mpi_,
                  mpi_.receive(comm_, in.data() + at, static_cast<int>(std::min(max_piece_, in.size() - at)),
                               from, data_tag, &receiving),
                  "MPI_Irecv");
      if (at < out.size())
        check_mpi(mpi_,
                  mpi_.send(comm_, out.data() + at, static_cast<int>(std::min(max_piece_, out.size() - at)),
                            to, data_tag, &sending),
                  "MPI_Isend");
      if (receiving != nullptr) wait(receiving, "MPI_Irecv");
      if (sending != nullptr) wait(sending, "MPI_Isend");
    }
  }

  void do_send(std::span<const std::byte> bytes, int to) override {
    for_each_piece(bytes.size(), [&](std::uint64_t at, int count) {
      complete("MPI_Isend", [&](mpi_request** request) {
        return mpi_.send(comm_, bytes.data() + at, count, to, data_tag, request);
      });
    });
  }

  void do_receive(std::span<std::byte> bytes, int from) override {
    for_each_piece(bytes.size(), [&](std::uint64_t at, int count) {
      complete("MPI_Irecv", [&](mpi_request** request) {
        return mpi_.receive(comm_, bytes.data() + at, count, from, data_tag, request);
      });
    });
  }

  std::unique_ptr<communicator> do_duplicate() override {
    do_barrier(); // MPI_Comm_dup cannot be interrupted: all ranks must be on their way
    mpi_comm* copy = nullptr;
    check_mpi(mpi_, mpi_.duplicate(comm_, &copy), "MPI_Comm_dup");
    return std::make_unique<mpi_communicator>(mpi_, copy, rank(), size(), max_piece_, control_);
  }

  const mpi_functions& mpi_;
  mpi_comm* comm_;
  std::uint64_t max_piece_;
  std::shared_ptr<mpi_control> control_;
};

} // namespace

void check_mpi(const mpi_functions& mpi, int code, const char* call) {
  if (code == 0) return;
  std::array<char, 512> text{};
  mpi.describe(code, text.data(), static_cast<int>(text.size()));
  throw io_error(fmt::format("{} failed: {}", call, text.data()));
}

std::unique_ptr<communicator> make_mpi_communicator(const mpi_functions& mpi, mpi_comm* comm,
                                                    const multi::mpi_options& options,
                                                    std::shared_ptr<mpi_control>& control) {
  int rank = 0, size = 1;
  check_mpi(mpi, mpi.rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(mpi, mpi.size(comm, &size), "MPI_Comm_size");
  mpi_comm* control_comm = nullptr;
  check_mpi(mpi, mpi.duplicate(comm, &control_comm), "MPI_Comm_dup");
  control = std::make_shared<mpi_control>(mpi, control_comm, options);
  return std::make_unique<mpi_communicator>(mpi, comm, rank, size, options.max_message_bytes, control);
}

} // namespace weft::multi_detail
