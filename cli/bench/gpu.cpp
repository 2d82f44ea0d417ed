#include <cli/bench/gpu.hpp>

#include <algorithm>
#include <array>
#include <weft/base/engine_table.hpp>
#include <weft/base/error.hpp>
#include <weft/io/checksum.hpp>
#if defined(WEFT_WITH_CUDA)
#include <chrono>
#include <cli/bench/gpu_logic.hpp>
#include <cli/bench/gpu_sorts.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/scan/scan.cuh>
#include <weft/sort/cuda/number_sort.hpp>
#endif

namespace weft::cli::bench {

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

// A way that makes Memory by make() on the GPU's stream, and then prepares, runs and tells of it there.
template <class Memory, class Make>
way gpu_way(const std::string& name, const std::string& not_here, const Make& make) {
  const auto memory = std::make_shared<std::unique_ptr<Memory>>();
  return {name,
          false,
          true,
          0,
          not_here,
          [=] {
            const gpu::device_scope scope(first_gpu().index);
            if (*memory == nullptr) *memory = make();
            (*memory)->prepare();
          },
          [=] {
            const gpu::device_scope scope(first_gpu().index);
            (*memory)->run();
          },
          [=] {
            const gpu::device_scope scope(first_gpu().index);
            return (*memory)->digest();
          }};
}

struct sort_memory {
  std::span<const std::byte> items;
  number_type type;
  std::optional<gpu_sort> how; // none: weft's engine
  gpu::stream work = {};
  gpu::device_buffer<std::byte> d_input = gpu::uploaded(items, work.get(), "copy items"),
                                d_items{items.size(), work.get()}, d_temporary = {};
  std::size_t temporary_bytes = 0;

  void call(void* d_temp) {
    const std::uint64_t n = items.size() / type.bytes;
    gpu::check(how ? sort_by(*how, type.bytes, d_temp, temporary_bytes, d_items.data(), n, work.get())
                   : sort_cuda::sort_numbers(d_temp, temporary_bytes, d_items.data(), false, nullptr, n, type,
                                             work.get()),
               "sort");
  }
  void prepare() {
    if (d_temporary.data() == nullptr) {
      call(nullptr);
      d_temporary = gpu::device_buffer<std::byte>(temporary_bytes, work.get());
    }
    gpu::copy(d_items.data(), d_input.data(), items.size(), work.get(), "copy items");
    work.wait();
  }
  void run() {
    call(d_temporary.data());
    work.wait();
  }
  std::uint64_t digest() {
    const auto sorted = gpu::downloaded(d_items.data(), items.size(), work.get(), "copy items");
    return io::checksum({reinterpret_cast<const char*>(sorted.data()), sorted.size()});
  }
};

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

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

#else

way no_gpu_way(const std::string& name) { return {name, false, true, 0, known_gpus().unavailable}; }

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
  for (int i = 0; i < 6; ++i) { // the first warms up
    work.wait();
    const auto begin = std::chrono::steady_clock::now();
    double amount = 2.0 * static_cast<double>(bytes);
    if (kind == ceiling_kind::copy)
      gpu::copy(to.data(), from.data(), bytes, work.get(), "copy memory");
    else
      amount = enqueue_logic(reinterpret_cast<unsigned*>(to.data()), work.get());
    work.wait();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (i > 0) best = std::max(best, amount / seconds.count());
  }
  return best;
}

std::vector<way> sorts_in_gpu_memory(const std::string& engine, const std::string& not_here,
                                     std::function<std::span<const std::byte>()> items, number_type type) {
  std::vector<way> ways;
  const auto add = [&](const std::string& name, std::optional<gpu_sort> how) {
    ways.push_back(gpu_way<sort_memory>(name, not_here, [=] {
      return std::unique_ptr<sort_memory>(new sort_memory{items(), type, how});
    }));
    ways.back().yardstick = how == gpu_sort::cub_radix || how == gpu_sort::cub_merge;
  };
  add(engine, {});
  if (!detail::is_plain(type) || type.bytes < 4 || type.bytes > 8) return ways;
  add("CUB's radix sort", gpu_sort::cub_radix);
  add("CUB's merge sort", gpu_sort::cub_merge);
  add("sample-merge (published)", gpu_sort::sample_merge);
  return ways;
}

way bwt_in_gpu_memory(const std::string& engine, const std::string& not_here,
                      std::function<std::string_view()> text) {
  return gpu_way<bwt_memory>(engine, not_here, [=] {
    return std::unique_ptr<bwt_memory>(new bwt_memory{text(), engine});
  });
}

way unbwt_in_gpu_memory(const std::string& name, const std::string& not_here,
                        std::function<const bwt_text&()> transformed) {
  return gpu_way<unbwt_memory>(
      name, not_here, [=] { return std::unique_ptr<unbwt_memory>(new unbwt_memory{transformed()}); });
}

way scan_in_gpu_memory(const std::string& engine, const std::string& not_here, match_rule rule,
                       std::function<const scan_input&()> input) {
  gpu::scan_device_options options;
  options.rule = rule;
  options.max_x = rule == match_rule::ends ? -1 : 0;
  options.engine = engine;
  return gpu_way<scan_memory>(engine, not_here, [=] {
    return std::unique_ptr<scan_memory>(new scan_memory{input(), options});
  });
}

#else

double gpu_ceiling(ceiling_kind) { return 0; }
std::vector<way> sorts_in_gpu_memory(const std::string& engine, const std::string&,
                                     std::function<std::span<const std::byte>()>, number_type) {
  return {no_gpu_way(engine)};
}
way bwt_in_gpu_memory(const std::string& engine, const std::string&, std::function<std::string_view()>) {
  return no_gpu_way(engine);
}
way unbwt_in_gpu_memory(const std::string& name, const std::string&, std::function<const bwt_text&()>) {
  return no_gpu_way(name);
}
way scan_in_gpu_memory(const std::string& engine, const std::string&, match_rule,
                       std::function<const scan_input&()>) {
  return no_gpu_way(engine);
}

#endif

} // namespace weft::cli::bench
