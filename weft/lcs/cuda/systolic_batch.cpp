// Computes all pairs of a batch on the GPU.
//
// Sequences are sorted by length: sequence p of that order is the rows, and the shorter ones q < p are the
// columns. Values are computed in pieces of rows, each of a few million values or a tenth of a second. Each
// piece uses a slot (a stream, and values on the device and in page-locked memory), so that the host can
// store its values while the next pieces are computed.
//
// A pair that would keep its one thread busy while all others are done is computed as a separate table
// (systolic_distance). plan_cuts() estimates which pairs these are.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <weft/base/parallel.hpp>
#include <weft/lcs/core/pair_band.hpp>
#include <weft/lcs/cuda/batch_kernels.hpp>
#include <weft/lcs/cuda/systolic_table.hpp>

namespace weft::lcs_detail {

namespace {

constexpr int slots = 4;
constexpr std::int64_t max_values = std::int64_t{1} << 22; // for a piece of more than one row
constexpr double piece_cells = 5e12; // for such a piece, too: a tenth of a second at worst
constexpr std::int64_t longest_rows = std::int64_t{1} << 30;

// The cells that a thread of a fully used device computes in a second, and those of the whole device.
constexpr double lane_speed = 2e9, device_speed = 80e12;

// The sequences in order of their length, and how their pairs are computed.
struct batch_plan {
  std::vector<std::uint32_t> order;  // by length
  std::vector<std::int64_t> lengths; // in that order
  std::vector<int> cuts; // p is paired in the batch with q < cuts[p], and in separate tables with the others
  std::vector<std::int64_t> begins; // where the values of p begin
  std::int64_t max_columns = 0;     // of a pair whose rows need more than one band
  [[nodiscard]] int count() const { return static_cast<int>(order.size()); }
};

// A range of rows that one launch computes.
struct piece {
  int first, last; // the rows
  batch_shape shape;
  std::uint64_t cells;
};

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

// Returns the number of q < p whose tables with p have at most max_cells cells. For large p it falls as p
// grows.
int cut_of(const batch_plan& plan, int p, double max_cells) {
  const auto begin = plan.lengths.begin();
  const std::int64_t rows = plan.lengths[size(p)];
  if (rows > longest_rows) return 0;
  const double columns = std::min(max_cells / static_cast<double>(std::max<std::int64_t>(rows, 1)), 1e18);
  return static_cast<int>(std::upper_bound(begin, begin + p, static_cast<std::int64_t>(columns)) - begin);
}

// Estimates the seconds for a batch of the tables with at most max_cells cells, and the others one by one.
double estimated_seconds(const batch_plan& plan, const std::vector<double>& columns_before,
                         double max_cells) {
  double batch = 0, largest = 0, single = 0;
  for (int p = 1; p < plan.count(); ++p) {
    const auto rows = static_cast<double>(plan.lengths[size(p)]);
    const int cut = cut_of(plan, p, max_cells);
    batch += rows * columns_before[size(cut)];
    if (cut > 0) largest = std::max(largest, rows * static_cast<double>(plan.lengths[size(cut - 1)]));
    // The same formula as in gpu_table::cells_per_second.
    single += rows * (columns_before[size(p)] - columns_before[size(cut)] + 5e5 * (p - cut)) / 100e12;
  }
  return std::max(batch / device_speed, largest / lane_speed) + single;
}

void plan_cuts(batch_plan& plan) {
  std::vector<double> columns_before(size(plan.count()) + 1);
  for (int p = 0; p < plan.count(); ++p)
    columns_before[size(p) + 1] = columns_before[size(p)] + static_cast<double>(plan.lengths[size(p)]);
  double best = 0, best_seconds = -1;
  for (double max_cells = 1 << 24; max_cells < 1e14; max_cells *= 4) {
    const double seconds = estimated_seconds(plan, columns_before, max_cells);
    if (best_seconds < 0 || seconds < best_seconds) best = max_cells, best_seconds = seconds;
    if (static_cast<double>(plan.lengths.back()) * static_cast<double>(plan.lengths.back()) <= max_cells)
      break;
  }
  plan.begins.push_back(0);
  for (int p = 0; p < plan.count(); ++p) {
    const int cut = cut_of(plan, p, best);
    plan.cuts.push_back(cut);
    plan.begins.push_back(plan.begins.back() + cut);
    if (cut > 0 && plan.lengths[size(p)] > batch_band_rows)
      plan.max_columns = std::max(plan.max_columns, plan.lengths[size(cut - 1)]);
  }
}

batch_plan plan_batch(std::span<const std::uint64_t> offsets) {
  const std::size_t count = offsets.size() - 1;
  if (count > std::size_t{1} << 30)
    throw error(errc::invalid_input, "a batch must have at most 2^30 sequences");
  const auto length = [&](std::uint32_t i) { return offsets[i + 1] - offsets[i]; };
  batch_plan plan;
  plan.order.resize(count);
  std::iota(plan.order.begin(), plan.order.end(), 0U);
  std::stable_sort(plan.order.begin(), plan.order.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return length(i) < length(j); });
  for (const std::uint32_t i : plan.order) plan.lengths.push_back(static_cast<std::int64_t>(length(i)));
  plan_cuts(plan);
  return plan;
}

// Returns the shape that wastes the fewest rows, with as few bands as possible.
batch_shape shape_for(std::int64_t rows, bool edit) {
  const std::int64_t bands = std::max<std::int64_t>((rows + batch_band_rows - 1) / batch_band_rows, 1);
  const std::int64_t words = (rows + bands * 32 - 1) / (bands * 32);
  int chosen = 32;
  for (const int candidate : {24, 16, 8, 4})
    if (words <= candidate) chosen = candidate;
  return {edit, edit || bands > 1, chosen};
}

bool share_kernel(const batch_shape& a, const batch_shape& b) {
  return a.linked == b.linked && a.words == b.words;
}

std::vector<piece> cut_into_pieces(const batch_plan& plan, bool edit, std::int64_t capacity) {
  std::vector<std::uint64_t> columns_before(1);
  for (const std::int64_t n : plan.lengths)
    columns_before.push_back(columns_before.back() + static_cast<std::uint64_t>(n));
  std::vector<piece> pieces;
  for (int p = 1; p < plan.count(); ++p) {
    const int cut = plan.cuts[size(p)];
    if (cut == 0) continue;
    const auto cells = static_cast<std::uint64_t>(plan.lengths[size(p)]) * columns_before[size(cut)];
    const batch_shape shape = shape_for(plan.lengths[size(p)], edit);
    if (!pieces.empty()) {
      piece& open = pieces.back();
      if (open.last == p && share_kernel(open.shape, shape) &&
          plan.begins[size(p) + 1] - plan.begins[size(open.first)] <= capacity &&
          static_cast<double>(open.cells + cells) <= piece_cells) {
        open.last = p + 1, open.cells += cells;
        continue;
      }
    }
    pieces.push_back({p, p + 1, shape, cells});
  }
  return pieces;
}

// Returns the index of the value of a pair of sequences.
std::size_t pair_index(std::uint32_t i, std::uint32_t j) {
  const std::size_t later = std::max(i, j);
  return later * (later - 1) / 2 + std::min(i, j);
}

// Returns page-locked memory for values. A thread keeps the memory, because allocating it is expensive.
std::uint32_t* pinned_values(int slot, std::size_t count) {
  thread_local std::array<gpu::pinned_buffer<std::uint32_t>, slots> kept;
  if (kept[static_cast<std::size_t>(slot)].size() < count)
    kept[static_cast<std::size_t>(slot)] = gpu::pinned_buffer<std::uint32_t>(count);
  return kept[static_cast<std::size_t>(slot)].data();
}

// The memory of a batch on the device, and its pieces.
class batch_run {
public:
  batch_run(codes text, std::span<const std::uint64_t> offsets, std::uint64_t sigma, const batch_plan& plan,
            const gpu_options& options)
      : plan_(plan), options_(options), device_(gpu::context_of<gpu_context>(options.device)),
        sigma_(static_cast<int>(sigma)), edit_(options.metric == lcs_metric::edit) {
    plan_memory(text.size());
    pieces_ = cut_into_pieces(plan, edit_, capacity_);
    const cudaStream_t stream = device_.work.get();
    constexpr std::string_view what = "copy a batch to it";
    symbols_ = gpu::uploaded(text, stream, what);
    cuts_ = gpu::uploaded(std::span<const int>(plan.cuts), stream, what);
    begins_ = gpu::uploaded(std::span<const std::int64_t>(plan.begins), stream, what);
    std::vector<batch_item> items;
    std::int64_t blocks = 0;
    for (int p = 0; p < plan.count(); ++p) {
      const std::int64_t n = plan.lengths[size(p)];
      items.push_back({static_cast<std::int64_t>(offsets[plan.order[size(p)]]), blocks, n});
      blocks += blocks_of(n);
    }
    items_ = gpu::uploaded(std::span<const batch_item>(items), stream, what);
    columns_ = {size(blocks), stream};
    gpu::check(
        launch_batch_columns(items_.data(), plan.count(), symbols_.data(), sigma_, columns_.data(), stream),
        "encode a batch");
    values_ = {size(num_slots_ * capacity_), stream};
    tickets_ = {slots, stream};
    links_ = {std::max<std::size_t>(size(num_slots_ * link_blocks_) * link_block_bytes() / 4, 1), stream};
    device_.work.wait();
    *device_.stop.data() = 0;
    for (int slot = 0; slot < num_slots_; ++slot) (void)pinned_values(slot, size(capacity_));
  }

  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }
  [[nodiscard]] std::size_t num_slots() const { return static_cast<std::size_t>(num_slots_); }

