// Checks the inverse on a GPU, from device memory and from host memory: its results equal those of the CPU,
// and it refuses the same inputs.
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <test/base/gpu_suite.hpp>
#include <thread>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/inverse/inverse.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using bwt_detail::inverse_options;

constexpr auto forms = {bwt_form::sentinel, bwt_form::rotation};

class gpu_inverse_bwt : public gpu_suite {};
class gpu_inverse_bwt_small : public gpu_inverse_bwt {};
class gpu_inverse_bwt_large : public gpu_inverse_bwt {};
class gpu_inverse_bwt_host : public gpu_inverse_bwt {};

std::uint64_t min_index(bwt_form form) { return form == bwt_form::sentinel ? 1 : 0; }

// Holds the transform's bytes in device memory, `moved` bytes after an aligned address, and a buffer for the
// text between guard bytes that must not change.
class device_inverse {
public:
  explicit device_inverse(cudaStream_t stream) : stream_(stream) {}

  // Calls call(bytes, text), which enqueues the inversion. Returns the text, or nothing if the bytes are
  // refused as no transform.
  template <class Call>
  std::optional<std::string> run(const std::string& bytes, std::size_t moved, const Call& call) {
    const std::size_t n = bytes.size(), capacity = n + 2 * guard + moved;
    if (bytes_.size() < capacity) {
      bytes_ = {capacity, stream_};
      text_ = {capacity, stream_};
    }
    unsigned char* const d_text = text_.data() + guard + moved;
    gpu::check(cudaMemsetAsync(text_.data(), untouched, capacity, stream_), "prepare");
    gpu::copy(bytes_.data() + moved, reinterpret_cast<const unsigned char*>(bytes.data()), n, stream_,
              "copy");
    try {
      call(bytes_.data() + moved, d_text);
    } catch (const error& failure) {
      if (failure.code() != errc::invalid_input) throw;
      EXPECT_NE(std::strstr(failure.what(), "are not the Burrows-Wheeler transform of any text"), nullptr);
      return std::nullopt;
    }
    std::string all(capacity, '\0');
    gpu::copy(reinterpret_cast<unsigned char*>(all.data()), text_.data(), capacity, stream_, "copy");
    gpu::check(cudaStreamSynchronize(stream_), "wait");
    const std::string before(guard + moved, static_cast<char>(untouched)),
        behind(guard, static_cast<char>(untouched));
    EXPECT_EQ(all.substr(0, guard + moved), before);
    EXPECT_EQ(all.substr(guard + moved + n), behind);
    return all.substr(guard + moved, n);
  }

  std::optional<std::string> with(const bwt_text& from, const inverse_options& options,
                                  std::size_t moved = 0) {
    return run(from.bytes, moved, [&](const unsigned char* d_bytes, unsigned char* d_text) {
      bwt_detail::invert_transform(d_bytes, from.bytes.size(), from.primary_index, from.form, d_text, options,
                                   stream_);
    });
  }

  std::optional<std::string> by_interface(const bwt_text& from, std::size_t moved = 0) {
    return run(from.bytes, moved, [&](const unsigned char* d_bytes, unsigned char* d_text) {
      gpu::inverse_bwt(d_bytes, from.bytes.size(), from.primary_index, from.form, d_text, {}, stream_);
    });
  }

private:
  static constexpr std::size_t guard = 64;
  static constexpr unsigned char untouched = 0xa5;
  cudaStream_t stream_;
  gpu::device_buffer<unsigned char> bytes_, text_;
};

std::optional<std::string> on_cpu(const bwt_text& from) {
  try {
    return inverse_bwt(from, {.run = {.device = {device_kind::cpu, 0}, .threads = 1}});
  } catch (const error&) {
    return std::nullopt;
  }
}

