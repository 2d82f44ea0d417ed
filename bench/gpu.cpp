#include <bench/gpu.hpp>

#include <algorithm>
#include <array>
#include <bench/gpu_method.hpp>
#include <weft/base/engine_table.hpp>
#include <weft/base/error.hpp>
#include <weft/io/checksum.hpp>
#if defined(WEFT_WITH_CUDA)
#include <bench/gpu_logic.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/published/cuda/ternary_quicksort.hpp>
#include <weft/scan/cuda/nfa/nfa_engines.hpp>
#include <weft/scan/cuda/text/text_upload.hpp>
#include <weft/scan/scan.cuh>
#endif

namespace weft::bench {

device_choice first_gpu() { return {device_kind::gpu, base_detail::first_gpu()}; }

std::uint64_t digest_of(const bwt_text& transformed) {
  io::running_checksum sum;
  sum.add(transformed.bytes);
  sum.add({reinterpret_cast<const char*>(&transformed.primary_index), sizeof transformed.primary_index});
  return sum.value();
}

std::uint64_t digest_of(std::span<const scan_match> matches, match_rule rule) {
  std::vector<std::array<std::uint64_t, 4>> keys;
  for (const scan_match& m : matches)
    keys.push_back({m.sequence, m.motif, rule == match_rule::ends ? 0 : m.begin, m.end});
  std::sort(keys.begin(), keys.end());
  return io::checksum({reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof keys[0]});
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

// Scans sequences in device memory.
struct scan_memory {
  const scan_input& input;
  gpu::scan_device_options options;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_residues =
      gpu::uploaded(bytes_of(input.text.residues), work.get(), "copy residues");
  gpu::device_buffer<std::uint64_t> d_offsets = gpu::uploaded(input.text.offsets, work.get(), "copy offsets");
  gpu::scan_matches matches = {};

  void prepare() {
    matches = {};
    work.wait();
  }
  void run() {
    matches =
        gpu::scan(input.motifs, {d_residues.data(), d_residues.size(), d_offsets.data(), input.text.count()},
                  options, work.get());
    work.wait();
  }
  std::uint64_t digest() {
    return digest_of(gpu::downloaded(matches.data(), matches.count(), work.get(), "copy matches"),
                     options.rule);
  }
};

// A text and a buffer for its matches, which all methods of a case share.
struct nfa_text {
  const scan_input& input;
  gpu::stream work = {};
  scan_cuda::uploaded_text text{input.text, work.get()};
  gpu::device_buffer<unsigned long long> d_count{1, work.get()};
  gpu::device_buffer<std::uint64_t> d_found = {};

  void reserve(std::uint64_t capacity) {
    if (d_found.size() >= capacity) return;
    d_found = {};
    d_found = gpu::device_buffer<std::uint64_t>(capacity, work.get());
  }
};

// Finds the ends of all matches with one of the paper's engines.
struct nfa_memory {
  std::shared_ptr<made_once<nfa_text>> text; // must outlive the work that the engine has queued in its stream
  std::unique_ptr<scan_cuda::gpu_engine> engine;
  nfa_text& at = text->get();
  bool counted = false;

  void find() {
    gpu::check(cudaMemsetAsync(at.d_count.data(), 0, at.d_count.bytes(), at.work.get()), "prepare a count");
    engine->find(at.text.text(), 0, at.input.text.residues.size(),
                 {at.d_found.data(), at.d_found.size(), at.d_count.data()}, at.work.get());
  }
  [[nodiscard]] std::uint64_t count() const {
    return gpu::downloaded(at.d_count.data(), at.work.get(), "read a count");
  }
  void prepare() {
    if (!counted) {
      find();
      at.reserve(count());
    }
    counted = true;
    at.work.wait();
  }
  void run() {
    find();
    at.work.wait();
  }
  [[nodiscard]] std::uint64_t digest() const {
    auto found = gpu::downloaded(at.d_found.data(), std::min<std::uint64_t>(count(), at.d_found.size()),
                                 at.work.get(), "copy matches");
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    const std::span<const std::uint64_t> offsets = at.input.text.offsets;
    std::vector<scan_match> matches;
    for (const std::uint64_t each : found) {
      const std::uint64_t end = each & ((std::uint64_t{1} << scan_cuda::position_bits) - 1);
      const auto behind = std::lower_bound(offsets.begin(), offsets.end(),
                                           end); // the end of the sequence that contains the match
      matches.push_back({static_cast<std::uint32_t>(behind - offsets.begin() - 1),
                         static_cast<std::uint32_t>(each >> scan_cuda::position_bits), 0,
                         end - *(behind - 1)});
    }
    return digest_of(matches, match_rule::ends);
  }
};

std::unique_ptr<scan_cuda::gpu_engine> engine_of(const nfa_threads& settings, const nfa_text& at) {
  using namespace scan_cuda;
  nfa_options options;
  options.threads = settings.threads;
  options.placement =
      settings.engine == paper_nfa::nfa_bp ? mask_placement::cached : mask_placement::explicit_shared;
  if (settings.engine == paper_nfa::nfa_array)
    return make_nfa_array(at.input.motifs.data(), edge::ends, at.work.get(), options);
  return make_shift_and(at.input.motifs.data(), edge::ends, at.work.get(), options);
}

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

method scan_in_gpu_memory(const std::string& engine, const std::string& unavailable_reason, match_rule rule,
                          std::function<const scan_input&()> input) {
  gpu::scan_device_options options;
  options.rule = rule;
  options.max_x = rule == match_rule::ends ? -1 : 0;
  options.engine = engine;
  return gpu_method<scan_memory>(engine, unavailable_reason, [=] {
    return std::unique_ptr<scan_memory>(new scan_memory{input(), options});
  });
}

std::vector<method> nfa_in_gpu_memory(const std::vector<nfa_threads>& named,
                                      const std::function<const scan_input&()>& input) {
  const auto text = std::make_shared<made_once<nfa_text>>(
      [input] { return std::unique_ptr<nfa_text>(new nfa_text{input()}); });
  std::vector<method> methods;
  for (const nfa_threads& each : named)
    methods.push_back(gpu_method<nfa_memory>(each.name, known_gpus().unavailable, [=] {
      return std::unique_ptr<nfa_memory>(new nfa_memory{text, engine_of(each, text->get())});
    }));
  return methods;
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
method scan_in_gpu_memory(const std::string& engine, const std::string&, match_rule,
                          std::function<const scan_input&()>) {
  return no_gpu_method(engine);
}
std::vector<method> nfa_in_gpu_memory(const std::vector<nfa_threads>& named,
                                      const std::function<const scan_input&()>&) {
  std::vector<method> methods;
  for (const nfa_threads& each : named) methods.push_back(no_gpu_method(each.name));
  return methods;
}

#endif

} // namespace weft::bench
