#include <bench/bwt/gpu_transforms.hpp>

#include <algorithm>
#include <bench/gpu_method.hpp>
#include <cstring>
#include <fmt/format.h>
#include <weft/io/checksum.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/inverse/inverse.hpp>
#include <weft/bwt/published/cuda/ternary_quicksort.hpp>
#endif

namespace weft::bench {

std::uint64_t digest_of(const bwt_text& transformed) {
  io::running_checksum sum;
  sum.add(transformed.bytes);
  sum.add({reinterpret_cast<const char*>(&transformed.primary_index), sizeof transformed.primary_index});
  return sum.value();
}

namespace {

constexpr const char* locked_name = "from page-locked memory";

// A way to invert a transform in device memory.
struct named_inverse {
  std::string name;
  bool wide = false;     // links of 40 bits
  int stretch_bits = -1; // chains start about 2^stretch_bits rows apart; -1: weft chooses
};

std::vector<named_inverse> inverses(bool stretches) {
  std::vector<named_inverse> named = {{"chains"}, {"chains, links of 40 bits", true}};
  for (int bits = 7; stretches && bits <= 11; ++bits)
    named.push_back({fmt::format("chains, 2^{} rows apart", bits), false, bits});
  return named;
}

#if defined(WEFT_WITH_CUDA)

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// Transforms a text in device memory.
struct bwt_memory {
  std::string_view text;
  std::string engine;
  bwt_form form;
  bool inverted;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_text = gpu::uploaded(bytes_of(text), work.get(), "copy the text"),
                                    d_bwt{text.size(), work.get()};
  std::uint64_t primary_index = 0;

  void prepare() { work.wait(); }
  void transform() {
    bwt_options options;
    options.run.engine = engine;
    primary_index = gpu::bwt(d_text.data(), text.size(), form, d_bwt.data(), options, work.get());
  }
  void run() {
    transform();
    work.wait();
  }
  std::uint64_t digest() {
    const auto bytes = gpu::downloaded(d_bwt.data(), text.size(), work.get(), "copy the transform");
    return digest_of(bwt_text{std::string(bytes.begin(), bytes.end()), primary_index});
  }
  [[nodiscard]] bool is_right() const {
    if (!inverted) return true;
    const gpu::device_buffer<unsigned char> d_back(text.size(), work.get());
    gpu::inverse_bwt(d_bwt.data(), text.size(), primary_index, form, d_back.data(), {}, work.get());
    const auto back = gpu::downloaded(d_back.data(), text.size(), work.get(), "copy the text");
    return std::equal(back.begin(), back.end(), bytes_of(text).begin());
  }
};

// The same from and to page-locked host memory.
struct locked_bwt_memory : bwt_memory {
  gpu::pinned_buffer<unsigned char> from{text.size()}, to{text.size()};

  locked_bwt_memory(std::string_view of, bwt_form of_form, bool is_inverted)
      : bwt_memory{of, "auto", of_form, is_inverted} {
    std::memcpy(from.data(), text.data(), text.size());
  }
  void run() {
    gpu::copy(d_text.data(), from.data(), text.size(), work.get(), "copy the text");
    transform();
    gpu::copy(to.data(), d_bwt.data(), text.size(), work.get(), "copy the transform");
    work.wait();
  }
  [[nodiscard]] std::uint64_t digest() const {
    return digest_of(bwt_text{std::string(to.data(), to.data() + text.size()), primary_index});
  }
};

// Runs the paper's engine; the time of its first kernel, or of both kernels, counts.
struct quicksort_memory {
  std::string_view text;
  bool both;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_text = gpu::uploaded(bytes_of(text), work.get(), "copy the text");
  gpu::device_buffer<std::uint32_t> d_rows{text.size(), work.get()};
  bwt_detail::quicksort_times times = {};

