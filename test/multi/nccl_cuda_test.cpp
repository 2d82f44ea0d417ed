// Tests the exchange of bytes between GPUs, and the sort of the numbers of several GPUs. Needs two GPUs and
// NCCL.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <string>
#include <test/base/gpu_suite.hpp>
#include <thread>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/error.hpp>
#include <weft/multi/nccl.hpp>
#include <weft/sort/sort.hpp>

namespace weft::test {

namespace {

using multi::gpu_rank;

class gpu_nccl : public gpu_suite {
protected:
  void SetUp() override {
    gpu_suite::SetUp();
    if (IsSkipped()) return;
    for (const gpu_info& each : known_gpus().devices) gpus_.push_back(each.index);
    if (gpus_.size() < 2) GTEST_SKIP() << "there is one GPU";
    try {
      multi::run_on_gpus(gpus_, [](gpu_rank&) {});
    } catch (const unavailable_error& fault) {
      GTEST_SKIP() << fault.what();
    }
  }
  std::vector<int> gpus_;
};

// Returns `size` bytes that depend on who sends them to whom.
std::vector<std::byte> message(int from, int to, std::uint64_t size) {
  std::vector<std::byte> bytes(size);
  for (std::uint64_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>(i * 7 + static_cast<std::uint64_t>(from) * 31 +
                                      static_cast<std::uint64_t>(to) * 101);
  return bytes;
}

gpu::device_buffer<std::byte> on_device(const std::vector<std::byte>& bytes, const gpu_rank& own) {
  return gpu::uploaded(std::span<const std::byte>(bytes), own.stream, "copy a message");
}
std::vector<std::byte> on_host(const gpu::device_buffer<std::byte>& bytes, const gpu_rank& own) {
  return gpu::downloaded(bytes.data(), bytes.size(), own.stream, "copy a message");
}
std::span<std::byte> span_of(const gpu::device_buffer<std::byte>& bytes) {
  return {bytes.data(), bytes.size()};
}

TEST_F(gpu_nccl, bytes_arrive) {
  multi::run_on_gpus(gpus_, [](gpu_rank& own) {
    const int ranks = own.control.size(), self = own.control.rank();
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000003}}) {
      const auto sent = on_device(message(self, 0, size), own);
      for (int root = 0; root < ranks; ++root) {
        const auto copy = on_device(message(self, 0, size), own);
        own.device.broadcast(span_of(copy), root);
        EXPECT_EQ(on_host(copy, own), message(root, 0, size));
      }
      const int next = (self + 1) % ranks, before = (self + ranks - 1) % ranks;
      const gpu::device_buffer<std::byte> received(size, own.stream);
      if (self % 2 == 0) {
        own.device.send(span_of(sent), next);
        own.device.receive(span_of(received), before);
      } else {
        own.device.receive(span_of(received), before);
        own.device.send(span_of(sent), next);
      }
      if (ranks % 2 == 0) {
        EXPECT_EQ(on_host(received, own), message(before, 0, size));
      }
    }
  });
}

TEST_F(gpu_nccl, pieces_of_all_sizes_are_exchanged) {
  multi::run_on_gpus(gpus_, [](gpu_rank& own) {
    const int ranks = own.control.size(), self = own.control.rank();
    const auto size = [](int from, int to) {
      return static_cast<std::uint64_t>((from * 5 + to * 3) % 4) * 12345;
    };
    std::vector<std::byte> send, expected, all_expected;
    std::vector<std::uint64_t> send_sizes, receive_sizes, gather_sizes;
    for (int other = 0; other < ranks; ++other) {
      const auto out = message(self, other, size(self, other)), in = message(other, self, size(other, self)),
                 own_part = message(other, 99, size(other, 0));
      send.insert(send.end(), out.begin(), out.end());
      expected.insert(expected.end(), in.begin(), in.end());
      all_expected.insert(all_expected.end(), own_part.begin(), own_part.end());
      send_sizes.push_back(out.size());
      receive_sizes.push_back(in.size());
      gather_sizes.push_back(own_part.size());
    }
    const auto d_send = on_device(send, own);
    const gpu::device_buffer<std::byte> d_received(expected.size(), own.stream);
    own.device.all_to_all(span_of(d_send), send_sizes, span_of(d_received), receive_sizes);
    EXPECT_EQ(on_host(d_received, own), expected);
    const auto d_own = on_device(message(self, 99, size(self, 0)), own);
    const gpu::device_buffer<std::byte> d_all(all_expected.size(), own.stream);
    own.device.all_gather(span_of(d_own), gather_sizes, span_of(d_all));
    EXPECT_EQ(on_host(d_all, own), all_expected);
    std::uint64_t numbers[] = {static_cast<std::uint64_t>(self) + 1};
    own.device.all_reduce(numbers, multi::reduction::sum);
    EXPECT_EQ(numbers[0], static_cast<std::uint64_t>(ranks * (ranks + 1) / 2));
  });
}

// The numbers of each rank.
template <class T> using number_parts = std::vector<std::vector<T>>;

