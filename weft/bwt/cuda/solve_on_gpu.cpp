#include <weft/bwt/entry/solve.hpp>

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <future>
#include <utility>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/bwt_batch.cuh>
#include <weft/bwt/cuda/api_steps.hpp>
#include <weft/bwt/cuda/fm/fm_build.hpp>
#include <weft/bwt/cuda/fm/fm_search.hpp>
#include <weft/bwt/cuda/inverse/inverse.hpp>

namespace weft::bwt_detail {

namespace {

// Calls work(context) with the GPU of the options as the current device. Waits for the context's stream at
// the end, also if work() throws.
template <class Work> void with_gpu_context(const run_options& run, const Work& work) {
  const int gpu = base_detail::gpu_index(run.device);
  const gpu::device_scope scope(gpu);
  auto& context = gpu::context_of<host_context>(gpu);
  const gpu::quiet_at_end quiet(context.work.get());
  work(context);
}

// A text in device memory, with a buffer for the `items` result items that are computed from it. The
// constructor throws memory_error if text and result take all memory that the call may take.
template <class Item> class device_text {
public:
  device_text(std::string_view text, std::uint64_t items, host_context& context, const run_options& run,
              const std::string& engine)
      : context_(context), threads_(run.threads),
        options_(options_beside(text.size() + items * sizeof(Item), run, engine)),
        d_text_(text.size(), stream()), d_result_(items, stream()) {
    context.staging.to_device(d_text_.data(), text.data(), text.size(), stream(), threads_);
  }
  [[nodiscard]] cudaStream_t stream() const { return context_.work.get(); }
  [[nodiscard]] const unsigned char* text() const { return d_text_.data(); }
  [[nodiscard]] Item* result() const { return d_result_.data(); }
  // Returns the options of calls for this text: text and result are already subtracted from the memory limit.
  [[nodiscard]] const bwt_options& options() const { return options_; }
  void write_result(const Item* from) const {
    context_.staging.to_device(d_result_.data(), from, d_result_.bytes(), stream(), threads_);
  }
  void read_result(Item* to) const {
    context_.staging.from_device(to, d_result_.data(), d_result_.bytes(), stream(), threads_);
  }

private:
  static bwt_options options_beside(std::uint64_t bytes, const run_options& run, const std::string& engine) {
    if (run.device_memory != 0) // a sort needs at least one byte besides
      require_device_memory(bytes + 1, run.device_memory, "the text with its result");
    return {.run = {.engine = engine,
                    .device_memory = memory_left(run.device_memory, bytes),
                    .monitor = run.monitor}};
  }

  host_context& context_;
  int threads_;
  bwt_options options_;
  gpu::device_buffer<unsigned char> d_text_;
  gpu::device_buffer<Item> d_result_;
};

// Solves the tasks of a text_problem.
struct gpu_text_solver {
  void operator()(const transform_task& task) const {
    const device_text<unsigned char> on_device(task.text, task.text.size(), context, run, engine);
    const std::uint64_t index = gpu::bwt(on_device.text(), task.text.size(), task.form, on_device.result(),
                                         on_device.options(), on_device.stream());
    task.result = {std::string(task.text.size(), '\0'), index, task.form};
    on_device.read_result(reinterpret_cast<unsigned char*>(task.result.bytes.data()));
  }

  template <class Index> void operator()(const suffix_array_task<Index>& task) const {
    const std::uint64_t n = task.text.size();
    const device_text<Index> on_device(task.text, n, context, run, engine);
    gpu::suffix_array(on_device.text(), n, on_device.result(), on_device.options(), on_device.stream());
    task.sa.resize(n);
    on_device.read_result(task.sa.data());
    if (task.lcp == nullptr) return;
    const auto computed = base_detail::try_within_memory(run.device.kind == device_kind::gpu, nullptr, [&] {
      gpu::lcp_array(on_device.text(), n, on_device.result(), on_device.result(), on_device.options(),
                     on_device.stream());
      task.lcp->resize(n);
      on_device.read_result(task.lcp->data());
      return true;
    });
    if (!computed) task.lcp->clear();
  }

  void operator()(const transform_batch_task& task) const {
    bwt_batch_text& result = task.result;
    result.bytes.resize(task.texts.data.size());
    run_in_pieces(task.texts, reinterpret_cast<unsigned char*>(result.bytes.data()),
                  [&](const device_text<unsigned char>& on_device, std::span<const std::uint64_t> offsets,
                      std::uint64_t first) {
                    gpu::bwt_batch(on_device.text(), offsets, task.form, on_device.result(),
                                   std::span(result.primary_indexes).subspan(first, offsets.size() - 1),
                                   on_device.options(), on_device.stream());
                  });
  }