  // Launches a piece in its slot, which must be free.
  void launch(std::size_t index) {
    const piece& current = pieces_[index];
    const int slot = static_cast<int>(index % num_slots());
    const cudaStream_t stream = streams_[static_cast<std::size_t>(slot)].get();
    int max_cut = 0, blocks_that_fit = 0;
    for (int p = current.first; p < current.last; ++p) max_cut = std::max(max_cut, plan_.cuts[size(p)]);
    batch_job job{};
    job.symbols = symbols_.data();
    job.columns = columns_.data();
    job.items = items_.data();
    job.cuts = cuts_.data();
    job.begins = begins_.data();
    job.first = current.first, job.last = current.last;
    job.chunks = (max_cut + batch_threads - 1) / batch_threads;
    job.sigma = sigma_;
    job.link_words = link_words();
    job.links = links_.data() + size(slot * link_blocks_) * link_block_bytes() / 4;
    job.ticket = tickets_.data() + slot;
    job.values = values_.data() + slot * capacity_;
    job.stop = device_.stop.data();
    gpu::check(batch_occupancy(current.shape, sigma_, &blocks_that_fit), "plan a batch");
    std::int64_t blocks = std::int64_t{std::max(blocks_that_fit, 1)} * device_.multiprocessors;
    blocks = std::min(blocks, std::int64_t{current.last - current.first} * job.chunks);
    if (plan_.lengths[size(current.last) - 1] > batch_band_rows) blocks = std::min(blocks, link_blocks_);
    gpu::check(launch_batch(current.shape, job, static_cast<int>(blocks), stream), "compute a batch");
    gpu::copy(pinned_values(slot, size(capacity_)), job.values,
              plan_.begins[size(current.last)] - plan_.begins[size(current.first)], stream,
              "read the values of a batch");
  }

