#include <bench/scan/gpu_scans.hpp>

#include <algorithm>
#include <array>
#include <bench/gpu_method.hpp>
#include <weft/io/checksum.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/scan/cuda/nfa/nfa_engines.hpp>
#include <weft/scan/cuda/text/resident_text.hpp>
#include <weft/scan/scan.cuh>
#endif

namespace weft::bench {

constexpr const char* text_copy_name = "copy of the text to the GPU";

std::uint64_t digest_of(std::span<const scan_match> matches, digested part) {
  std::vector<std::array<std::uint64_t, 4>> keys;
  for (const scan_match& m : matches)
    keys.push_back(
        {m.sequence, m.motif, part == digested::ends ? 0 : m.begin, part == digested::begins ? 0 : m.end});
  std::sort(keys.begin(), keys.end());
  return io::checksum({reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof keys[0]});
}

#if defined(WEFT_WITH_CUDA)

namespace {

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// Scans sequences in device memory.
struct scan_memory {
  const scan_input& input;
  scan_options options;
  gpu::stream work = {};
  gpu::device_buffer<char> d_residues =
      gpu::uploaded(std::span<const char>(input.text.data), work.get(), "copy residues");
  gpu::device_buffer<std::uint64_t> d_offsets = gpu::uploaded(input.text.offsets, work.get(), "copy offsets");
  gpu::scan_matches matches = {};

  void prepare() {
    matches = {};
    work.wait();
  }
  void run() {
    matches =
        gpu::scan(input.motifs, {d_residues.data(), d_offsets.data(), input.text.count(), d_residues.size()},
                  options, work.get());
    work.wait();
  }
  std::uint64_t digest() {
    return digest_of(gpu::downloaded(matches.data(), matches.count(), work.get(), "copy matches"),
                     options.rule == match_rule::ends ? digested::ends : digested::begins_and_ends);
  }
};

// Copies a text to device memory.
struct text_copy {
  std::string_view text;
  gpu::stream work = {};
  gpu::device_buffer<unsigned char> d_text{text.size(), work.get()};

  void prepare() {
    gpu::check(cudaMemsetAsync(d_text.data(), 0, d_text.bytes(), work.get()), "clear memory");
    work.wait();
  }
  void run() {
    gpu::copy(d_text.data(), bytes_of(text).data(), text.size(), work.get(), "copy a text");
    work.wait();
  }
  [[nodiscard]] bool is_right() const {
    const auto copied = gpu::downloaded(d_text.data(), text.size(), work.get(), "copy a text");
    return std::equal(copied.begin(), copied.end(), bytes_of(text).begin());
  }
};

// A text and a buffer for its matches, which all searches of a case share.
struct searched_text {
  const scan_input& input;
  gpu::stream work = {};
  scan_detail::uploaded_text text{input.text, work.get()};
  gpu::device_buffer<unsigned long long> d_count{1, work.get()};
  gpu::device_buffer<std::uint64_t> d_found = {};

  void reserve(std::uint64_t capacity) {
    if (d_found.size() >= capacity) return;
    d_found = {};
    d_found = gpu::device_buffer<std::uint64_t>(capacity, work.get());
  }
};

// Finds the starts or the ends of all matches with one engine.
struct search_memory {
  std::shared_ptr<made_once<searched_text>> text; // must outlive the work of the engine in its stream
  std::unique_ptr<scan_detail::gpu_searcher> engine;
  match_rule rule;
  searched_text& at = text->get();
  event_timer clock = {};
  bool counted = false;

