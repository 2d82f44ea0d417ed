#include <bench/gpu.hpp>

#include <algorithm>
#include <bench/gpu_method.hpp>
#include <weft/base/engine_table.hpp>
#include <weft/base/error.hpp>
#include <weft/io/checksum.hpp>
#if defined(WEFT_WITH_CUDA)
#include <bench/gpu_logic.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/published/cuda/ternary_quicksort.hpp>
#endif

namespace weft::bench {

device_choice first_gpu() { return {device_kind::gpu, base_detail::first_gpu()}; }

std::uint64_t digest_of(const bwt_text& transformed) {
  io::running_checksum sum;
  sum.add(transformed.bytes);
  sum.add({reinterpret_cast<const char*>(&transformed.primary_index), sizeof transformed.primary_index});
  return sum.value();
}

namespace {

#if defined(WEFT_WITH_CUDA)

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// Transforms a text in device memory.
struct bwt_memory {
  std::string_view text;
  std::string engine;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_text = gpu::uploaded(bytes_of(text), work.get(), "copy the text"),
                                    d_bwt{text.size(), work.get()};
  std::uint64_t primary_index = 0;

  void prepare() { work.wait(); }
  void run() {
    gpu::bwt_device_options options;
    options.engine = engine;
    primary_index =
        gpu::bwt(d_text.data(), text.size(), bwt_form::sentinel, d_bwt.data(), options, work.get());
    work.wait();
  }
  std::uint64_t digest() {
    const auto bytes = gpu::downloaded(d_bwt.data(), text.size(), work.get(), "copy the transform");
    return digest_of(bwt_text{std::string(bytes.begin(), bytes.end()), primary_index});
  }
};

// Runs the paper's engine; the time of its first kernel, or of both kernels, counts.
struct quicksort_memory {
  std::string_view text;
  bool both;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_text = gpu::uploaded(bytes_of(text), work.get(), "copy the text");
  gpu::device_buffer<std::uint32_t> d_rows{text.size(), work.get()};
  bwt_cuda::quicksort_times times = {};

  void prepare() {
    times = {};
    work.wait();
  }
  void run() {
    bwt_cuda::ternary_quicksort<std::uint32_t>(d_text.data(), text.size(), false, text.size(), d_rows.data(),
                                               {.times = &times}, work.get());
    work.wait();
  }
  [[nodiscard]] double seconds() const { return (times.first + (both ? times.second : 0)) / 1000; }
  // Returns the digest of the transform that the rows describe.
  std::uint64_t digest() {
    bwt_text made{{text.back()}, 0};
    for (const std::uint32_t at : gpu::downloaded(d_rows.data(), text.size(), work.get(), "copy rows"))
      if (at > 0)
        made.bytes += text[at - 1];
      else
        made.primary_index = made.bytes.size();
    return digest_of(made);
  }
};

// Inverts a transform in device memory.
struct unbwt_memory {
  const bwt_text& from;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_bwt =
                                        gpu::uploaded(bytes_of(from.bytes), work.get(), "copy the transform"),
                                    d_text{from.bytes.size(), work.get()};

  void prepare() { work.wait(); }
  void run() {
    gpu::inverse_bwt(d_bwt.data(), from.bytes.size(), from.primary_index, from.form, d_text.data(), {},
                     work.get());
    work.wait();
  }
  std::uint64_t digest() {
    const auto text = gpu::downloaded(d_text.data(), from.bytes.size(), work.get(), "copy the text");
    return io::checksum({reinterpret_cast<const char*>(text.data()), text.size()});
  }
};

#endif

} // namespace

#if defined(WEFT_WITH_CUDA)

double gpu_ceiling(ceiling_kind kind) {
  const gpu::device_scope scope(first_gpu().index);
  const gpu::stream work;
  const std::size_t bytes = std::min<std::uint64_t>(gpu::free_device_memory() / 4, std::uint64_t{1} << 30);
  const gpu::device_buffer<std::byte> from(bytes, work.get()), to(bytes, work.get());
  gpu::check(cudaMemsetAsync(from.data(), 1, bytes, work.get()), "fill memory");
  double best = 0;
  for (int i = 0; i < 6; ++i) { // the first run warms up
    work.wait();
    const double begin = steady_seconds();
    double amount = 2.0 * static_cast<double>(bytes);
    if (kind == ceiling_kind::copy)
      gpu::copy(to.data(), from.data(), bytes, work.get(), "copy memory");
    else
      amount = enqueue_logic(reinterpret_cast<unsigned*>(to.data()), work.get());
    work.wait();
    const double seconds = steady_seconds() - begin;
    if (i > 0) best = std::max(best, amount / seconds);
  }
  return best;
}

method bwt_in_gpu_memory(const std::string& engine, const std::string& unavailable_reason,
                         std::function<std::string_view()> text) {
  return gpu_method<bwt_memory>(engine, unavailable_reason, [=] {
    return std::unique_ptr<bwt_memory>(new bwt_memory{text(), engine});
  });
}

std::vector<method> quicksort_kernels_in_gpu_memory(std::function<std::string_view()> text) {
  std::vector<method> methods;
  for (const bool both : {false, true}) {
    methods.push_back(
        gpu_method<quicksort_memory>(quicksort_kernels[both ? 1 : 0], known_gpus().unavailable, [=] {
          return std::unique_ptr<quicksort_memory>(new quicksort_memory{text(), both});
        }));
    methods.back().step = true;
  }
  return methods;
}

method unbwt_in_gpu_memory(const std::string& name, const std::string& unavailable_reason,
                           std::function<const bwt_text&()> transformed) {
  return gpu_method<unbwt_memory>(name, unavailable_reason, [=] {
    return std::unique_ptr<unbwt_memory>(new unbwt_memory{transformed()});
  });
}

#else

double gpu_ceiling(ceiling_kind) { return 0; }
method bwt_in_gpu_memory(const std::string& engine, const std::string&, std::function<std::string_view()>) {
  return no_gpu_method(engine);
}
std::vector<method> quicksort_kernels_in_gpu_memory(std::function<std::string_view()>) {
  return {no_gpu_method(quicksort_kernels[0]), no_gpu_method(quicksort_kernels[1])};
}
method unbwt_in_gpu_memory(const std::string& name, const std::string&, std::function<const bwt_text&()>) {
  return no_gpu_method(name);
}

#endif

} // namespace weft::bench
