// Tests buffers and streams of a GPU. They are compiled if there is a CUDA toolkit, and skipped if there is
// no GPU.
#if defined(WEFT_TEST_CUDA)
#include <algorithm>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <test/base/gpu_suite.hpp>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/base/error.hpp>

namespace {

using weft::gpu::check;
using weft::gpu::device_buffer;
using weft::gpu::pinned_buffer;

class gpu_memory : public weft::test::gpu_suite {
protected:
  void SetUp() override {
    gpu_suite::SetUp();
    if (!IsSkipped()) check(cudaSetDevice(gpu_.index), "select the GPU");
  }
};

TEST_F(gpu_memory, copies_there_and_back) {
  const weft::gpu::stream work;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000003}}) {
    pinned_buffer<std::uint64_t> from(count), to(count);
    std::iota(from.data(), from.data() + count, std::uint64_t{7});
    std::fill(to.data(), to.data() + count, 0);
    const device_buffer<std::uint64_t> first =
        weft::gpu::uploaded(std::span<const std::uint64_t>(from.data(), count), work.get(), "copy");
    const device_buffer<std::uint64_t> second(count, work.get());
    EXPECT_EQ(first.size(), count);
    EXPECT_EQ(first.bytes(), 8 * count);
    EXPECT_NE(first.data(), second.data());
    weft::gpu::copy(second.data(), first.data(), count, work.get(), "copy");
    weft::gpu::copy(to.data(), second.data(), count, work.get(), "copy");
    work.wait();
    EXPECT_TRUE(std::equal(from.data(), from.data() + count, to.data()));
  }
}

TEST_F(gpu_memory, copies_nothing) {
  const weft::gpu::stream work;
  EXPECT_NO_THROW(weft::gpu::copy<int>(nullptr, nullptr, 0, work.get(), "copy nothing"));
  EXPECT_EQ(weft::gpu::uploaded(std::span<const int>(), work.get(), "copy nothing").size(), 0U);
}

TEST_F(gpu_memory, moves) {
  const weft::gpu::stream work;
  device_buffer<int> a(100, work.get());
  int* const address = a.data();
  device_buffer<int> b(std::move(a));
  EXPECT_EQ(b.data(), address);
  device_buffer<int> c(7, work.get());
  c = std::move(b);
  EXPECT_EQ(c.data(), address);
  EXPECT_EQ(c.size(), 100U);
  pinned_buffer<int> p(5), q;
  int* const pinned = p.data();
  q = std::move(p);
  EXPECT_EQ(q.data(), pinned);
  EXPECT_EQ(q.size(), 5U);
}

TEST_F(gpu_memory, free_memory_counts_what_the_pool_keeps) {
  const weft::gpu::stream work;
  constexpr std::uint64_t size = 64 << 20, slack = 8 << 20;
  { const device_buffer<char> warm(size, work.get()); }
  work.wait();
  const std::uint64_t before = weft::gpu::free_device_memory();
  {
    const device_buffer<char> held(size, work.get());
    work.wait();
    EXPECT_LE(weft::gpu::free_device_memory() + size, before + slack);
  }
  work.wait();
  EXPECT_GE(weft::gpu::free_device_memory() + slack, before);
}

TEST_F(gpu_memory, too_much_is_a_memory_error) {
  const weft::gpu::stream work;
  EXPECT_THROW(device_buffer<char>(std::size_t{1} << 50, work.get()), weft::memory_error);
  EXPECT_NO_THROW(device_buffer<char>(1, work.get())); // the error does not stick
  work.wait();
}

TEST_F(gpu_memory, staged_copies_of_any_size_on_any_number_of_threads) {
  using weft::gpu::staged_copy;
  const weft::gpu::stream work;
  staged_copy staging(gpu_.index);
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{1}, staged_copy::piece_bytes - 1, staged_copy::piece_bytes,
        5 * staged_copy::piece_bytes + 77, 40 * staged_copy::piece_bytes})
    for (const int threads : {0, 1, 3, 20}) {
      std::vector<char> from(bytes), to(bytes);
      for (std::uint64_t i = 0; i < bytes; ++i) from[i] = static_cast<char>(i * 0x9E3779B97F4A7C15ULL >> 56);
      const device_buffer<char> d_bytes(bytes, work.get());
      std::atomic<std::uint64_t> num_bytes{0};
      staging.to_device(d_bytes.data(), from.data(), bytes, work.get(), threads,
                        [&](std::uint64_t size) { num_bytes += size; });
      EXPECT_EQ(num_bytes, bytes);
      num_bytes = 0;
      staging.from_device(d_bytes.data(), bytes, work.get(), threads,
                          [&](std::uint64_t at, std::span<const std::byte> piece) {
                            std::memcpy(to.data() + at, piece.data(), piece.size());
                            num_bytes += piece.size();
                          });
      EXPECT_EQ(num_bytes, bytes);
      EXPECT_TRUE(from == to) << bytes << ", " << threads;
    }
}

TEST_F(gpu_memory, staged_copies_of_one_thread_come_in_order) {
  constexpr std::uint64_t bytes = 9 * weft::gpu::staged_copy::piece_bytes + 5;
  const weft::gpu::stream work;
  weft::gpu::staged_copy staging(gpu_.index);
  const device_buffer<char> d_bytes(bytes, work.get());
  std::uint64_t next = 0;
  staging.from_device(d_bytes.data(), bytes, work.get(), 1,
                      [&](std::uint64_t at, std::span<const std::byte> piece) {
                        EXPECT_EQ(at, next);
                        next = at + piece.size();
                      });
  EXPECT_EQ(next, bytes);
}

TEST_F(gpu_memory, what_is_thrown_ends_a_staged_copy) {
  constexpr std::uint64_t bytes = 50 * weft::gpu::staged_copy::piece_bytes;
  const weft::gpu::stream work;
  weft::gpu::staged_copy staging(gpu_.index);
  std::vector<char> here(bytes);
  const device_buffer<char> d_bytes(bytes, work.get());
  std::atomic<int> calls{0};
  const auto fail = [&] {
    ++calls;
    throw weft::cancelled_error();
  };
  EXPECT_THROW(staging.to_device(d_bytes.data(), here.data(), bytes, work.get(), 2, [&](auto) { fail(); }),
               weft::cancelled_error);
  EXPECT_THROW(staging.from_device(d_bytes.data(), bytes, work.get(), 2, [&](auto, auto) { fail(); }),
               weft::cancelled_error);
  EXPECT_LE(calls, 4);
  work.wait();
}

TEST_F(gpu_memory, scope_restores_the_device) {
  int before = -1, after = -1;
  check(cudaGetDevice(&before), "ask");
  for (const weft::gpu_info& gpu : weft::known_gpus().devices) {
    const weft::gpu::device_scope scope(gpu.index);
    int inside = -1;
    check(cudaGetDevice(&inside), "ask");
    EXPECT_EQ(inside, gpu.index);
  }
  check(cudaGetDevice(&after), "ask");
  EXPECT_EQ(after, before);
  EXPECT_THROW(weft::gpu::device_scope(9999), weft::device_error);
  (void)weft::list_gpus();
  check(cudaGetDevice(&after), "ask");
  EXPECT_EQ(after, before);
}

} // namespace
#endif