  // Makes the pieces that are running end soon; their values are then void.
  void stop() { *device_.stop.data() = 1; }

  // Waits for a piece and stores its values. Returns its number of cells.
  std::uint64_t collect(std::size_t index, std::vector<std::uint64_t>& values) {
    const piece& current = pieces_[index];
    streams_[index % num_slots()].wait();
    const std::uint32_t* const from = pinned_values(static_cast<int>(index % num_slots()), size(capacity_));
    const auto first = static_cast<std::uint64_t>(current.first),
               last = static_cast<std::uint64_t>(current.last);
    parallel_for(first, last, 16, options_.threads, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t p = begin; p < end; ++p) {
        const std::uint32_t* const row = from + (plan_.begins[p] - plan_.begins[first]);
        const std::uint32_t i = plan_.order[p];
        for (std::size_t q = 0; q < size(plan_.cuts[p]); ++q) values[pair_index(i, plan_.order[q])] = row[q];
      }
    });
    return current.cells;
  }

private:
  static std::int64_t blocks_of(std::int64_t n) { // including an empty block
    return (n + block_columns - 1) / block_columns + 1;
  }
  [[nodiscard]] int link_words() const { return static_cast<int>((plan_.max_columns + 31) / 32); }
  // Returns the bytes of a block's differences between bands.
  [[nodiscard]] std::uint64_t link_block_bytes() const {
    return size(link_words()) * (edit_ ? 2 : 1) * batch_threads * 4;
  }

  // Divides the memory that the sequences leave among values and differences between bands. With less of
  // it, the batch is slower.
  void plan_memory(std::uint64_t symbols) {
    std::uint64_t fixed = symbols + 65536;
    std::int64_t row = 1;
    for (int p = 0; p < plan_.count(); ++p) {
      fixed += size(blocks_of(plan_.lengths[size(p)])) * sizeof(column_block) + sizeof(batch_item) + 12;
      row = std::max<std::int64_t>(row, plan_.cuts[size(p)]);
    }
    num_slots_ = slots;
    capacity_ = std::max(row, std::min(max_values, plan_.begins.back()));
    link_blocks_ = std::int64_t{8} * device_.multiprocessors;
    const std::uint64_t allowed = gpu::device_memory_allowed(options_.device_memory);
    const auto needed = [&] {
      return fixed + size(num_slots_) * (size(capacity_) * 4 + size(link_blocks_) * link_block_bytes());
    };
    while (needed() > allowed) {
      if (num_slots_ > 2)
        --num_slots_;
      else if (link_blocks_ > device_.multiprocessors)
        link_blocks_ /= 2;
      else if (capacity_ > row)
        capacity_ = std::max(row, capacity_ / 2);
      else if (num_slots_ > 1)
        --num_slots_;
      else if (link_blocks_ > 1)
        link_blocks_ /= 2;
      else
        throw memory_error(fmt::format("lcs engine 'systolic' needs {} of device memory for these "
                                       "sequences, but only {} is allowed",
                                       format_size(needed()), format_size(allowed)));
    }
  }

  const batch_plan& plan_;
  const gpu_options& options_;
  gpu_context& device_;
  int sigma_;
  bool edit_;
  int num_slots_ = slots;
  std::int64_t capacity_ = 0, link_blocks_ = 0; // of a slot
  std::vector<piece> pieces_;
  gpu::device_buffer<std::uint8_t> symbols_;
  gpu::device_buffer<int> cuts_;
  gpu::device_buffer<std::int64_t> begins_;
  gpu::device_buffer<batch_item> items_;
  gpu::device_buffer<column_block> columns_;
  gpu::device_buffer<std::uint32_t> values_, links_;
  gpu::device_buffer<unsigned> tickets_;
  // Declared last, because their destructors wait for the work that uses everything else.
  std::array<gpu::stream, slots> streams_;
};

