// Computes all pairs of a batch on the GPU.
//
// Sequences are sorted by length: sequence p of that order is the rows, and the shorter ones q < p are the
// columns. Values are computed in pieces of rows, each of a few million values or a tenth of a second. Each
// piece uses a slot (a stream, and values on the device and in page-locked memory), so that the host can
// store its values while the next pieces are computed. If the caller wants the values in device memory, a
// kernel stores them, and neither text nor values pass through the host.
//
// A pair that would keep its one thread busy while all others are done is computed as a separate table
// (systolic_distance). plan_cuts() estimates which pairs these are.
#include <algorithm>
#include <weft/base/parallel.hpp>
#include <weft/lcs/core/pair_band.hpp>
#include <weft/lcs/cuda/batch_plan.hpp>
#include <weft/lcs/cuda/batch_slots.hpp>
#include <weft/lcs/cuda/systolic_table.hpp>

namespace weft::lcs_detail {

namespace {

constexpr std::int64_t max_values = std::int64_t{1} << 22; // for a piece of more than one row
constexpr double piece_cells = 5e12;                       // likewise: a tenth of a second at worst

// The memory of a batch on the device, and its pieces.
class batch_run {
public:
  // Copies the text to the device. Values are collected by the host.
  batch_run(codes text, std::span<const std::uint64_t> offsets, std::uint64_t sigma, const batch_plan& plan,
            const gpu_options& options)
      : batch_run(plan, options, sigma, nullptr) {
    plan_memory(text.size());
    symbols_ = gpu::uploaded(text, device_.work.get(), copying);
    prepare(symbols_.data(), offsets);
  }
  // Reads the text in device memory, and writes the values to device memory as well: distances, or lengths
  // for metric lcs.
  batch_run(const std::uint8_t* d_text, std::span<const std::uint64_t> offsets, std::uint64_t sigma,
            const batch_plan& plan, const gpu_options& options, std::uint64_t* d_all_values)
      : batch_run(plan, options, sigma, d_all_values) {
    plan_memory(plan.order.size() * sizeof(std::uint32_t));
    order_ = gpu::uploaded(std::span<const std::uint32_t>(plan.order), device_.work.get(), copying);
    prepare(d_text, offsets);
  }

  [[nodiscard]] const std::vector<batch_piece>& pieces() const { return pieces_; }
  [[nodiscard]] const batch_slots& slots() const { return slots_; }

  // Launches a piece in its slot, which must be free.
  void launch(std::size_t index) {
    const batch_piece& current = pieces_[index];
    const cudaStream_t stream = slots_.stream(index);
    int max_cut = 0, blocks_that_fit = 0;
    for (int p = current.first; p < current.last; ++p) max_cut = std::max(max_cut, plan_.cuts[to_size(p)]);
    batch_job job{};
    job.symbols = d_text_;
    job.columns = columns_.data();
    job.items = items_.data();
    job.cuts = cuts_.data();
    job.begins = begins_.data();
    job.first = current.first, job.last = current.last;
    job.chunks = (max_cut + batch_threads - 1) / batch_threads;
    job.sigma = sigma_;
    job.link_words = link_words();
    job.links = slots_.links(index);
    job.ticket = slots_.ticket(index);
    job.values = slots_.values(index);
    job.stop = device_.stop.data();
    gpu::check(batch_occupancy(current.shape, sigma_, &blocks_that_fit), "plan a batch");
    std::int64_t blocks = std::int64_t{std::max(blocks_that_fit, 1)} * device_.multiprocessors;
    blocks = std::min(blocks, std::int64_t{current.last - current.first} * job.chunks);
    if (plan_.lengths[to_size(current.last) - 1] > batch_band_rows)
      blocks = std::min(blocks, slots_.link_blocks());
    gpu::check(launch_batch(current.shape, job, static_cast<int>(blocks), stream), "compute a batch");
    if (d_all_values_ != nullptr)
      store_on_device(current, job, max_cut, stream);
    else
      slots_.download(index, current);
  }

  // Makes the pieces that are running end soon; their values are then void.
  void stop() { *device_.stop.data() = 1; }

  // Waits for a piece and returns its number of cells. Stores its values in `values`, unless they are stored
  // in device memory.
  std::uint64_t collect(std::size_t index, std::vector<std::uint64_t>& values) {
    const batch_piece& current = pieces_[index];
    slots_.wait(index);
    if (d_all_values_ == nullptr) slots_.store(index, current, 1, options_.threads, values);
    return current.cells;
  }

private:
  static constexpr std::string_view copying = "copy a batch to the GPU";