void check_all(int sigma, int longest, const inverse_options& options) {
  const gpu::stream work;
  device_inverse on_device(work.get());
  for (const bwt_form form : forms)
    for_all_texts(sigma, longest, [&](const std::string& bytes) {
      for (std::uint64_t index = 0; index < bytes.size(); ++index) {
        const bwt_text given{bytes, index + min_index(form), form};
        ASSERT_EQ(on_device.with(given, options), on_cpu(given)) << bytes << ' ' << given.primary_index;
      }
    });
}

TEST_F(gpu_inverse_bwt_small, takes_transforms_and_nothing_else) { check_all(2, 7, {}); }
TEST_F(gpu_inverse_bwt_small, takes_them_in_chains_of_a_row) { check_all(2, 6, {.stretch_bits = 0}); }
TEST_F(gpu_inverse_bwt_small, takes_them_by_wide_links) {
  check_all(2, 6, {.wide = true, .stretch_bits = 1});
}
TEST_F(gpu_inverse_bwt_small, takes_three_letters) { check_all(3, 4, {.stretch_bits = 2}); }

// Lists options that give one chain, few chains, or one per row, with narrow or wide links.
const inverse_options settings[] = {
    {},
    {.stretch_bits = 0},
    {.stretch_bits = 2},
    {.stretch_bits = 31},
    {.wide = true},
    {.wide = true, .stretch_bits = 0},
    {.wide = true, .stretch_bits = 63},
};

void check_texts(std::size_t n, std::span<const inverse_options> with) {
  const gpu::stream work;
  device_inverse on_device(work.get());
  for (const auto& [name, text] : texts(n))
    for (const bwt_form form : forms) {
      const bwt_text from = bwt(text, form);
      for (const inverse_options& options : with) {
        ASSERT_TRUE(on_device.with(from, options, n % 7) == text)
            << name << ' ' << n << ", wide " << options.wide << ", bits " << options.stretch_bits;
      }
      ASSERT_TRUE(on_device.by_interface(from, 1) == text) << name << ' ' << n;
    }
}

TEST_F(gpu_inverse_bwt_small, texts_up_to_33) {
  for (const std::size_t n : {1, 2, 31, 32, 33}) check_texts(n, settings);
}
TEST_F(gpu_inverse_bwt_small, texts_of_1000) { check_texts(1000, settings); }

TEST_F(gpu_inverse_bwt, texts_around_tiles) {
  for (const std::size_t n : {8191, 8192, 8193, 16'384, 16'385}) check_texts(n, settings);
}
TEST_F(gpu_inverse_bwt, texts_of_70000) { check_texts(70'000, settings); }
TEST_F(gpu_inverse_bwt_large, texts_of_5_million) {
  const inverse_options some[] = {{.stretch_bits = 3}, {.wide = true}};
  check_texts(5'000'000, some);
}

// Inverts with one chain, which is as slow as possible, and with five.
TEST_F(gpu_inverse_bwt, one_chain_and_five) {
  const gpu::stream work;
  device_inverse on_device(work.get());
  std::string text(100'000, ' ');
  std::mt19937_64 random(3);
  for (char& c : text) c = "ACGT"[random() % 4];
  for (const bwt_form form : forms) {
    const bwt_text from = bwt(text, form);
    for (const int bits : {17, 15, 14})
      for (const bool wide : {false, true})
        ASSERT_TRUE(on_device.with(from, {.wide = wide, .stretch_bits = bits}) == text) << bits << wide;
  }
}

TEST_F(gpu_inverse_bwt, bytes_in_no_order) {
  const gpu::stream work;
  device_inverse on_device(work.get());
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    std::string bytes(1 + random() % (round % 2 == 0 ? 100 : 40'000), ' ');
    const unsigned sigma = round % 3 == 0 ? 256 : 1 + random() % 4;
    for (char& c : bytes) c = static_cast<char>(random() % sigma);
    for (const bwt_form form : forms) {
      const bwt_text given{bytes, random() % bytes.size() + min_index(form), form};
      for (const inverse_options& options : settings)
        ASSERT_TRUE(on_device.with(given, options) == on_cpu(given)) << round;
    }
  }
}

// Checks powers of a text: they are accepted at the first row of each of their rotations, and refused at
// other rows and with a byte changed.
TEST_F(gpu_inverse_bwt, powers) {
  const gpu::stream work;
  device_inverse on_device(work.get());
  for (const std::size_t times : {2, 3, 64, 1000}) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += "abracadabraz";
    bwt_text from = bwt(text, bwt_form::rotation);
    ASSERT_TRUE(on_device.by_interface(from) == text) << times;
    for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1}, times, times + 1, 12 * times - 1}) {
      from.primary_index = index;
      ASSERT_TRUE(on_device.by_interface(from) == on_cpu(from)) << times << ' ' << index;
    }
    from.primary_index = 0;
    from.bytes[times] = 'q';
    ASSERT_TRUE(on_device.by_interface(from) == on_cpu(from)) << times;
  }
}