// Does values.resize(pairs). The expensive part is the first touch of each page, which all threads do
// before.
void resize_values(std::vector<std::uint64_t>& values, std::uint64_t pairs, int threads) {
  constexpr std::uint64_t page = 4096;
  values.reserve(pairs);
  auto* const bytes = reinterpret_cast<volatile unsigned char*>(values.data());
  parallel_for(0, (pairs * sizeof(std::uint64_t) + page - 1) / page, 1024, threads,
               [&](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last; ++i) bytes[i * page] = 0;
               });
  values.resize(pairs);
}

// Computes the pieces, with as many of them at a time as there are slots.
void run_batch(batch_run& run, std::uint64_t pairs, int threads, std::vector<std::uint64_t>& values,
               progress& work) try {
  std::size_t launched = 0;
  while (launched < std::min(run.num_slots(), run.pieces())) run.launch(launched++);
  resize_values(values, pairs, threads); // while the GPU is busy
  for (std::size_t done = 0; done < run.pieces(); ++done) {
    work.check();
    const std::uint64_t cells = run.collect(done, values);
    if (launched < run.pieces()) run.launch(launched++);
    work.add(cells);
  }
} catch (...) {
  run.stop();
  throw;
}

// Computes the pairs that are separate tables.
void run_single(codes text, std::span<const std::uint64_t> offsets, std::uint64_t sigma,
                const batch_plan& plan, const gpu_options& options, std::vector<std::uint64_t>& values,
                progress& work) {
  gpu_options silent = options;
  silent.counting = false; // because this function counts them
  const auto item = [&](std::uint32_t i) { return text.subspan(offsets[i], offsets[i + 1] - offsets[i]); };
  for (int p = 1; p < plan.count(); ++p)
    for (int q = plan.cuts[size(p)]; q < p; ++q) {
      work.check();
      const std::uint32_t i = plan.order[size(p)], j = plan.order[size(q)];
      const codes a = item(i), b = item(j);
      values[pair_index(i, j)] =
          a.empty() || b.empty() ? a.size() + b.size() : systolic_distance(a, b, sigma, silent);
      work.add(cells(a.size(), b.size()));
    }
}

} // namespace

std::vector<std::uint64_t> systolic_all_pairs(codes text, std::span<const std::uint64_t> offsets,
                                              std::uint64_t sigma, const gpu_options& options) {
  if (offsets.size() < 3) return {};
  const std::uint64_t count = offsets.size() - 1;
  const gpu::device_scope scope(options.device);
  progress work(options.monitor);
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    total += cells(offsets[i + 1] - offsets[i], offsets[i] - offsets[0]);
  work.expect(total);
  const batch_plan plan = plan_batch(offsets);
  std::vector<std::uint64_t> values;
  const std::uint64_t pairs = count * (count - 1) / 2;
  if (plan.begins.back() == 0) { // every pair is computed as a separate table
    resize_values(values, pairs, options.threads);
  } else {
    batch_run run(text, offsets, sigma, plan, options);
    run_batch(run, pairs, options.threads, values, work);
  }
  run_single(text, offsets, sigma, plan, options, values, work);
  work.finish();
  return values;
}

} // namespace weft::lcs_detail