  batch_run(const batch_plan& plan, const gpu_options& options, std::uint64_t sigma,
            std::uint64_t* d_all_values)
      : plan_(plan), options_(options), device_(gpu::context_of<gpu_context>(options.device)),
        sigma_(static_cast<int>(sigma)), edit_(options.metric == lcs_metric::edit),
        d_all_values_(d_all_values), slots_(plan) {}

  // Copies the plan to the device, encodes the text as columns, and allocates all memory.
  void prepare(const std::uint8_t* d_text, std::span<const std::uint64_t> offsets) {
    d_text_ = d_text;
    pieces_ = cut_into_pieces(plan_, slots_.capacity(), piece_cells,
                              [this](std::int64_t rows) { return shape_for(rows, edit_); });
    const cudaStream_t stream = device_.work.get();
    cuts_ = gpu::uploaded(std::span<const int>(plan_.cuts), stream, copying);
    begins_ = gpu::uploaded(std::span<const std::int64_t>(plan_.begins), stream, copying);
    std::vector<batch_item> items;
    std::int64_t blocks = 0;
    for (int p = 0; p < plan_.count(); ++p) {
      const std::int64_t n = plan_.lengths[to_size(p)];
      items.push_back({static_cast<std::int64_t>(offsets[plan_.order[to_size(p)]]), blocks, n});
      blocks += blocks_of(n);
    }
    items_ = gpu::uploaded(std::span<const batch_item>(items), stream, copying);
    columns_ = {to_size(blocks), stream};
    gpu::check(launch_batch_columns(items_.data(), plan_.count(), d_text_, sigma_, columns_.data(), stream),
               "encode a batch");
    slots_.allocate(stream, d_all_values_ == nullptr);
    device_.work.wait();
    *device_.stop.data() = 0;
  }

  // Stores the values of a piece, which its slot computes, in device memory.
  void store_on_device(const batch_piece& current, const batch_job& job, int max_cut, cudaStream_t stream) {
    gpu::check(launch_batch_store({.items = job.items,
                                   .order = order_.data(),
                                   .cuts = job.cuts,
                                   .begins = job.begins,
                                   .first = current.first,
                                   .last = current.last,
                                   .lengths = options_.metric == lcs_metric::lcs,
                                   .from = job.values,
                                   .to = d_all_values_},
                                  max_cut, stream),
               "store the values of a batch");
  }

  static std::int64_t blocks_of(std::int64_t n) { // including an empty block
    return (n + block_columns - 1) / block_columns + 1;
  }
  [[nodiscard]] int link_words() const { return static_cast<int>((plan_.max_columns + 31) / 32); }
  // Returns the bytes of a block's differences between bands.
  [[nodiscard]] std::uint64_t link_block_bytes() const {
    return to_size(link_words()) * (edit_ ? 2 : 1) * batch_threads * 4;
  }

  // Divides the memory that the sequences leave among values and differences between bands. With less of
  // it, the batch is slower. `bytes` are those of the text or of the order of the sequences.
  void plan_memory(std::uint64_t bytes) {
    std::uint64_t fixed = bytes + 65536;
    for (int p = 0; p < plan_.count(); ++p)
      fixed += to_size(blocks_of(plan_.lengths[to_size(p)])) * sizeof(column_block) + sizeof(batch_item) + 12;
    slots_.plan_memory({.engine = "systolic",
                        .fixed_bytes = fixed,
                        .link_block_bytes = link_block_bytes(),
                        .max_link_blocks = std::int64_t{8} * device_.multiprocessors,
                        .min_link_blocks = device_.multiprocessors,
                        .max_values = max_values},
                       gpu::device_memory_allowed(options_.device_memory));
  }

