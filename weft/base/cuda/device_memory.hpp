// Device memory, streams and errors for the GPU engines. Needs the CUDA runtime's headers, but not nvcc.
//
//   weft::gpu::stream work;                                    // made on the current device
//   weft::gpu::device_buffer<int> numbers(1000, work.get());   // stream-ordered; freed in the same order
//   weft::gpu::copy(numbers.data(), items.data(), 1000, work.get(), "copy the numbers");
//
// Allocation is stream-ordered (cudaMallocFromPoolAsync), from a pool of weft's own. The pool keeps freed
// memory for later calls until the process ends.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::gpu {

// Throws if `status` is an error: memory_error for a lack of device memory, device_error for everything else.
// `what` says what could not be done: "allocate memory".
void check(cudaError_t status, std::string_view what);

// Returns the index of the host thread's current device. Throws device_error.
[[nodiscard]] int current_device();

// Makes a device current for the lifetime of the object, and then makes the previous one current again.
// Throws device_error.
class device_scope {
public:
  explicit device_scope(int index);
  ~device_scope() { (void)cudaSetDevice(previous_); }
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;

private:
  int previous_;
};

// Kernels of a stream of the highest priority begin before waiting blocks of kernels of other streams.
enum class stream_priority { normal, highest };

// A stream of the current device that does not wait for the default stream. The destructor waits for the
// stream's work.
class stream {
public:
  stream() : stream(stream_priority::normal) {}
  explicit stream(stream_priority priority);
  ~stream();
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  [[nodiscard]] cudaStream_t get() const noexcept { return handle_; }
  void wait() const { check(cudaStreamSynchronize(handle_), "wait for the GPU"); }

private:
  cudaStream_t handle_ = nullptr;
};

// Waits for all work of a stream at the end of a scope, however the scope is left.
class quiet_at_end {
public:
  explicit quiet_at_end(cudaStream_t stream) : stream_(stream) {}
  ~quiet_at_end() { (void)cudaStreamSynchronize(stream_); }
  quiet_at_end(const quiet_at_end&) = delete;
  quiet_at_end& operator=(const quiet_at_end&) = delete;

private:
  cudaStream_t stream_;
};

// A point in the work of a stream of the current device. The host can ask whether the stream has passed it,
// and other streams can wait for it.
class event {
public:
  event();
  ~event() { (void)cudaEventDestroy(handle_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  void record(cudaStream_t stream) { check(cudaEventRecord(handle_, stream), "mark a stream"); }
  [[nodiscard]] bool has_passed() const;
  [[nodiscard]] cudaEvent_t get() const noexcept { return handle_; }

private:
  cudaEvent_t handle_ = nullptr;
};

// Returns the bytes of the current device that can still be allocated: the driver's free memory and the
// unused memory in this process's pool.
[[nodiscard]] std::uint64_t free_device_memory();
// Returns the bytes of device memory that a call may use: `asked`, or nine tenths of the free memory if
// `asked` is 0.
[[nodiscard]] std::uint64_t device_memory_allowed(std::uint64_t asked);

// reset_peak_device_memory() starts a new measurement of peaks on all devices. peak_device_memory() returns
// the most bytes of weft's pool of device `index` that have been allocated at once since then, by all
// threads; 0 if weft has not used the device.
void reset_peak_device_memory() noexcept;
[[nodiscard]] std::uint64_t peak_device_memory(int index) noexcept;

} // namespace weft::gpu

namespace weft::base_detail {
[[nodiscard]] void* allocate(std::size_t bytes, cudaStream_t stream); // never null; throws memory_error
void release(void* memory, cudaStream_t stream) noexcept;
// Page-locked memory of the host. `is_registered`: it is memory of the program that has been locked, and not
// of cudaMallocHost().
struct pinned_memory {
  void* data = nullptr;
  bool is_registered = false;
};
[[nodiscard]] pinned_memory allocate_pinned(std::size_t bytes);
void release_pinned(const pinned_memory& memory) noexcept;
void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream, std::string_view what);
} // namespace weft::base_detail

namespace weft::gpu {

// Copies `count` items between host and device memory in either direction, in the order of the stream. `what`
// and errors as in check().
template <class T>
void copy(T* to, const T* from, std::integral auto count, cudaStream_t stream, std::string_view what) {
  base_detail::copy(to, from, static_cast<std::size_t>(count) * sizeof(T), stream, what);
}

// An array of `count` uninitialised items in device memory, allocated and freed in the order of a stream. Can
// be moved, but not copied.
template <class T> class device_buffer {
public:
  device_buffer() = default;
  device_buffer(std::size_t count, cudaStream_t stream)
      : data_(static_cast<T*>(base_detail::allocate(count * sizeof(T), stream))), count_(count),
        stream_(stream) {}
  device_buffer(device_buffer&& other) noexcept { swap(other); }
  device_buffer& operator=(device_buffer&& other) noexcept {
    device_buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~device_buffer() {
    if (data_ != nullptr) base_detail::release(data_, stream_);
  }
  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return count_ * sizeof(T); }

private:
  void swap(device_buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(stream_, other.stream_);
  }
  T* data_ = nullptr;
  std::size_t count_ = 0;
  cudaStream_t stream_ = nullptr;
};

// Returns a copy of `items` in device memory, made in the order of the stream. `what` and errors as in
// check().
template <class T>
[[nodiscard]] device_buffer<T> uploaded(std::span<const T> items, cudaStream_t stream,
                                        std::string_view what) {
  device_buffer<T> d_items(items.size(), stream);
  copy(d_items.data(), items.data(), items.size(), stream, what);
  return d_items;
}

// Returns a copy of `count` items of device memory. Waits for all work of the stream. `what` and errors as in
// check().
template <class T>
[[nodiscard]] std::vector<T> downloaded(const T* d_items, std::size_t count, cudaStream_t stream,
                                        std::string_view what) {
  std::vector<T> items(count);
  copy(items.data(), d_items, count, stream, what);
  check(cudaStreamSynchronize(stream), what);
  return items;
}
// Returns a copy of one item of device memory; otherwise as above.
template <class T> [[nodiscard]] T downloaded(const T* d_item, cudaStream_t stream, std::string_view what) {
  T item{};
  copy(&item, d_item, 1, stream, what);
  check(cudaStreamSynchronize(stream), what);
  return item;
}

// An array of `count` items in page-locked host memory, which the device can copy at full speed and while
// kernels run. Can be moved, but not copied.
template <class T> class pinned_buffer {
public:
  pinned_buffer() = default;
  explicit pinned_buffer(std::size_t count)
      : memory_(base_detail::allocate_pinned(count * sizeof(T))), count_(count) {}
  pinned_buffer(pinned_buffer&& other) noexcept
      : memory_(std::exchange(other.memory_, {})), count_(std::exchange(other.count_, 0)) {}
  pinned_buffer& operator=(pinned_buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~pinned_buffer() {
    if (memory_.data != nullptr) base_detail::release_pinned(memory_);
  }
  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(memory_.data); }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

private:
  base_detail::pinned_memory memory_;
  std::size_t count_ = 0;
};

} // namespace weft::gpu