TEST_F(gpu_inverse_bwt_large, damage_shows_and_the_text_stays_as_it_was) {
  const gpu::stream work;
  device_inverse on_device(work.get());
  std::string text(3'000'000, ' ');
  std::mt19937_64 random(8);
  for (char& c : text) c = "ACGT"[random() % 4];
  for (const bwt_form form : forms) {
    bwt_text from = bwt(text, form);
    std::swap(from.bytes[1'000'000], from.bytes[2'000'000]);
    from.bytes[5] = 'N';
    ASSERT_TRUE(on_device.by_interface(from) == on_cpu(from));
  }
  const gpu::device_buffer<unsigned char> bytes(100, work.get()), result(100, work.get());
  gpu::check(cudaMemsetAsync(bytes.data(), 'a', 100, work.get()), "prepare");
  gpu::check(cudaMemsetAsync(result.data(), 'x', 100, work.get()), "prepare");
  EXPECT_THROW(gpu::inverse_bwt(bytes.data(), 100, 7, bwt_form::sentinel, result.data(), {}, work.get()),
               error);
  std::string left(100, ' ');
  gpu::copy(reinterpret_cast<unsigned char*>(left.data()), result.data(), 100, work.get(), "copy");
  work.wait();
  EXPECT_EQ(left, std::string(100, 'x'));
}

TEST_F(gpu_inverse_bwt_small, faults_and_nothing) {
  const gpu::stream work;
  const gpu::device_buffer<unsigned char> bytes(8, work.get()), text(8, work.get());
  const auto call = [&](const unsigned char* d_from, std::uint64_t n, std::uint64_t index, bwt_form form,
                        const bwt_options& options = {}) {
    gpu::inverse_bwt(d_from, n, index, form, text.data(), options, work.get());
  };
  for (const bwt_form form : forms) {
    EXPECT_NO_THROW(call(nullptr, 0, 0, form));
    EXPECT_THROW(call(nullptr, 0, 1, form), error);
    EXPECT_THROW(call(bytes.data(), 8, 8 + min_index(form), form), error);
    EXPECT_THROW(call(nullptr, 8, 1, form), std::invalid_argument);
    EXPECT_THROW(call(bytes.data(), std::uint64_t{1} << 40, 1, form), std::invalid_argument);
    EXPECT_THROW(call(bytes.data(), 8, 1, form, {.run = {.device_memory = 100}}), memory_error);
  }
  EXPECT_THROW(call(bytes.data(), 8, 0, bwt_form::sentinel), error);
  task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW(call(bytes.data(), 8, 1, bwt_form::sentinel, {.run = {.monitor = &monitor}}), cancelled_error);
  const std::string banana = "annbaa";
  gpu::copy(bytes.data(), reinterpret_cast<const unsigned char*>(banana.data()), 6, work.get(), "copy");
  task_monitor told;
  call(bytes.data(), 6, 4, bwt_form::sentinel, {.run = {.monitor = &told}});
  EXPECT_EQ(told.done(), 6U);
}