  const batch_plan& plan_;
  const gpu_options& options_;
  gpu_context& device_;
  int sigma_;
  bool edit_;
  std::uint64_t* d_all_values_; // where the values of all pairs go, or null: the host collects them
  const std::uint8_t* d_text_ = nullptr;
  std::vector<batch_piece> pieces_;
  gpu::device_buffer<std::uint8_t> symbols_; // a copy of a text in host memory
  gpu::device_buffer<std::uint32_t> order_;  // for values that are stored in device memory
  gpu::device_buffer<int> cuts_;
  gpu::device_buffer<std::int64_t> begins_;
  gpu::device_buffer<batch_item> items_;
  gpu::device_buffer<column_block> columns_;
  batch_slots slots_; // declared last, because its destructor waits for the work that uses everything else
};

// Computes the pairs that are separate tables. Calls store(i, j, distance) for each.
template <class Store>
void run_single(codes text, std::span<const std::uint64_t> offsets, std::uint64_t sigma,
                const batch_plan& plan, const gpu_options& options, cell_counter& work, const Store& store) {
  gpu_options uncounted = options;
  uncounted.counting = false; // because this function counts them
  const auto item = [&](std::uint32_t i) { return text.subspan(offsets[i], offsets[i + 1] - offsets[i]); };
  for (int p = plan.first; p < plan.last; ++p)
    for (int q = plan.cuts[to_size(p)]; q < p; ++q) {
      work.check();
      const std::uint32_t i = plan.order[to_size(p)], j = plan.order[to_size(q)];
      const codes a = item(i), b = item(j);
      store(i, j, a.empty() || b.empty() ? a.size() + b.size() : systolic_distance(a, b, sigma, uncounted));
      work.add(cells(a.size(), b.size()));
    }
}

// Turns the distances of the pairs of the plan into the lengths of their LCS.
void turn_into_lengths(std::span<std::uint64_t> distances, std::span<const std::uint64_t> offsets,
                       const batch_plan& plan, int threads) {
  std::vector<int> rows; // of each sequence; empty if all pairs have been computed
  if (plan.last - plan.first < plan.count()) {
    rows.resize(plan.order.size());
    for (int p = 0; p < plan.count(); ++p) rows[plan.order[to_size(p)]] = p;
  }
  const auto is_computed = [&](std::uint64_t i, std::uint64_t j) {
    const int row = rows.empty() ? plan.first : std::max(rows[i], rows[j]);
    return row >= plan.first && row < plan.last;
  };
  const auto length = [&](std::uint64_t i) { return offsets[i + 1] - offsets[i]; };
  parallel_for(1, offsets.size() - 1, 64, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first, at = first * (first - 1) / 2; i < last; ++i)
      for (std::uint64_t j = 0; j < i; ++j, ++at)
        if (is_computed(i, j)) distances[at] = value_of(lcs_metric::lcs, length(i), length(j), distances[at]);
  });
}

} // namespace

std::vector<std::uint64_t> systolic_all_pairs(codes text, std::span<const std::uint64_t> offsets,
                                              std::uint64_t sigma, const gpu_options& options) {
  if (offsets.size() < 3) return {};
  const std::uint64_t count = offsets.size() - 1, pairs = count * (count - 1) / 2;
  const gpu::device_scope scope(options.device);
  cell_counter work(options.monitor);
  const batch_plan plan = plan_batch(offsets, options.share);
  work.expect(plan.cells);
  std::vector<std::uint64_t> values;
  const auto resize = [&] { resize_values(values, pairs, options.threads); };
  if (plan.begins.back() == 0) { // every pair of the share is computed as a separate table
    resize();
  } else {
    batch_run run(text, offsets, sigma, plan, options);
    run_batch(run, values, work, resize);
  }
  run_single(
      text, offsets, sigma, plan, options, work,
      [&](std::uint32_t i, std::uint32_t j, std::uint64_t distance) { values[pair_index(i, j)] = distance; });
  if (options.metric == lcs_metric::lcs) turn_into_lengths(values, offsets, plan, options.threads);
  work.finish();
  return values;
}

void systolic_all_pairs_on_device(codes d_text, std::span<const std::uint64_t> offsets, std::uint64_t sigma,
                                  const gpu_options& options, std::uint64_t* d_values) {
  if (offsets.size() < 3) return;
  const gpu::device_scope scope(options.device);
  cell_counter work(options.monitor);
  const batch_plan plan = plan_batch(offsets, options.share);
  work.expect(plan.cells);
  if (plan.begins.back() != 0) {
    std::vector<std::uint64_t> none;
    batch_run run(d_text.data(), offsets, sigma, plan, options, d_values);
    run_batch(run, none, work, [] {});
  }
  const cudaStream_t stream = gpu::context_of<gpu_context>(options.device).work.get();
  const auto length = [&](std::uint32_t i) { return offsets[i + 1] - offsets[i]; };
  run_single(d_text, offsets, sigma, plan, options, work,
             [&](std::uint32_t i, std::uint32_t j, std::uint64_t distance) {
               const std::uint64_t value = value_of(options.metric, length(i), length(j), distance);
               gpu::copy(d_values + pair_index(i, j), &value, 1, stream, "copy a value to the GPU");
               gpu::check(cudaStreamSynchronize(stream), "copy a value to the GPU");
             });
  work.finish();
}

} // namespace weft::lcs_detail
