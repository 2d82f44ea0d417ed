// Puts sequences into device memory and calls the functions of weft/lcs/lcs.cuh with them.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/lcs/lcs.cuh>

namespace weft_test {

using weft::lcs_metric;
using weft::gpu::check;
using weft::gpu::device_buffer;

inline constexpr lcs_metric metrics[] = {lcs_metric::lcs, lcs_metric::indel, lcs_metric::edit};
inline constexpr int alphabets[] = {1, 4, 5, 32, 33, 256};

inline std::uint64_t expected_value(const std::string& a, const std::string& b, lcs_metric metric) {
  return weft::lcs_value(a, b, with("bit-sliced", metric, 0));
}

// A text in device memory. It is copied in the order of the stream.
class device_text {
public:
  device_text(const std::string& text, cudaStream_t stream) : symbols_(text.size(), stream) {
    assign(text, stream);
  }
  // Replaces the text by one that is not longer than the first.
  void assign(const std::string& text, cudaStream_t stream) {
    size_ = text.size();
    check(cudaMemcpyAsync(symbols_.data(), text.data(), size_, cudaMemcpyHostToDevice, stream),
          "copy a text");
  }
  [[nodiscard]] const std::uint8_t* data() const { return size_ == 0 ? nullptr : symbols_.data(); }
  [[nodiscard]] std::uint64_t size() const { return size_; }

private:
  device_buffer<std::uint8_t> symbols_;
  std::size_t size_ = 0;
};

// Call the function of weft::gpu that computes the metric: enqueue_device_value() the one with two phases,
// device_value() the one that returns the value.
template <class... Arguments>
cudaError_t enqueue_device_value(lcs_metric metric, void* d_temp, std::size_t& bytes,
                                 Arguments... arguments) {
  return metric == lcs_metric::edit    ? weft::gpu::edit_distance_async(d_temp, bytes, arguments...)
         : metric == lcs_metric::indel ? weft::gpu::indel_distance_async(d_temp, bytes, arguments...)
                                       : weft::gpu::lcs_length_async(d_temp, bytes, arguments...);
}
template <class... Arguments> std::uint64_t device_value(lcs_metric metric, Arguments... arguments) {
  return metric == lcs_metric::edit    ? weft::gpu::edit_distance(arguments...)
         : metric == lcs_metric::indel ? weft::gpu::indel_distance(arguments...)
                                       : weft::gpu::lcs_length(arguments...);
}

// A call of enqueue_device_value() with its own memory.
class value_call {
public:
  value_call(const std::string& a, const std::string& b, int sigma, lcs_metric metric, cudaStream_t stream)
      : a_(a, stream), b_(b, stream), sigma_(sigma), metric_(metric), stream_(stream), result_(1, stream) {
    check(enqueue_device_value(metric, nullptr, bytes_, nullptr, a.size(), nullptr, b.size(), sigma, nullptr,
                               stream),
          "plan");
    storage_ = {bytes_ + 1, stream};
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] cudaError_t enqueue(std::size_t bytes, std::size_t misaligned = 0) {
    return enqueue_device_value(metric_, storage_.data() + misaligned, bytes, a_.data(), a_.size(), b_.data(),
                                b_.size(), sigma_, result_.data(), stream_);
  }
  void enqueue() { check(enqueue(bytes_), "enqueue"); }
  void assign(const std::string& a, const std::string& b) {
    a_.assign(a, stream_);
    b_.assign(b, stream_);
  }
  void spoil_storage() {
    check(cudaMemsetAsync(storage_.data(), 0xee, storage_.bytes(), stream_), "spoil");
    check(cudaMemsetAsync(result_.data(), 0xee, sizeof(std::uint64_t), stream_), "spoil");
  }
  [[nodiscard]] std::uint64_t wait() {
    std::uint64_t value = 0;
    check(cudaMemcpyAsync(&value, result_.data(), sizeof value, cudaMemcpyDeviceToHost, stream_), "read");
    check(cudaStreamSynchronize(stream_), "wait");
    return value;
  }

private:
  device_text a_, b_;
  int sigma_;
  lcs_metric metric_;
  cudaStream_t stream_;
  device_buffer<std::uint64_t> result_;
  std::size_t bytes_ = 0;
  device_buffer<std::uint8_t> storage_;
};

// Skips the tests, with the reason, if there is no GPU.
class gpu_lcs_device_suite : public testing::Test {
protected:
  void SetUp() override {
    if (const std::string reason = weft_test::reason_to_skip("systolic"); !reason.empty())
      GTEST_SKIP() << reason;
  }
};

inline int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "ask");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "ask");
  return count;
}

} // namespace weft_test