  void find() {
    gpu::check(cudaMemsetAsync(at.d_count.data(), 0, at.d_count.bytes(), at.work.get()), "prepare a count");
    clock.begin(at.work.get());
    engine->find(at.text.text(), 0, at.input.text.data.size(),
                 {at.d_found.data(), at.d_found.size(), at.d_count.data()}, at.work.get());
    clock.end(at.work.get());
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
  [[nodiscard]] double seconds() const { return clock.seconds(); }

  // Returns the match at a position that the engine has found. An end belongs to the sequence whose last
  // residue may be the one before it.
  [[nodiscard]] scan_match match_at(std::uint64_t found) const {
    const std::span<const std::uint64_t> offsets = at.input.text.offsets;
    const std::uint64_t position = found & ((std::uint64_t{1} << scan_detail::position_bits) - 1);
    const bool ends = rule == match_rule::ends;
    const auto behind = ends ? std::lower_bound(offsets.begin(), offsets.end(), position)
                             : std::upper_bound(offsets.begin(), offsets.end(), position);
    const std::uint64_t inside = position - *(behind - 1);
    return {static_cast<std::uint32_t>(behind - offsets.begin() - 1),
            static_cast<std::uint32_t>(found >> scan_detail::position_bits), ends ? 0 : inside,
            ends ? inside : 0};
  }
  [[nodiscard]] std::uint64_t digest() const {
    auto found = gpu::downloaded(at.d_found.data(), std::min<std::uint64_t>(count(), at.d_found.size()),
                                 at.work.get(), "copy matches");
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<scan_match> matches;
    for (const std::uint64_t each : found) matches.push_back(match_at(each));
    return digest_of(matches, rule == match_rule::ends ? digested::ends : digested::begins);
  }
};

std::unique_ptr<scan_detail::gpu_searcher> engine_of(const named_search& search, match_rule rule,
                                                     const searched_text& at) {
  using namespace scan_detail;
  const edge which = rule == match_rule::ends ? edge::ends : edge::starts;
  if (search.engine == gpu_search::bit_stream)
    return make_bit_stream(at.input.motifs.data(), which, at.work.get());
  nfa_options options;
  options.threads = search.threads;
  options.placement =
      search.engine == gpu_search::nfa_bp ? mask_placement::cached : mask_placement::explicit_shared;
  if (search.engine == gpu_search::nfa_array)
    return make_nfa_array(at.input.motifs.data(), which, at.work.get(), options);
  return make_shift_and(at.input.motifs.data(), which, at.work.get(), options);
}

} // namespace

method scan_in_gpu_memory(const std::string& engine, const std::string& unavailable_reason, match_rule rule,
                          const scan_input_source& input) {
  scan_options options;
  options.rule = rule;
  options.max_x = rule == match_rule::ends ? -1 : 0;
  options.run.engine = engine;
  return gpu_method<scan_memory>(engine, unavailable_reason, [=] {
    return std::unique_ptr<scan_memory>(new scan_memory{input(), options});
  });
}

method text_copy_to_gpu(const scan_input_source& input) {
  return gpu_method<text_copy>(text_copy_name, known_gpus().unavailable,
                               [=] { return std::unique_ptr<text_copy>(new text_copy{input().text.data}); });
}

std::vector<method> searches_in_gpu_memory(const std::vector<named_search>& named, match_rule rule,
                                           const scan_input_source& input) {
  const auto text = std::make_shared<made_once<searched_text>>(
      [input] { return std::unique_ptr<searched_text>(new searched_text{input()}); });
  std::vector<method> methods;
  for (const named_search& each : named)
    methods.push_back(gpu_method<search_memory>(each.name, known_gpus().unavailable, [=] {
      return std::unique_ptr<search_memory>(
          new search_memory{text, engine_of(each, rule, text->get()), rule});
    }));
  return methods;
}

#else

method scan_in_gpu_memory(const std::string& engine, const std::string&, match_rule,
                          const scan_input_source&) {
  return no_gpu_method(engine);
}
method text_copy_to_gpu(const scan_input_source&) { return no_gpu_method(text_copy_name); }
std::vector<method> searches_in_gpu_memory(const std::vector<named_search>& named, match_rule,
                                           const scan_input_source&) {
  std::vector<method> methods;
  for (const named_search& each : named) methods.push_back(no_gpu_method(each.name));
  return methods;
}

#endif

} // namespace weft::bench
