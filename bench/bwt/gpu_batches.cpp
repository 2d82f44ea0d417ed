#include <bench/bwt/gpu_batches.hpp>

#include <bench/gpu_method.hpp>
#include <cstring>
#if defined(WEFT_WITH_CUDA)
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/bwt_batch.cuh>
#endif

namespace weft::bench {

namespace {

constexpr const char *batch_name = "suffix-sort", *locked_name = "from page-locked memory",
                     *single_name = "suffix-sort, a call a text";

#if defined(WEFT_WITH_CUDA)

// Transforms texts in device memory.
struct batch_memory {
  batch_task asked;
  sequences_view texts;
  batch_check check;
  bool one_by_one;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_text = gpu::uploaded(
                                        std::span(reinterpret_cast<const unsigned char*>(texts.data.data()),
                                                  texts.data.size()),
                                        work.get(), "copy the texts"),
                                    d_bwt{texts.data.size(), work.get()};
  std::vector<std::uint64_t> indexes = std::vector<std::uint64_t>(texts.count());
  bwt_batch_text answer = {}; // the last answer, as is_right() has read it

  void prepare() { work.wait(); }
  void transform() {
    if (asked == batch_task::collection)
      gpu::collection_bwt(d_text.data(), texts.offsets, d_bwt.data(), indexes, {}, work.get());
    else if (!one_by_one)
      gpu::bwt_batch(d_text.data(), texts.offsets, form_of(asked), d_bwt.data(), indexes, {}, work.get());
    else
      for (std::uint64_t i = 0; i < texts.count(); ++i)
        indexes[i] = gpu::bwt(d_text.data() + texts.offsets[i], texts.size(i), form_of(asked),
                              d_bwt.data() + texts.offsets[i], {}, work.get());
  }
  void run() {
    transform();
    work.wait();
  }
  void read() {
    const auto bytes = gpu::downloaded(d_bwt.data(), texts.data.size(), work.get(), "copy the transforms");
    answer = {std::string(bytes.begin(), bytes.end()), indexes, form_of(asked)};
  }
  [[nodiscard]] bool is_right() {
    read();
    return check(answer);
  }
  [[nodiscard]] std::uint64_t digest() const { return digest_of(answer); }
};

// The same from and to page-locked host memory.
struct locked_batch_memory : batch_memory {
  gpu::pinned_buffer<unsigned char> from{texts.data.size()}, to{texts.data.size()};

  locked_batch_memory(batch_task of, const sequences_view& given, const batch_check& is_right)
      : batch_memory{of, given, is_right, false} {
    std::memcpy(from.data(), texts.data.data(), texts.data.size());
  }
  void run() {
    gpu::copy(d_text.data(), from.data(), texts.data.size(), work.get(), "copy the texts");
    transform();
    gpu::copy(to.data(), d_bwt.data(), texts.data.size(), work.get(), "copy the transforms");
    work.wait();
  }
  [[nodiscard]] bool is_right() {
    answer = {std::string(to.data(), to.data() + to.size()), indexes, form_of(asked)};
    return check(answer);
  }
};

#endif

} // namespace

#if defined(WEFT_WITH_CUDA)

std::vector<method> batches_on_gpu(batch_task asked, const batch_source& texts, const batch_check& is_right) {
  const auto in_memory = [&](const char* name, bool one_by_one) {
    return gpu_method<batch_memory>(name, known_gpus().unavailable, [=] {
      return std::unique_ptr<batch_memory>(new batch_memory{asked, texts(), is_right, one_by_one});
    });
  };
  std::vector<method> methods = {in_memory(batch_name, false),
                                 gpu_method<locked_batch_memory>(locked_name, known_gpus().unavailable, [=] {
                                   return std::make_unique<locked_batch_memory>(asked, texts(), is_right);
                                 })};
  if (asked != batch_task::collection) methods.push_back(in_memory(single_name, true));
  return methods;
}

#else

std::vector<method> batches_on_gpu(batch_task asked, const batch_source&, const batch_check&) {
  std::vector<method> methods = {no_gpu_method(batch_name), no_gpu_method(locked_name)};
  if (asked != batch_task::collection) methods.push_back(no_gpu_method(single_name));
  return methods;
}

#endif

} // namespace weft::bench