  template <class Index> void operator()(const suffix_array_batch_task<Index>& task) const {
    task.sa.resize(task.texts.data.size());
    run_in_pieces(
        task.texts, task.sa.data(),
        [&](const device_text<Index>& on_device, std::span<const std::uint64_t> offsets, std::uint64_t) {
          gpu::suffix_array_batch(on_device.text(), offsets, on_device.result(), on_device.options(),
                                  on_device.stream());
        });
  }

  // Processes as many texts at a time as the GPU's memory allows: calls work(on_device, offsets of this
  // piece, its first text), and copies the results, an item a symbol, to `to`.
  template <class Item, class Work>
  void run_in_pieces(const sequences_view& texts, Item* to, const Work& work) const {
    const std::span<const std::uint64_t> offsets = texts.offsets;
    const std::uint64_t count = texts.count(), // symbols of a piece, which takes up to half of the memory
        max_symbols = gpu::device_memory_allowed(run.device_memory) / (7 + sizeof(Item));
    for (std::uint64_t first = 0, last = 0; first < count; first = last) {
      std::vector<std::uint64_t> piece_offsets = {0};
      while (last == first || (last < count && offsets[last + 1] - offsets[first] <= max_symbols))
        piece_offsets.push_back(offsets[++last] - offsets[first]);
      if (piece_offsets.back() == 0) continue;
      const device_text<Item> on_device(texts.data.substr(offsets[first], piece_offsets.back()),
                                        piece_offsets.back(), context, run, engine);
      work(on_device, std::span<const std::uint64_t>(piece_offsets), first);
      on_device.read_result(to + offsets[first]);
    }
  }

  host_context& context;
  const run_options& run;
  const std::string& engine;
};

// Solves the tasks of a symbol_problem.
struct gpu_symbol_solver {
  template <class Symbol, class Index> void operator()(const symbol_array_task<Symbol, Index>& task) const {
    const std::uint64_t n = task.text.size();
    const std::string_view bytes(reinterpret_cast<const char*>(task.text.data()), task.text.size_bytes());
    const device_text<Index> on_device(bytes, n, context, run, "suffix-sort");
    gpu::suffix_array(reinterpret_cast<const Symbol*>(on_device.text()), n, on_device.result(),
                      on_device.options(), on_device.stream());
    task.sa.resize(n);
    on_device.read_result(task.sa.data());
  }

  template <class Index> void operator()(const collection_array_task<Index>& task) const {
    const std::string_view text = task.records.data;
    const device_text<Index> on_device(text, text.size(), context, run, "suffix-sort");
    gpu::collection_suffix_array(on_device.text(), task.records.offsets, on_device.result(),
                                 on_device.options(), on_device.stream());
    task.sa.resize(text.size());
    on_device.read_result(task.sa.data());
  }

  void operator()(const collection_transform_task& task) const {
    const std::string_view text = task.records.data;
    const device_text<unsigned char> on_device(text, text.size(), context, run, "suffix-sort");
    collection_bwt_text result{std::string(text.size(), '\0'),
                               std::vector<std::uint64_t>(task.records.count())};
    gpu::collection_bwt(on_device.text(), task.records.offsets, on_device.result(), result.starts,
                        on_device.options(), on_device.stream());
    on_device.read_result(reinterpret_cast<unsigned char*>(result.bytes.data()));
    task.result = std::move(result);
  }