TEST_F(gpu_inverse_bwt, memory_that_is_enough_is_what_is_said) {
  const gpu::stream work;
  device_inverse on_device(work.get());
  const std::string text(50'000, 'a');
  for (const bool wide : {false, true}) {
    const bwt_text from = bwt(text);
    inverse_options options{.wide = wide};
    options.device_memory = bwt_detail::inverse_memory(text.size(), options);
    EXPECT_TRUE(on_device.with(from, options) == text);
    --options.device_memory;
    EXPECT_THROW((void)on_device.with(from, options), memory_error);
  }
  for (const std::uint64_t n : {1'000'000'000ULL, 3'000'000'000ULL}) {
    const auto times = [&](std::uint64_t size) {
      return static_cast<double>(bwt_detail::inverse_memory(size, {})) / static_cast<double>(size);
    };
    EXPECT_LT(times(n), 5.5) << n;
    EXPECT_LT(times(n * 10), 6.7) << n;
  }
}

TEST_F(gpu_inverse_bwt, threads_and_the_default_stream) {
  std::vector<std::pair<bwt_text, std::string>> cases;
  for (const auto& [name, text] : texts(20'000)) cases.emplace_back(bwt(text), text);
  std::vector<std::jthread> team;
  for (int member = 0; member < 4; ++member)
    team.emplace_back([&, member] {
      const gpu::stream own;
      device_inverse on_device(member == 0 ? nullptr : own.get());
      for (const auto& [from, text] : cases) EXPECT_TRUE(on_device.by_interface(from, 3) == text);
    });
}

TEST_F(gpu_inverse_bwt_host, as_on_the_cpu) {
  for (const std::size_t n : {1, 33, 70'000, 3'000'000})
    for (const auto& [name, text] : texts(n))
      for (const bwt_form form : forms) {
        run_info used;
        const bwt_text from = bwt(text, form);
        ASSERT_TRUE(inverse_bwt(from, {.run = {.device = {device_kind::gpu, 0}, .info = &used}}) == text)
            << name << ' ' << n;
        ASSERT_EQ(gpu_of(used), 0);
        ASSERT_EQ(used.engine, "chains");
      }
  EXPECT_EQ(inverse_bwt(bwt_text{}, {.run = {.device = {device_kind::gpu, 0}}}), "");
  EXPECT_THROW((void)inverse_bwt("abab", 9, bwt_form::sentinel, {.run = {.device = {device_kind::gpu, 0}}}),
               error);
  EXPECT_THROW((void)inverse_bwt("aaaa", 2, bwt_form::sentinel, {.run = {.device = {device_kind::gpu, 0}}}),
               error);
}

TEST_F(gpu_inverse_bwt_host, auto_takes_a_gpu_for_large_texts_that_fit) {
  std::string text((std::size_t{1} << 25) + 100, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i * 11 / text.size());
  const bwt_text from = bwt(text);
  run_info used;
  task_monitor monitor;
  EXPECT_TRUE(inverse_bwt(from, {.run = {.monitor = &monitor, .info = &used}}) == text);
  EXPECT_EQ(gpu_of(used), known_gpus().devices.front().index);
  EXPECT_EQ(monitor.done(), text.size());
  EXPECT_TRUE(inverse_bwt(from, {.run = {.device_memory = 1 << 20, .info = &used}}) == text);
  EXPECT_EQ(gpu_of(used), -1);
  EXPECT_THROW((void)inverse_bwt(from, {.run = {.device = {device_kind::gpu, 0}, .device_memory = 1 << 20}}),
               memory_error);
  EXPECT_THROW((void)inverse_bwt(from, {.run = {.device = {device_kind::gpu, 0}, .memory = 1 << 20}}),
               memory_error);
  task_monitor cancelled;
  cancelled.cancel();
  EXPECT_THROW((void)inverse_bwt(from, {.run = {.device = {device_kind::gpu, 0}, .monitor = &cancelled}}),
               cancelled_error);
}

} // namespace
} // namespace weft::test