// Sorts each of the cases on all ranks, and expects what one sort of all numbers makes of them.
template <class T> void expect_sorted(const std::vector<int>& gpus, std::vector<number_parts<T>> cases) {
  const auto joined = [](const number_parts<T>& parts) {
    std::vector<T> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  std::vector<std::vector<T>> expected;
  for (const number_parts<T>& parts : cases) {
    expected.push_back(joined(parts));
    weft::sort(std::span(expected.back()));
  }
  multi::run_on_gpus(gpus, [&](gpu_rank& own) {
    for (number_parts<T>& parts : cases) {
      std::vector<T>& part = parts[static_cast<std::size_t>(own.control.rank())];
      const auto d_items = gpu::uploaded(std::span<const T>(part), own.stream, "copy numbers");
      multi::sort(own, d_items.data(), part.size());
      part = gpu::downloaded(d_items.data(), part.size(), own.stream, "copy numbers");
    }
  });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::vector<T> found = joined(cases[i]);
    ASSERT_EQ(found.size(), expected[i].size());
    EXPECT_EQ(std::memcmp(found.data(), expected[i].data(), found.size() * sizeof(T)), 0) << i;
  }
}

template <class T> void expect_all_kinds_sorted(const std::vector<int>& gpus) {
  std::mt19937_64 random(sizeof(T));
  const auto made = [&](std::uint64_t n, const auto& value) {
    number_parts<T> parts(gpus.size());
    std::uint64_t i = 0;
    for (auto& part : parts)
      for (std::uint64_t k = 0; k < n; ++k) part.push_back(static_cast<T>(value(i++)));
    return parts;
  };
  std::vector<number_parts<T>> cases;
  for (const std::uint64_t n : {0, 1, 2, 1000, 300007}) {
    cases.push_back(made(n, [&](std::uint64_t) { return random(); }));
    cases.push_back(made(n, [&](std::uint64_t) { return 7; }));
    cases.push_back(made(n, [&](std::uint64_t) { return random() % 2; }));
    cases.push_back(made(n, [&](std::uint64_t i) { return i; }));
    cases.push_back(made(n, [&](std::uint64_t i) { return 4000000 - i; }));
    auto uneven = made(n, [&](std::uint64_t) { return random(); });
    for (std::size_t r = 1; r < uneven.size(); ++r) uneven[r].clear(); // all items on one rank
    cases.push_back(uneven);
    std::swap(uneven.front(), uneven.back());
    cases.push_back(uneven);
  }
  expect_sorted<T>(gpus, cases);
}

TEST_F(gpu_nccl, numbers_of_all_gpus_are_sorted) {
  expect_all_kinds_sorted<std::uint32_t>(gpus_);
  expect_all_kinds_sorted<std::uint64_t>(gpus_);
  expect_all_kinds_sorted<std::int32_t>(gpus_);
  expect_all_kinds_sorted<std::int64_t>(gpus_);
  expect_all_kinds_sorted<float>(gpus_);
  expect_all_kinds_sorted<double>(gpus_);
}

TEST_F(gpu_nccl, every_item_travels_once) {
  constexpr std::uint64_t n = std::uint64_t{1} << 22;
  std::atomic<std::uint64_t> sent{0};
  multi::run_on_gpus(gpus_, [&](gpu_rank& own) {
    std::mt19937_64 random(static_cast<std::uint64_t>(own.control.rank()));
    std::vector<std::uint64_t> part(n);
    for (std::uint64_t& each : part) each = random();
    const auto d_items = gpu::uploaded(std::span<const std::uint64_t>(part), own.stream, "copy numbers");
    multi::sort(own, d_items.data(), n);
    sent += own.device.sent().bytes;
  });
  const auto ranks = static_cast<double>(gpus_.size());
  EXPECT_NEAR(static_cast<double>(sent), ranks * n * 8 * (ranks - 1) / ranks, 0.02 * ranks * n * 8);
}

TEST_F(gpu_nccl, a_rank_that_throws_ends_all) {
  std::atomic<int> failed{0};
  const auto begin = std::chrono::steady_clock::now();
  try {
    multi::run_on_gpus(gpus_, [&](gpu_rank& own) {
      if (own.control.rank() == 1) throw error(errc::invalid_input, "bad item");
      const gpu::device_buffer<std::byte> bytes(1 << 20, own.stream);
      try {
        own.device.broadcast(span_of(bytes), 1);
      } catch (const error& fault) {
        if (fault.what() == std::string("bad item")) ++failed;
        throw;
      }
    });
    FAIL() << "nothing was thrown";
  } catch (const error& fault) {
    EXPECT_STREQ(fault.what(), "bad item");
  }
  EXPECT_EQ(failed, static_cast<int>(gpus_.size()) - 1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  expect_sorted<std::uint32_t>(gpus_, {number_parts<std::uint32_t>(gpus_.size(), {3, 1, 2})});
}

TEST_F(gpu_nccl, a_rank_that_stalls_ends_all_after_the_longest_wait) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(multi::run_on_gpus(gpus_,
                                  [&](gpu_rank& own) {
                                    const gpu::device_buffer<std::byte> bytes(1 << 20, own.stream);
                                    if (own.control.rank() == 1)
                                      while (!own.control.failure())
                                        std::this_thread::sleep_for(std::chrono::milliseconds(10));
                                    own.device.broadcast(span_of(bytes), 1);
                                  },
                                  {.max_wait = std::chrono::milliseconds(500)}),
               error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

} // namespace

} // namespace weft::test
