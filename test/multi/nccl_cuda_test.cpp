// Tests the exchange of bytes between GPUs, and the sort of the numbers of several GPUs. Needs two GPUs and
// NCCL.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <test/base/gpu_suite.hpp>
#include <thread>
#include <type_traits>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/error.hpp>
#include <weft/multi/nccl.hpp>
#include <weft/sort/core/ordered_bits.hpp>

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

TEST_F(gpu_nccl, exchanges_follow_one_another_in_the_stream) {
  multi::run_on_gpus(gpus_, [](gpu_rank& own) {
    const int ranks = own.control.size(), self = own.control.rank();
    constexpr std::uint64_t size = 100003;
    std::vector<gpu::device_buffer<std::byte>> sent, received;
    gpu::event done;
    for (int i = 0; i < 5; ++i) { // each exchange sends what the exchange before it has received
      if (i == 0) sent.push_back(on_device(message(self, 0, size), own));
      received.emplace_back(size, own.stream);
      std::vector<std::span<const std::byte>> pieces(static_cast<std::size_t>(ranks));
      std::vector<std::uint64_t> sizes(pieces.size());
      pieces[static_cast<std::size_t>((self + 1) % ranks)] =
          span_of(i == 0 ? sent[0] : received[received.size() - 2]);
      sizes[static_cast<std::size_t>((self + ranks - 1) % ranks)] = size;
      own.device.enqueue_all_to_all(pieces, span_of(received.back()), sizes);
      done.record(own.stream);
    }
    own.device.wait_for(done);
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(on_host(received[static_cast<std::size_t>(i)], own),
                message((self + (i + 1) * (ranks - 1)) % ranks, 0, size))
          << "rank " << self << ", exchange " << i;
  });
}

// The numbers of each rank.
template <class T> using number_parts = std::vector<std::vector<T>>;

template <class T> struct sort_case {
  std::string name;
  number_parts<T> parts;
};

template <class T> std::vector<T> joined(const number_parts<T>& parts) {
  std::vector<T> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// How a case is sorted: in groups of at least so many bytes, with the sizes that parts have, or natural ones.
struct sort_variant {
  std::uint64_t min_group_bytes;
  multi::sizes wanted;

  [[nodiscard]] std::string name() const {
    return std::string(wanted == multi::sizes::natural ? "natural sizes" : "kept sizes") + ", groups of " +
           std::to_string(min_group_bytes) + " bytes or more";
  }
};
constexpr std::uint64_t default_group = multi::gpu_sort_options().min_group_bytes;
constexpr std::uint64_t large_group = std::uint64_t{1} << 26;
// Groups of one byte or more: 16 groups, also of parts of a single number.
constexpr sort_variant all_variants[] = {{default_group, multi::sizes::keep},
                                         {1, multi::sizes::keep},
                                         {default_group, multi::sizes::natural},
                                         {1, multi::sizes::natural}};

// Sorts the part of a rank, and returns what it is afterwards.
template <class T>
std::vector<T> sorted_part(gpu_rank& own, const std::vector<T>& part, const sort_variant& variant) {
  auto items = gpu::uploaded(std::span<const T>(part), own.stream, "copy numbers");
  const multi::gpu_sort_options options{.min_group_bytes = variant.min_group_bytes};
  if (variant.wanted == multi::sizes::natural)
    multi::sort(own, items, multi::sizes::natural, options);
  else
    multi::sort(own, items.data(), items.size(), options);
  return gpu::downloaded(items.data(), items.size(), own.stream, "copy numbers");
}

// Expects the parts, one after another, to be the sorted numbers, and says where the first wrong one is.
template <class T>
void expect_same(const number_parts<T>& found, const std::vector<T>& expected, const std::string& what) {
  std::string sizes;
  for (const auto& part : found) sizes += " " + std::to_string(part.size());
  const std::vector<T> all = joined(found);
  ASSERT_EQ(all.size(), expected.size()) << what << ": parts of" << sizes << " numbers";
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::memcmp(&all[i], &expected[i], sizeof(T)) != 0) {
      std::size_t wrong = 0;
      for (std::size_t k = i; k < all.size(); ++k)
        wrong += std::memcmp(&all[k], &expected[k], sizeof(T)) != 0;
      FAIL() << what << ": parts of" << sizes << " numbers; number " << i << " is " << all[i] << ", not "
             << expected[i] << "; wrong numbers: " << wrong;
    }
}

