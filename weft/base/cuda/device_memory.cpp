#include <weft/base/cuda/device_memory.hpp>

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::gpu {

namespace {

// The memory pools that weft has made, by device.
struct all_pools {
  std::mutex mutex;
  std::map<int, cudaMemPool_t> pools;
};
all_pools& made_pools() {
  static all_pools all;
  return all;
}

// Returns weft's own memory pool of the current device, which keeps freed memory. The device's default pool
// is not touched.
cudaMemPool_t pool_of_current_device() {
  const int device = current_device();
  all_pools& all = made_pools();
  const std::lock_guard lock(all.mutex);
  cudaMemPool_t& pool = all.pools[device];
  if (pool != nullptr) return pool;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  check(cudaMemPoolCreate(&pool, &properties), "create a memory pool");
  std::uint64_t threshold = ~std::uint64_t{0};
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
        "configure a memory pool");
  return pool;
}

} // namespace

void check(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError(); // the error is reported here and must not show up in the next call
  const std::string message = fmt::format("GPU: cannot {}: {}", what, cudaGetErrorString(status));
  if (status == cudaErrorMemoryAllocation) throw memory_error(message);
  throw device_error(static_cast<int>(status), message);
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "query the current GPU");
  return device;
}

device_scope::device_scope(int index) : previous_(current_device()) {
  check(cudaSetDevice(index), "select the GPU");
}

stream::stream(stream_priority priority) {
  int lowest = 0, highest = 0; // streams without a priority have the lowest one
  if (priority == stream_priority::highest)
    check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "create a stream");
  check(cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking, highest), "create a stream");
}

stream::~stream() {
  (void)cudaStreamSynchronize(handle_);
  (void)cudaStreamDestroy(handle_);
}

event::event() { check(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming), "create an event"); }

bool event::has_passed() const {
  const cudaError_t status = cudaEventQuery(handle_);
  if (status != cudaErrorNotReady) check(status, "query an event");
  return status == cudaSuccess;
}

std::uint64_t free_device_memory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "query the free memory");
  const cudaMemPool_t pool = pool_of_current_device();
  std::uint64_t reserved = 0, used = 0;
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "read the memory pool");
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "read the memory pool");
  return free + (reserved - std::min(reserved, used));
}

void reset_peak_device_memory() noexcept {
  all_pools& all = made_pools();
  const std::lock_guard lock(all.mutex);
  std::uint64_t zero = 0; // the runtime sets the mark to what is allocated now
  for (const auto& [device, pool] : all.pools)
    (void)cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero);
}

std::uint64_t peak_device_memory(int index) noexcept {
  all_pools& all = made_pools();
  const std::lock_guard lock(all.mutex);
  const auto found = all.pools.find(index);
  std::uint64_t peak = 0;
  if (found == all.pools.end() ||
      cudaMemPoolGetAttribute(found->second, cudaMemPoolAttrUsedMemHigh, &peak) != cudaSuccess)
    return 0;
  return peak;
}

std::uint64_t device_memory_allowed(std::uint64_t asked) {
  return asked != 0 ? asked : free_device_memory() / 10 * 9;
}

} // namespace weft::gpu

namespace weft::base_detail {

void* allocate(std::size_t bytes, cudaStream_t stream) {
  void* memory = nullptr;
  const cudaMemPool_t pool = gpu::pool_of_current_device();
  cudaError_t status = cudaMallocFromPoolAsync(&memory, std::max<std::size_t>(bytes, 1), pool, stream);
  if (status == cudaErrorMemoryAllocation) { // the pool's memory may be too fragmented
    (void)cudaGetLastError();
    gpu::check(cudaStreamSynchronize(stream), "wait for the GPU");
    gpu::check(cudaMemPoolTrimTo(pool, 0), "trim the memory pool");
    status = cudaMallocFromPoolAsync(&memory, std::max<std::size_t>(bytes, 1), pool, stream);
  }
  gpu::check(status, fmt::format("allocate {} of device memory", format_size(bytes)));
  return memory;
}

void release(void* memory, cudaStream_t stream) noexcept { (void)cudaFreeAsync(memory, stream); }

// Locks whole large pages, of which there are fewer to touch and to lock than of the pages that
// cudaMallocHost() takes. Where memory of the program cannot be locked, cudaMallocHost() is asked.
pinned_memory allocate_pinned(std::size_t bytes) {
  constexpr std::size_t large_page = std::size_t{1} << 21;
  if (bytes >= large_page) {
    const std::size_t size = (bytes + large_page - 1) / large_page * large_page;
    void* const own = std::aligned_alloc(large_page, size);
    if (own != nullptr) prefer_large_pages(own, size);
    if (own != nullptr && cudaHostRegister(own, size, cudaHostRegisterDefault) == cudaSuccess)
      return {own, true};
    (void)cudaGetLastError();
    std::free(own);
  }
  pinned_memory memory;
  gpu::check(cudaMallocHost(&memory.data, std::max<std::size_t>(bytes, 1)),
             fmt::format("allocate {} of page-locked host memory", format_size(bytes)));
  return memory;
}

void release_pinned(const pinned_memory& memory) noexcept {
  if (!memory.is_registered) {
    (void)cudaFreeHost(memory.data);
  } else if (cudaHostUnregister(memory.data) == cudaSuccess) { // at the end of the process it may be too late
    std::free(memory.data);
  }
}

void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream, std::string_view what) {
  if (bytes > 0) gpu::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), what);
}

} // namespace weft::base_detail
