#include <bench/bwt/gpu_arrays.hpp>

#include <bench/gpu_method.hpp>
#include <numeric>
#include <weft/io/checksum.hpp>
#if defined(WEFT_WITH_CUDA)
#include <bench/bwt/sort_pairs.hpp>
#include <weft/bwt/bwt.cuh>
#endif

namespace weft::bench {

namespace {

constexpr const char *array_name = "suffix-sort", *narrow_name = "lcp, indexes of 32 bits",
                     *wide_name = "lcp, indexes of 64 bits", *pairs_name = "CUB's sort of as many pairs";

#if defined(WEFT_WITH_CUDA)

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// Sorts the suffixes of a text in device memory.
template <class Symbol> struct suffix_array_memory {
  std::span<const Symbol> text;
  gpu::stream work = {};
  gpu::device_buffer<Symbol> d_text = gpu::uploaded(text, work.get(), "copy the text");
  gpu::device_buffer<std::uint32_t> d_sa{text.size(), work.get()};
  std::vector<std::uint32_t> sa = {}; // the last answer, as digest() has read it

  void prepare() { work.wait(); }
  void run() {
    gpu::suffix_array(d_text.data(), text.size(), d_sa.data(), {}, work.get());
    work.wait();
  }
  [[nodiscard]] bool is_right() {
    sa = gpu::downloaded(d_sa.data(), text.size(), work.get(), "copy the array");
    return is_suffix_array<Symbol>(text, sa);
  }
  [[nodiscard]] std::uint64_t digest() const {
    return io::checksum({reinterpret_cast<const char*>(sa.data()), sa.size() * sizeof sa[0]});
  }
};

// Computes the LCP array of a text and its suffix array in device memory.
template <class Index> struct lcp_memory {
  std::string_view text;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_text = gpu::uploaded(bytes_of(text), work.get(), "copy the text");
  gpu::device_buffer<Index> d_sa{text.size(), work.get()}, d_lcp{text.size(), work.get()};
  std::vector<Index> lcp = {}; // the last answer, as digest() has read it

  lcp_memory(std::string_view of, bool one_run) : text(of) {
    if (!one_run) {
      gpu::suffix_array(d_text.data(), text.size(), d_sa.data(), {}, work.get());
      return;
    }
    std::vector<Index> sa(text.size());
    std::iota(sa.rbegin(), sa.rend(), Index{0});
    gpu::copy(d_sa.data(), sa.data(), sa.size(), work.get(), "copy the array");
    work.wait();
  }
  void prepare() { work.wait(); }
  void run() {
    gpu::lcp_array(d_text.data(), text.size(), d_sa.data(), d_lcp.data(), {}, work.get());
    work.wait();
  }
  [[nodiscard]] bool is_right() {
    lcp = gpu::downloaded(d_lcp.data(), text.size(), work.get(), "copy the array");
    const auto sa = gpu::downloaded(d_sa.data(), text.size(), work.get(), "copy the array");
    return is_lcp_array<Index>(text, sa, lcp);
  }
  [[nodiscard]] std::uint64_t digest() const {
    const std::vector<std::uint32_t> narrow(lcp.begin(), lcp.end());
    return io::checksum({reinterpret_cast<const char*>(narrow.data()), narrow.size() * sizeof narrow[0]});
  }
};

// Sorts pairs; the time is that of the sort alone.
struct pairs_memory {
  std::uint64_t n;
  sorted_pairs last = {};

  void prepare() {}
  void run() { last = sort_random_pairs(n); }
  [[nodiscard]] double seconds() const { return last.seconds; }
  [[nodiscard]] bool is_right() const { return last.in_order; }
};

#endif

} // namespace

#if defined(WEFT_WITH_CUDA)

method suffix_array_in_gpu_memory(const text_source& text) {
  using memory = suffix_array_memory<unsigned char>;
  return gpu_method<memory>(array_name, known_gpus().unavailable,
                            [=] { return std::unique_ptr<memory>(new memory{bytes_of(text())}); });
}
method suffix_array_in_gpu_memory(const symbol_source& symbols) {
  using memory = suffix_array_memory<std::uint32_t>;
  return gpu_method<memory>(array_name, known_gpus().unavailable,
                            [=] { return std::unique_ptr<memory>(new memory{symbols()}); });
}
std::vector<method> lcp_arrays_in_gpu_memory(const text_source& text, bool one_run) {
  return {gpu_method<lcp_memory<std::uint32_t>>(
              narrow_name, known_gpus().unavailable,
              [=] { return std::make_unique<lcp_memory<std::uint32_t>>(text(), one_run); }),
          gpu_method<lcp_memory<std::uint64_t>>(wide_name, known_gpus().unavailable, [=] {
            return std::make_unique<lcp_memory<std::uint64_t>>(text(), one_run);
          })};
}
method pair_sort_in_gpu_memory(std::uint64_t n) {
  method made = gpu_method<pairs_memory>(pairs_name, known_gpus().unavailable,
                                         [=] { return std::unique_ptr<pairs_memory>(new pairs_memory{n}); });
  made.step = true;
  return made;
}

#else

method suffix_array_in_gpu_memory(const text_source&) { return no_gpu_method(array_name); }
method suffix_array_in_gpu_memory(const symbol_source&) { return no_gpu_method(array_name); }
std::vector<method> lcp_arrays_in_gpu_memory(const text_source&, bool) {
  return {no_gpu_method(narrow_name), no_gpu_method(wide_name)};
}
method pair_sort_in_gpu_memory(std::uint64_t) { return no_gpu_method(pairs_name); }

#endif

} // namespace weft::bench