  host_context& context;
  const run_options& run;
};

template <class Index>
void compute(const lcp_task<Index>& task, host_context& context, const run_options& run) {
  const std::uint64_t n = task.text.size();
  const device_text<Index> on_device(task.text, n, context, run, "auto");
  on_device.write_result(task.sa.data()); // the LCP array then replaces it
  gpu::lcp_array(on_device.text(), n, on_device.result(), on_device.result(), on_device.options(),
                 on_device.stream());
  task.lcp.resize(n);
  on_device.read_result(task.lcp.data());
}

// Returns a string of n zero bytes whose pages are already mapped. Mapping them takes about as long as the
// GPU's work, so invert() does it on another thread.
std::string allocate_text(std::uint64_t n) {
  std::string text;
  text.reserve(n);
  prefer_large_pages(text.data(), n);
  text.resize(n);
  return text;
}

std::string invert(const inverse_problem& problem, host_context& context) {
  const run_options& run = problem.run;
  const std::string_view bytes = problem.bytes;
  const cudaStream_t stream = context.work.get();
  const std::uint64_t n = bytes.size(), allowed = gpu::device_memory_allowed(run.device_memory),
                      needed = 2 * n + bwt_detail::inverse_memory(n, {});
  require_device_memory(needed, allowed, fmt::format("the inverse transform of {} bytes", n));
  std::future<std::string> allocated = std::async(std::launch::async | std::launch::deferred, allocate_text,
                                                  n); // runs later, in get(), if no thread can be started
  const gpu::device_buffer<unsigned char> d_bytes(n, stream), d_text(n, stream);
  context.staging.to_device(d_bytes.data(), bytes.data(), n, stream, run.threads,
                            [&](std::uint64_t) { base_detail::check_cancelled(run); });
  bwt_detail::invert_transform(d_bytes.data(), n, problem.primary_index, problem.form, d_text.data(),
                               {.device_memory = allowed - 2 * n, .monitor = run.monitor}, stream);
  std::string text = allocated.get();
  context.staging.from_device(d_text.data(), n, stream, run.threads,
                              [&](std::uint64_t at, std::span<const std::byte> piece) {
                                base_detail::check_cancelled(run);
                                std::memcpy(text.data() + at, piece.data(), piece.size());
                              });
  base_detail::add_work(run, n);
  return text;
}

const fm_device_copies* copies_of(const fm_device_cache& cache) {
  return static_cast<const fm_device_copies*>(cache.get().get());
}

// Returns the copies of an index, which the caller shares, and the GPU that searches it: one that has a copy
// already or else the first one, if the options name none.
std::pair<std::shared_ptr<fm_device_copies>, int> copies_and_gpu(fm_device_cache& cache,
                                                                 const run_options& run) {
  auto copies = std::static_pointer_cast<fm_device_copies>(cache.get_or_create(
      [] { return std::static_pointer_cast<void>(std::make_shared<fm_device_copies>()); }));
  const int first = copies->device_with_index();
  const bool is_free = first >= 0 && run.device.kind == device_kind::automatic;
  return {std::move(copies), is_free ? first : base_detail::gpu_index(run.device)};
}

} // namespace

void sort_texts_on_gpu(text_problem& problem, const std::string& engine) {
  with_gpu_context(problem.run, [&](host_context& context) {
    std::visit(gpu_text_solver{context, problem.run, engine}, problem.task);
  });
}

void sort_symbols_on_gpu(symbol_problem& problem) {
  with_gpu_context(problem.run, [&](host_context& context) {
    std::visit(gpu_symbol_solver{context, problem.run}, problem.task);
  });
}

void compute_lcps_on_gpu(lcp_problem& problem) {
  with_gpu_context(problem.run, [&](host_context& context) {
    std::visit([&](const auto& task) { compute(task, context, problem.run); }, problem.task);
  });
}

void invert_on_gpu(inverse_problem& problem) {
  with_gpu_context(problem.run, [&](host_context& context) { problem.text = invert(problem, context); });
}

void write_rows_on_gpu(fm_build_problem& problem) {
  const int gpu = base_detail::gpu_index(problem.run.device);
  if (const auto* const narrow = std::get_if<const fm_row_task<std::uint32_t>*>(&problem.rows))
    bwt_detail::write_rows(**narrow, gpu);
  else
    bwt_detail::write_rows(*std::get<const fm_row_task<std::uint64_t>*>(problem.rows), gpu);
}

bool has_copy_on_gpu(const fm_device_cache& cache) {
  const fm_device_copies* const copies = copies_of(cache);
  return copies != nullptr && copies->device_with_index() >= 0;
}

void search_on_gpu(fm_search_problem& problem) {
  const auto [copies, gpu] = copies_and_gpu(problem.device_cache, problem.options.run);
  const fm_search_options& options = problem.options;
  const auto& [text, offsets, names] = problem.patterns;
  if (problem.counts != nullptr)
    *problem.counts = bwt_detail::count_in_pieces(problem.index, *copies, gpu, text, offsets, options);
  else
    *problem.hits = bwt_detail::locate_in_pieces(problem.index, *copies, gpu, text, offsets, options);
  problem.gpu = gpu; // only now: if its memory is too small, the CPU searches
}

int search_plans_on_gpu(const near_device_problem& problem) {
  const auto [copies, gpu] = copies_and_gpu(problem.device_cache, problem.options.run);
  search_near_in_pieces(problem, *copies, gpu);
  return gpu;
}

void find_matches_on_gpu(fm_match_problem& problem) {
  const auto [copies, gpu] = copies_and_gpu(problem.device_cache, problem.options.run);
  find_matches_on_device(problem, *copies, gpu);
  problem.gpu = gpu;
}

} // namespace weft::bwt_detail