  void prepare() {
    times = {};
    work.wait();
  }
  void run() {
    bwt_detail::ternary_quicksort<std::uint32_t>(d_text.data(), text.size(), false, text.size(),
                                                 d_rows.data(), {.times = &times}, work.get());
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
struct inverse_memory {
  const bwt_text& from;
  named_inverse how;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_bwt =
                                        gpu::uploaded(bytes_of(from.bytes), work.get(), "copy the transform"),
                                    d_text{from.bytes.size(), work.get()};

  void prepare() { work.wait(); }
  void invert() {
    const std::uint64_t n = from.bytes.size();
    if (how.wide || how.stretch_bits >= 0)
      bwt_detail::invert_transform(d_bwt.data(), n, from.primary_index, from.form, d_text.data(),
                                   {.wide = how.wide, .stretch_bits = how.stretch_bits}, work.get());
    else
      gpu::inverse_bwt(d_bwt.data(), n, from.primary_index, from.form, d_text.data(), {}, work.get());
  }
  void run() {
    invert();
    work.wait();
  }
  std::uint64_t digest() {
    const auto text = gpu::downloaded(d_text.data(), from.bytes.size(), work.get(), "copy the text");
    return io::checksum({reinterpret_cast<const char*>(text.data()), text.size()});
  }
};

// The same from and to page-locked host memory.
struct locked_inverse_memory : inverse_memory {
  gpu::pinned_buffer<unsigned char> in{from.bytes.size()}, out{from.bytes.size()};

  explicit locked_inverse_memory(const bwt_text& of) : inverse_memory{of, {}} {
    std::memcpy(in.data(), of.bytes.data(), of.bytes.size());
  }
  void run() {
    gpu::copy(d_bwt.data(), in.data(), from.bytes.size(), work.get(), "copy the transform");
    invert();
    gpu::copy(out.data(), d_text.data(), from.bytes.size(), work.get(), "copy the text");
    work.wait();
  }
  [[nodiscard]] std::uint64_t digest() const {
    return io::checksum({reinterpret_cast<const char*>(out.data()), from.bytes.size()});
  }
};

#endif

} // namespace

#if defined(WEFT_WITH_CUDA)

method bwt_in_gpu_memory(const std::string& engine, const std::string& unavailable_reason, bwt_form form,
                         const text_source& text, bool inverted) {
  return gpu_method<bwt_memory>(engine, unavailable_reason, [=] {
    return std::unique_ptr<bwt_memory>(new bwt_memory{text(), engine, form, inverted});
  });
}

method bwt_from_locked_memory(bwt_form form, const text_source& text, bool inverted) {
  return gpu_method<locked_bwt_memory>(locked_name, known_gpus().unavailable, [=] {
    return std::make_unique<locked_bwt_memory>(text(), form, inverted);
  });
}

std::vector<method> quicksort_kernels_in_gpu_memory(const text_source& text) {
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

std::vector<method> inverses_on_gpu(const transform_source& transformed, bool stretches) {
  std::vector<method> methods;
  for (const named_inverse& each : inverses(stretches))
    methods.push_back(gpu_method<inverse_memory>(each.name, known_gpus().unavailable, [=] {
      return std::unique_ptr<inverse_memory>(new inverse_memory{transformed(), each});
    }));
  methods.push_back(gpu_method<locked_inverse_memory>(locked_name, known_gpus().unavailable, [=] {
    return std::make_unique<locked_inverse_memory>(transformed());
  }));
  return methods;
}

#else

method bwt_in_gpu_memory(const std::string& engine, const std::string&, bwt_form, const text_source&, bool) {
  return no_gpu_method(engine);
}
method bwt_from_locked_memory(bwt_form, const text_source&, bool) { return no_gpu_method(locked_name); }
std::vector<method> quicksort_kernels_in_gpu_memory(const text_source&) {
  return {no_gpu_method(quicksort_kernels[0]), no_gpu_method(quicksort_kernels[1])};
}
std::vector<method> inverses_on_gpu(const transform_source&, bool stretches) {
  std::vector<method> methods;
  for (const named_inverse& each : inverses(stretches)) methods.push_back(no_gpu_method(each.name));
  methods.push_back(no_gpu_method(locked_name));
  return methods;
}

#endif

} // namespace weft::bench