// Sorts each of the cases on all ranks in all variants, and expects what std::sort makes of the numbers of
// all ranks.
template <class T>
void expect_sorted(const std::vector<int>& gpus, const std::vector<sort_case<T>>& cases,
                   std::span<const sort_variant> variants = all_variants) {
  std::vector<std::vector<number_parts<T>>> found; // of each case and variant
  for (const sort_case<T>& each : cases)
    found.emplace_back(variants.size(), number_parts<T>(each.parts.size()));
  multi::run_on_gpus(gpus, [&](gpu_rank& own) {
    const auto self = static_cast<std::size_t>(own.control.rank());
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (std::size_t v = 0; v < variants.size(); ++v)
        found[i][v][self] = sorted_part(own, cases[i].parts[self], variants[v]);
  });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::vector<T> expected = joined(cases[i].parts);
    std::sort(expected.begin(), expected.end(), ascending());
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const std::string what = std::to_string(sizeof(T)) +
                               (std::is_floating_point_v<T> ? "-byte floats, " : "-byte integers, ") +
                               cases[i].name + ", " + variants[v].name();
      expect_same(found[i][v], expected, what);
      for (std::size_t r = 0; r < gpus.size(); ++r) {
        const std::size_t natural =
            expected.size() / gpus.size() + (r < expected.size() % gpus.size() ? 1 : 0);
        EXPECT_EQ(found[i][v][r].size(),
                  variants[v].wanted == multi::sizes::natural ? natural : cases[i].parts[r].size())
            << what << ", rank " << r;
      }
    }
  }
}

template <class T> std::vector<sort_case<T>> all_cases(std::size_t num_ranks) {
  std::mt19937_64 random(sizeof(T));
  std::vector<sort_case<T>> cases;
  // Adds a case whose rank r has sizes[r] numbers; value(i) is the number at i.
  const auto add = [&](const std::string& name, const std::vector<std::uint64_t>& sizes, const auto& value) {
    number_parts<T> parts(num_ranks);
    std::uint64_t i = 0;
    for (std::size_t r = 0; r < num_ranks; ++r)
      while (parts[r].size() < sizes[r]) parts[r].push_back(static_cast<T>(value(i++)));
    cases.push_back({name + " of " + std::to_string(i), std::move(parts)});
  };
  const auto any = [&](std::uint64_t) { return random(); };
  for (const std::uint64_t n : {0, 1, 2, 1000, 300007}) {
    const std::vector<std::uint64_t> even(num_ranks, n);
    add("random", even, any);
    add("equal", even, [](std::uint64_t) { return 7; });
    add("two values", even, [&](std::uint64_t) { return random() % 2; });
    add("sorted", even, [](std::uint64_t i) { return i; });
    add("reversed", even, [](std::uint64_t i) { return 4000000 - i; });
    std::vector<std::uint64_t> sizes(num_ranks);
    sizes.front() = n;
    add("all on the first rank", sizes, any);
    std::swap(sizes.front(), sizes.back());
    add("all on the last rank", sizes, any);
    add("equal, all on the last rank", sizes, [](std::uint64_t) { return 7; });
    for (std::size_t r = 0; r < num_ranks; ++r) sizes[r] = n / (r + 1) + r;
    add("unequal sizes", sizes, any);
    add("unequal sizes, sorted", sizes, [](std::uint64_t i) { return i; });
    for (std::size_t r = 0; r < num_ranks; ++r) sizes[r] = r % 2 == 0 ? 0 : n;
    add("every second rank empty", sizes, [](std::uint64_t i) { return i * 2654435761U % 1000003; });
  }
  return cases;
}

