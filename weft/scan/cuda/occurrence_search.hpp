// Searches of a text on a GPU with a buffer for occurrences that grows when a search finds more than fit.
#pragma once

#include <cstdint>
#include <functional>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/cuda/searcher_cache.hpp>

namespace weft::scan_detail {

// Device memory for codes of occurrences. A code takes bytes_per_code bytes: 8 as found, 8 for the output of
// the sort, and about 1 for the sort's temporary storage. The buffer always holds at least min_code_capacity
// codes.
inline constexpr std::uint64_t min_code_capacity = std::uint64_t{1} << 16, bytes_per_code = 17;
// The maximum number of codes that one sort takes.
inline constexpr std::uint64_t max_codes_at_once = (std::uint64_t{1} << 31) - 1;

// Runs searches and owns the buffer of occurrences. Whoever makes or uses an object of this type holds `busy`
// of the context. The memory is freed in the stream's order.
class occurrence_search {
public:
  // The context must have a searcher. Each search limits the searcher's temporary memory to a fixed fraction
  // of `allowed` bytes of device memory (gpu_searcher::limit_memory()).
  occurrence_search(searcher_context& context, std::uint64_t allowed, cudaStream_t stream);

  // Limits the buffer to `max_codes` occurrences. The buffer stays smaller if the device does not have the
  // memory.
  void set_max_found(std::uint64_t max_codes);
  [[nodiscard]] std::uint64_t max_codes() const noexcept { return max_; }

  // Searches [begin, end) of the text, enqueues the work of `more`, waits, and returns how many occurrences
  // both found. The count may exceed capacity(); the occurrences beyond the capacity are then lost and the
  // caller repeats the search. The next search reserves memory for this density, up to max_codes()
  // occurrences.
  using addition = std::function<void(const code_buffer&)>;
  [[nodiscard]] std::uint64_t operator()(const device_text& text, std::uint64_t begin, std::uint64_t end,
                                         const addition& more = nullptr);

  [[nodiscard]] std::uint64_t capacity() const noexcept { return codes_.size(); }
  [[nodiscard]] std::uint64_t* codes() const noexcept { return codes_.data(); }
  [[nodiscard]] unsigned long long* count() const noexcept { return count_.data(); }
  [[nodiscard]] std::uint64_t read_count() const; // waits for the stream

private:
  void reserve(std::uint64_t capacity);

  searcher_context& context_;
  std::uint64_t allowed_, max_ = min_code_capacity;
  cudaStream_t stream_;
  double density_; // occurrences per residue that a search reserves memory for
  gpu::device_buffer<std::uint64_t> codes_;
  gpu::device_buffer<unsigned long long> count_;
};

} // namespace weft::scan_detail
