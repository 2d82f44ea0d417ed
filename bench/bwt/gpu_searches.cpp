#include <bench/bwt/gpu_searches.hpp>

#include <bench/gpu_method.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/bwt/fm_index.cuh>
#endif

namespace weft::bench {

namespace {

constexpr const char* search_name = "index";

#if defined(WEFT_WITH_CUDA)

using count_check = std::function<bool(const std::vector<std::uint64_t>&)>;
using hit_check = std::function<bool(const fm_hits&)>;

// An index and patterns in device memory.
struct search_memory {
  const fm_index& index;
  sequences_view patterns;
  gpu::stream work = {};
  gpu::device_fm_index d_index{index, work.get()};
  gpu::device_buffer<char> d_letters =
      gpu::uploaded(std::span(patterns.data), work.get(), "copy the patterns");
  gpu::device_buffer<std::uint64_t> d_offsets =
      gpu::uploaded(patterns.offsets, work.get(), "copy the offsets");
  gpu::sequences_view batch{d_letters.data(), d_offsets.data(), patterns.count(), patterns.data.size()};

  void prepare() { work.wait(); }
  template <class T> [[nodiscard]] std::vector<T> read(const gpu::device_buffer<T>& d_items) const {
    return gpu::downloaded(d_items.data(), d_items.size(), work.get(), "copy the answer");
  }
};

struct count_memory : search_memory {
  count_check check;
  gpu::device_buffer<std::uint64_t> d_counts{patterns.count(), work.get()};
  std::vector<std::uint64_t> counts = {}; // the last answer, as is_right() has read it

  count_memory(const fm_index& of, const sequences_view& given, const count_check& is_right)
      : search_memory{of, given}, check(is_right) {}
  void run() {
    gpu::count(d_index.view(), batch, d_counts.data(), work.get());
    work.wait();
  }
  [[nodiscard]] bool is_right() {
    counts = read(d_counts);
    return check(counts);
  }
  [[nodiscard]] std::uint64_t digest() const { return digest_of(counts); }
};

struct hit_memory : search_memory {
  std::uint64_t max_hits;
  hit_check check;
  gpu::fm_device_hits d_found = {};
  fm_hits found = {}; // the last answer, as is_right() has read it

  hit_memory(const fm_index& of, const sequences_view& given, std::uint64_t max, const hit_check& is_right)
      : search_memory{of, given}, max_hits(max), check(is_right) {}
  void prepare() {
    d_found = {};
    work.wait();
  }
  void run() {
    d_found = gpu::locate(d_index.view(), batch, {.max_hits = max_hits}, work.get());
    work.wait();
  }
  [[nodiscard]] bool is_right() {
    found = {read(d_found.hits), read(d_found.offsets), read(d_found.totals)};
    return check(found);
  }
  [[nodiscard]] std::uint64_t digest() const { return digest_of(found); }
};

#endif

} // namespace

#if defined(WEFT_WITH_CUDA)

method counts_in_gpu_memory(const index_source& index, const pattern_source& patterns,
                            const count_check& is_right) {
  return gpu_method<count_memory>(search_name, known_gpus().unavailable, [=] {
    return std::make_unique<count_memory>(index(), patterns(), is_right);
  });
}
method hits_in_gpu_memory(const index_source& index, const pattern_source& patterns, std::uint64_t max_hits,
                          const hit_check& is_right) {
  return gpu_method<hit_memory>(search_name, known_gpus().unavailable, [=] {
    return std::make_unique<hit_memory>(index(), patterns(), max_hits, is_right);
  });
}

#else

method counts_in_gpu_memory(const index_source&, const pattern_source&,
                            const std::function<bool(const std::vector<std::uint64_t>&)>&) {
  return no_gpu_method(search_name);
}
method hits_in_gpu_memory(const index_source&, const pattern_source&, std::uint64_t,
                          const std::function<bool(const fm_hits&)>&) {
  return no_gpu_method(search_name);
}

#endif

} // namespace weft::bench