TEST_F(gpu_nccl, numbers_of_all_gpus_are_sorted) {
  const auto expect_all_sorted = [&]<class T>(T) { expect_sorted<T>(gpus_, all_cases<T>(gpus_.size())); };
  expect_all_sorted(std::uint32_t());
  expect_all_sorted(std::uint64_t());
  expect_all_sorted(std::int32_t());
  expect_all_sorted(std::int64_t());
  expect_all_sorted(float());
  expect_all_sorted(double());
}

TEST_F(gpu_nccl, special_floats_are_sorted) {
  std::mt19937_64 random(3);
  number_parts<double> parts(gpus_.size());
  for (auto& part : parts) {
    part.resize(50000);
    for (double& each : part) {
      const std::uint64_t bits = random(); // of which some are no numbers
      std::memcpy(&each, &bits, sizeof each);
      if (bits % 5 == 0) each = bits % 2 == 0 ? 0.0 : -0.0;
    }
  }
  expect_sorted<double>(gpus_, {{"floats of any bits", parts}});
}

// Groups of the default size: some hundred MiB on each rank.
TEST_F(gpu_nccl, large_arrays_are_sorted_in_several_groups) {
  std::mt19937_64 random(4);
  const std::uint64_t n = 3 * large_group / sizeof(std::uint64_t) + 5;
  number_parts<std::uint64_t> parts(gpus_.size()), uneven(gpus_.size());
  for (std::size_t r = 0; r < parts.size(); ++r) {
    parts[r].resize(n);
    for (auto& each : parts[r]) each = random();
    uneven[r].assign(parts[r].begin(),
                     parts[r].begin() + static_cast<std::ptrdiff_t>(r == 0 ? n : n / 7 * r));
  }
  constexpr sort_variant variants[] = {{large_group, multi::sizes::keep},
                                       {std::uint64_t{1} << 24, multi::sizes::keep},
                                       {large_group, multi::sizes::natural}};
  expect_sorted<std::uint64_t>(gpus_, {{"random", parts}, {"unequal sizes", uneven}}, variants);
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

// Expects that work(rank) fails on all ranks with the error of the rank that throws one instead.
template <class Work>
void expect_failure_of_all(const std::vector<int>& gpus, int failing_rank, const Work& work) {
  std::atomic<int> failed{0};
  try {
    multi::run_on_gpus(gpus, [&](gpu_rank& own) {
      if (own.control.rank() == failing_rank) throw error(errc::invalid_input, "bad item");
      try {
        work(own);
      } catch (const error& fault) {
        if (fault.what() == std::string("bad item")) ++failed;
        throw;
      }
    });
    FAIL() << "nothing was thrown";
  } catch (const error& fault) {
    EXPECT_STREQ(fault.what(), "bad item");
  }
  EXPECT_EQ(failed, static_cast<int>(gpus.size()) - 1);
}

TEST_F(gpu_nccl, a_rank_that_throws_ends_all) {
  const auto begin = std::chrono::steady_clock::now();
  expect_failure_of_all(gpus_, 1, [](gpu_rank& own) {
    const gpu::device_buffer<std::byte> bytes(1 << 20, own.stream);
    own.device.broadcast(span_of(bytes), 1);
  });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  expect_sorted<std::uint32_t>(gpus_,
                               {{"after a failure", number_parts<std::uint32_t>(gpus_.size(), {3, 1, 2})}});
}

TEST_F(gpu_nccl, a_rank_that_throws_ends_the_sort_of_the_others) {
  expect_failure_of_all(gpus_, 0, [](gpu_rank& own) {
    gpu::device_buffer<std::uint64_t> items(1000, own.stream);
    multi::sort(own, items.data(), items.size());
  });
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
