// Searches of an engine, with room for what is found that grows when there is more.
#pragma once

#include <cstdint>
#include <functional>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/cuda/engine_cache.hpp>

namespace weft::scan_cuda {

// Memory of the device. Occurrences take 8 bytes as found, 8 to be sorted, and a little for that; there is
// always room for few.
inline constexpr std::uint64_t few_found = std::uint64_t{1} << 16, found_bytes = 17;
inline constexpr std::uint64_t max_found_at_once = (std::uint64_t{1} << 31) - 1; // what one sort takes

// Whoever makes or uses it holds place.busy. Its memory is given back in the stream's order.
class found_search {
public:
  // place.engine is there. allowed: bytes of the device that the engine takes a fair part of.
  found_search(engine_place& place, std::uint64_t allowed, cudaStream_t stream);

  // From now on there is room for at most so many; for fewer, where the device has no memory for them.
  void set_most(std::uint64_t most);
  [[nodiscard]] std::uint64_t most() const noexcept { return max_; }

  // Searches, and adds what `more` enqueues; waits for the number of what they have found, or would
  // have if there were room, and remembers it. The next search has room for as many, if it is not above
  // most().
  using addition = std::function<void(const found_buffer&)>;
  [[nodiscard]] std::uint64_t operator()(const device_text& text, std::uint64_t begin, std::uint64_t end,
                                         const addition& more = nullptr);

  [[nodiscard]] std::uint64_t room() const noexcept { return found_.size(); }
  [[nodiscard]] std::uint64_t* found() const noexcept { return found_.data(); }
  [[nodiscard]] unsigned long long* count() const noexcept { return count_.data(); }
  [[nodiscard]] std::uint64_t read_count() const; // waits

private:
  void make_room(std::uint64_t room);

  engine_place& place_;
  std::uint64_t allowed_, max_ = few_found;
  cudaStream_t stream_;
  double density_; // occurrences of a residue to make room for
  gpu::device_buffer<std::uint64_t> found_;
  gpu::device_buffer<unsigned long long> count_;
};

} // namespace weft::scan_cuda
