// Checks that a sweep finishes whatever else the GPU is doing, and however many strips wait for a warp.
#include <atomic>
#include <chrono>
#include <memory>
#include <test/lcs/device_cases.hpp>
#include <test/lcs/occupant.hpp>
#include <thread>
#include <weft/base/monitor.hpp>

namespace {

using namespace weft_test;
using namespace std::chrono_literals;

// Occupies `blocks` multiprocessors, with all their shared memory, until it is released.
class occupant {
public:
  explicit occupant(int blocks) : blocks_(blocks), started_(static_cast<std::size_t>(blocks)) {
    *released_.data() = 0;
    std::fill_n(started_.data(), blocks, 0);
  }
  // Returns when all blocks run, or after some seconds.
  void start() {
    int device = 0, shared_memory = 0;
    check(cudaGetDevice(&device), "ask");
    check(cudaDeviceGetAttribute(&shared_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "ask");
    check(launch_occupant(blocks_, shared_memory, started_.data(), released_.data(), stream_.get()),
          "occupy");
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!started() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  }
  ~occupant() { release(); }
  occupant(const occupant&) = delete;
  occupant& operator=(const occupant&) = delete;
  void release() { *static_cast<volatile int*>(released_.data()) = 1; }
  [[nodiscard]] bool started() const {
    const volatile int* const first = started_.data();
    return std::count(first, first + blocks_, 1) == blocks_;
  }
  [[nodiscard]] bool running() const { return cudaStreamQuery(stream_.get()) == cudaErrorNotReady; }

private:
  int blocks_;
  weft::gpu::pinned_buffer<int> started_, released_{1};
  weft::gpu::stream stream_; // destroyed first: its destructor waits for the kernel
};

bool ends_within(cudaStream_t stream, std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

class gpu_lcs_occupied : public gpu_lcs_device_suite {
protected:
  // Fills a table of a few hundred strips once, so that everything that is loaded at its first use is loaded;
  // loading waits for running kernels.
  void SetUp() override {
    gpu_lcs_device_suite::SetUp();
    if (IsSkipped()) return;
    stream_ = std::make_unique<weft::gpu::stream>();
    std::mt19937_64 random(9);
    const std::string a = random_symbols(random, 700000, 4), b = random_symbols(random, 300000, 4);
    expected_ = expected_value(a, b, lcs_metric::lcs);
    call_ = std::make_unique<value_call>(a, b, 4, lcs_metric::lcs, stream_->get());
    call_->enqueue();
    ASSERT_EQ(call_->wait(), expected_);
    occupant first(1);
    first.start();
    ASSERT_TRUE(first.started());
    first.release();
    call_->spoil_storage();
    check(cudaStreamSynchronize(stream_->get()), "wait");
  }
  std::unique_ptr<weft::gpu::stream> stream_; // declared before the buffers that are allocated in it
  std::uint64_t expected_ = 0;
  std::unique_ptr<value_call> call_;
};

// Checks that the sweep runs on the remaining multiprocessors.
TEST_F(gpu_lcs_occupied, all_multiprocessors_but_some) {
  for (const int left : {1, 2, multiprocessors() / 2}) {
    occupant other(multiprocessors() - left);
    other.start();
    ASSERT_TRUE(other.started());
    call_->enqueue();
    const bool ended = ends_within(stream_->get(), 60s);
    const bool beside = other.running();
    other.release();
    EXPECT_TRUE(ended && beside) << left << " multiprocessors were left";
    EXPECT_EQ(call_->wait(), expected_);
  }
}

// Checks that the sweep waits for the first free multiprocessor.
TEST_F(gpu_lcs_occupied, all_multiprocessors) {
  occupant other(multiprocessors());
  other.start();
  ASSERT_TRUE(other.started());
  call_->enqueue();
  EXPECT_FALSE(ends_within(stream_->get(), 300ms));
  other.release();
  EXPECT_EQ(call_->wait(), expected_);
}

// Starts the other kernel while the sweep runs; it then takes the multiprocessors that become free.
TEST_F(gpu_lcs_occupied, another_kernel_behind) {
  occupant other(multiprocessors() - 1);
  call_->enqueue();
  other.start();
  EXPECT_TRUE(ends_within(stream_->get(), 60s));
  EXPECT_TRUE(other.running());
  other.release();
  EXPECT_EQ(call_->wait(), expected_);
}

// Checks that a table that has not begun counts no progress, and that it can be cancelled.
TEST_F(gpu_lcs_occupied, no_progress_before_the_start) {
  std::mt19937_64 random(11);
  const std::string a = random_symbols(random, 500000, 4), b = random_symbols(random, 400000, 4);
  for (const bool cancelled : {false, true}) {
    weft::task_monitor monitor;
    std::atomic<int> step = 0;
    std::uint64_t value = 0;
    bool thrown = false;
    std::thread caller([&] {
      weft::lcs_options options = with("systolic", lcs_metric::lcs);
      // loads and keeps the buffers that later calls of this thread need
      value = weft::lcs_value(a, b, options);
      step = 1;
      while (step == 1) std::this_thread::sleep_for(1ms);
      options.run.monitor = &monitor;
      try {
        value -= weft::lcs_value(a, b, options);
      } catch (const weft::cancelled_error&) {
        thrown = true;
      }
    });
    while (step == 0) std::this_thread::sleep_for(1ms);
    occupant other(multiprocessors());
    other.start();
    EXPECT_TRUE(other.started());
    step = 2;
    std::this_thread::sleep_for(500ms);
    EXPECT_EQ(monitor.done(), 0U);
    if (cancelled) monitor.cancel();
    std::this_thread::sleep_for(50ms);
    other.release();
    caller.join();
    EXPECT_EQ(thrown, cancelled);
    if (!cancelled) {
      EXPECT_EQ(value, 0U);
      EXPECT_EQ(monitor.done(), monitor.total());
    }
  }
}

// Checks strips with carries, of at most 16384 rows; a multiprocessor holds at most 16 warps.
TEST_F(gpu_lcs_device_suite, more_strips_than_resident_warps) {
  const weft::gpu::stream stream;
  std::mt19937_64 random(10);
  const std::size_t strips = static_cast<std::size_t>(multiprocessors()) * 16 + 300;
  const std::string a = random_symbols(random, strips * 16384 + 5, 4), b = random_symbols(random, 3000, 4);
  for (const lcs_metric metric : metrics) {
    value_call call(a, b, 4, metric, stream.get());
    call.enqueue();
    EXPECT_EQ(call.wait(), expected_value(a, b, metric));
  }
}

} // namespace
