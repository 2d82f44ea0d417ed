// Every exchange is a group of sends and receives of NCCL; a copy within the device takes the place of a
// message of a rank to itself.
#include <weft/multi/nccl.hpp>

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/multi/cuda/nccl_functions.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace weft::multi {

namespace {

using multi_detail::check_nccl;
using multi_detail::nccl;
using multi_detail::nccl_bytes;

class nccl_ranks final : public nccl_communicator {
public:
  nccl_ranks(communicator& control, ncclComm* comm, cudaStream_t stream, const nccl_options& options)
      : nccl_communicator(control.rank(), control.size()), control_(control), comm_(comm), stream_(stream),
        options_(options) {
    int count = 0, rank = 0;
    check_nccl(nccl().CommCount(comm, &count), "ncclCommCount");
    check_nccl(nccl().CommUserRank(comm, &rank), "ncclCommUserRank");
    if (count != control.size() || rank != control.rank())
      throw std::invalid_argument("the ranks of the ncclComm_t are not those of the control communicator");
  }

  void fail(const rank_failure& failure) noexcept override { control_.fail(failure); }
  [[nodiscard]] std::optional<rank_failure> failure() const override { return control_.failure(); }
  void abort() noexcept override {
    if (!has_aborted_) (void)nccl().CommAbort(comm_);
    has_aborted_ = true;
  }
  void wait_for(const weft::gpu::event& passed) override {
    wait_until([&] { return has_enqueued() && passed.has_passed(); });
  }

private:
  // Calls enqueue() between the begin and the end of a group, and waits until NCCL has enqueued its work.
  template <class Enqueue> void enqueue_group(const Enqueue& enqueue) {
    throw_if_failed();
    check_nccl(nccl().GroupStart(), "ncclGroupStart");
    enqueue();
    check_nccl(nccl().GroupEnd(), "ncclGroupEnd");
    wait_until([&] { return has_enqueued(); });
  }
  // Does the same, and waits until the stream has done the work.
  template <class Enqueue> void exchange(const Enqueue& enqueue) {
    enqueue_group(enqueue);
    done_.record(stream_);
    wait_for(done_);
  }
  void send_to(std::span<const std::byte> bytes, int to) {
    if (bytes.empty()) return;
    check_nccl(nccl().Send(bytes.data(), bytes.size(), nccl_bytes, to, comm_, stream_), "ncclSend");
  }
  void receive_from(std::span<std::byte> bytes, int from) {
    if (bytes.empty()) return;
    check_nccl(nccl().Recv(bytes.data(), bytes.size(), nccl_bytes, from, comm_, stream_), "ncclRecv");
  }
  void copy_own(std::span<const std::byte> from, std::span<std::byte> to) {
    if (from.size() != to.size()) throw std::logic_error("two ranks disagree on the size of a piece");
    if (!from.empty())
      weft::gpu::check(
          cudaMemcpyAsync(to.data(), from.data(), from.size(), cudaMemcpyDeviceToDevice, stream_),
          "copy within the GPU");
  }

  void throw_if_failed() {
    if (const std::optional<rank_failure> failed = control_.failure()) {
      abort();
      throw_failure(*failed);
    }
  }
  [[noreturn]] void end(const std::string& reason) {
    const error fault(errc::io, reason);
    control_.fail(describe_failure(std::make_exception_ptr(fault), rank()));
    abort();
    throw fault;
  }
  // Returns whether NCCL has enqueued all work.
  bool has_enqueued() {
    int result = multi_detail::nccl_success;
    check_nccl(nccl().CommGetAsyncError(comm_, &result), "ncclCommGetAsyncError");
    if (result != multi_detail::nccl_success && result != multi_detail::nccl_in_progress)
      end(fmt::format("rank {}: NCCL failed: {}", rank(), nccl().GetErrorString(result)));
    return result == multi_detail::nccl_success;
  }
  // Waits until ready(), or throws the failure of the job. Does not sleep at first, because NCCL enqueues a
  // group of a sort in less time than a thread takes to wake up.
  template <class Ready> void wait_until(const Ready& ready) {
    const auto begin = std::chrono::steady_clock::now();
    while (!ready()) {
      throw_if_failed();
      const auto waited = std::chrono::steady_clock::now() - begin;
      if (waited < std::chrono::microseconds(200)) {
        std::this_thread::yield();
        continue;
      }
      if (waited > options_.max_wait)
        end(fmt::format("rank {}: GPUs have exchanged nothing for {} ms", rank(), options_.max_wait.count()));
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  void do_barrier() override { control_.barrier(); }
  void do_all_reduce(std::span<std::uint64_t> numbers, reduction how) override {
    control_.all_reduce(numbers, how);
  }
  void do_exclusive_scan(std::span<std::uint64_t> numbers) override { control_.exclusive_scan(numbers); }

  void do_broadcast(std::span<std::byte> bytes, int root) override {
    exchange([&] {
      if (bytes.empty()) return;
      check_nccl(nccl().Broadcast(bytes.data(), bytes.data(), bytes.size(), nccl_bytes, root, comm_, stream_),
                 "ncclBroadcast");
    });
  }

  void do_all_gather(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                     std::span<std::byte> all) override {
    const std::vector<std::span<const std::byte>> pieces(static_cast<std::size_t>(size()), own);
    do_all_to_all(pieces, all, sizes);
  }

  void do_all_to_all(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                     std::span<const std::uint64_t> receive_sizes) override {
    exchange([&] { exchange_pieces(send, receive, receive_sizes); });
  }
  void do_enqueue_all_to_all(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                             std::span<const std::uint64_t> receive_sizes) override {
    enqueue_group([&] { exchange_pieces(send, receive, receive_sizes); });
  }
  void exchange_pieces(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                       std::span<const std::uint64_t> receive_sizes) {
    std::size_t at = 0;
    for (int other = 0; other < size(); ++other) {
      const auto index = static_cast<std::size_t>(other);
      const std::span<std::byte> to = receive.subspan(at, receive_sizes[index]);
      at += to.size();
      if (other == rank()) {
        copy_own(send[index], to);
      } else {
        send_to(send[index], other);
        receive_from(to, other);
      }
    }
  }

  void do_send(std::span<const std::byte> bytes, int to) override {
    exchange([&] { send_to(bytes, to); });
  }
  void do_receive(std::span<std::byte> bytes, int from) override {
    exchange([&] { receive_from(bytes, from); });
  }
  std::unique_ptr<communicator> do_duplicate() override {
    throw std::logic_error("communicators for device memory cannot be duplicated");
  }

  communicator& control_;
  ncclComm* const comm_;
  const cudaStream_t stream_;
  const nccl_options options_;
  weft::gpu::event done_;
  bool has_aborted_ = false;
};

} // namespace

std::unique_ptr<nccl_communicator> communicator_of(communicator& control, ncclComm* comm, cudaStream_t stream,
                                                   const nccl_options& options) {
  return std::make_unique<nccl_ranks>(control, comm, stream, options);
}

namespace {

// The ncclComm_t of a rank of this process.
class owned_comm {
public:
  // All ranks construct it together.
  owned_comm(communicator& control, const nccl_options& options) : options_(options) {
    multi_detail::nccl_unique_id id{};
    run_together(control, [&] {
      if (control.rank() == 0) check_nccl(nccl().GetUniqueId(&id), "ncclGetUniqueId");
    });
    control.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
    multi_detail::nccl_config config;
    check_nccl(nccl().CommInitRankConfig(&comm_, control.size(), id, control.rank(), &config),
               "ncclCommInitRankConfig");
    wait("ncclCommInitRankConfig");
  }
  // All ranks destroy theirs at the same time, unless they have been aborted.
  ~owned_comm() {
    if (is_aborted_) return;
    try {
      check_nccl(nccl().CommFinalize(comm_), "ncclCommFinalize");
      wait("ncclCommFinalize");
      (void)nccl().CommDestroy(comm_);
    } catch (const error&) {
      (void)nccl().CommAbort(comm_);
    }
  }
  owned_comm(const owned_comm&) = delete;
  owned_comm& operator=(const owned_comm&) = delete;

  [[nodiscard]] ncclComm* get() const noexcept { return comm_; }
  void set_aborted() noexcept { is_aborted_ = true; }

private:
  void wait(const char* function) const {
    const auto begin = std::chrono::steady_clock::now();
    for (int result = multi_detail::nccl_in_progress; result == multi_detail::nccl_in_progress;) {
      check_nccl(nccl().CommGetAsyncError(comm_, &result), "ncclCommGetAsyncError");
      check_nccl(result, function);
      if (std::chrono::steady_clock::now() - begin > options_.max_wait + std::chrono::seconds(60))
        throw error(errc::io, fmt::format("{} does not end", function));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  const nccl_options options_;
  ncclComm* comm_ = nullptr;
  bool is_aborted_ = false;
};

} // namespace

void run_on_gpus(std::span<const int> gpus, const std::function<void(gpu_rank& own)>& body,
                 const nccl_options& options) {
  for (const int gpu : gpus) require_device({device_kind::gpu, gpu});
  (void)nccl(); // throws if there is none
  run_ranks(static_cast<int>(gpus.size()), [&](communicator& control) {
    const weft::gpu::device_scope current(gpus[static_cast<std::size_t>(control.rank())]);
    owned_comm comm(control, options);
    // An exchange begins as soon as some blocks of a merge have ended, and not when all have begun.
    const weft::gpu::stream stream(weft::gpu::stream_priority::highest);
    const std::unique_ptr<nccl_communicator> device =
        communicator_of(control, comm.get(), stream.get(), options);
    gpu_rank own{control, *device, stream.get()};
    try {
      body(own);
      control.barrier(); // from here on, no rank fails
    } catch (...) {
      control.fail(describe_failure(std::current_exception(), control.rank()));
      device->abort();
      comm.set_aborted();
      throw;
    }
  });
}

} // namespace weft::multi
