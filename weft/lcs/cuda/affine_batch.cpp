// Engine affine-batch: computes the penalties with affine gaps of all pairs of short sequences on a GPU
// (core/affine_batch.hpp). Values of a piece of rows are stored while the next pieces are computed
// (batch_slots.hpp).
#include <algorithm>
#include <array>
#include <numeric>
#include <weft/base/byte_counts.hpp>
#include <weft/base/engines.hpp>
#include <weft/lcs/cuda/affine_batch.hpp>
#include <weft/lcs/cuda/batch_slots.hpp>
#include <weft/lcs/cuda/systolic_table.hpp>
#include <weft/lcs/entry/affine_costs.hpp>
#include <weft/lcs/estimates.hpp>

namespace weft::lcs_detail {

namespace {

constexpr std::int64_t max_values = std::int64_t{1} << 20; // for a piece of more than one row
constexpr double piece_cells = 2e11;                       // likewise: a tenth of a second

// The penalties in units of their greatest common divisor, `unit`.
struct scaled_penalties : affine_pair_penalties {
  std::uint64_t unit;
  explicit scaled_penalties(const affine_penalties& from)
      : affine_pair_penalties{from.gap_open, from.gap_extend, from.mismatch},
        unit(std::gcd(std::gcd(from.gap_open, from.gap_extend), from.mismatch)) {
    open /= unit, extend /= unit, mismatch /= unit;
  }
};

// A batch to compute: the sequences are text[offsets[i], offsets[i + 1]).
struct affine_batch {
  codes text;
  std::span<const std::uint64_t> offsets;
  affine_alphabet alphabet;
  scaled_penalties penalties;
  // Returns the length of the longest sequence that can be computed; 0: none.
  [[nodiscard]] std::uint64_t max_length() const {
    return affine_pair_length(penalties, alphabet.count_codes());
  }
};

// Returns the stripes for columns of this length that take the least time.
affine_chunk stripes_for(int length) {
  constexpr int cell = 6, row = 16; // the time of a cell, and the rest of a row
  affine_chunk best{};
  int best_time = 0;
  for (const int columns : affine_stripe_columns) {
    const int stripes = (length + columns - 1) / columns, time = stripes * (columns * cell + row);
    if (best.columns == 0 || time <= best_time) best = {0, stripes, columns}, best_time = time;
  }
  return best;
}

} // namespace

batch_plan plan_short_pairs(std::span<const std::uint64_t> offsets, std::uint64_t max_length,
                            const lcs_options::pair_share& share) {
  const std::size_t count = offsets.size() - 1;
  if (count > std::size_t{1} << 30)
    throw error(errc::invalid_input, "a batch must have at most 2^30 sequences");
  const auto length = [&](std::uint32_t i) { return offsets[i + 1] - offsets[i]; };
  batch_plan plan;
  for (std::uint32_t i = 0; i < count; ++i)
    if (length(i) <= max_length) plan.order.push_back(i);
  std::stable_sort(plan.order.begin(), plan.order.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return length(i) > length(j); });
  plan.begins.push_back(0);
  for (const std::uint32_t i : plan.order) {
    plan.lengths.push_back(static_cast<std::int64_t>(length(i)));
    plan.cuts.push_back(static_cast<int>(plan.cuts.size()));
    plan.begins.push_back(plan.begins.back() + plan.cuts.back());
  }
  keep_share(plan, share);
  return plan;
}

affine_layout::affine_layout(const batch_plan& plan, std::span<const std::uint64_t> offsets) {
  for (int p = 0; p < plan.count(); ++p)
    items.push_back({static_cast<std::int64_t>(offsets[plan.order[to_size(p)]]),
                     static_cast<int>(plan.lengths[to_size(p)])});
  for (int first = 0; first < plan.count(); first += affine_chunk_items) {
    affine_chunk chunk = stripes_for(items[to_size(first)].length);
    chunk.begin = column_words;
    column_words += std::int64_t{chunk.stripes} * chunk.columns * affine_lanes_of_task;
    // Border `rows` is loaded, too, but not used.
    if (chunk.stripes > 1) border_rows = items.front().length + 1;
    chunks.push_back(chunk);
  }
}

affine_job plain_affine_job(const affine_pair_penalties& penalties, const affine_layout& layout,
                            const batch_piece& piece) {
  affine_job job{};
  job.first = piece.first, job.last = piece.last;
  job.max_chunks = (piece.last - 1 + affine_chunk_items - 1) / affine_chunk_items;
  job.costs = {static_cast<std::int32_t>(penalties.open), static_cast<std::int32_t>(penalties.extend),
               static_cast<std::int32_t>(penalties.mismatch)};
  job.extend = static_cast<int>(penalties.extend);
  job.border_rows = layout.border_rows;
  return job;
}

namespace {

// The memory of a batch on the device, and its pieces. The plan has at least two items.
class affine_run {
public:
  affine_run(const affine_batch& batch, const batch_plan& plan, const gpu_options& options)
      : batch_(batch), plan_(plan), options_(options), device_(gpu::context_of<gpu_context>(options.device)),
        layout_(plan, batch.offsets), codes_(make_affine_codes(batch.alphabet, batch.penalties)),
        slots_(plan) {
    gpu::check(affine_batch_occupancy(codes_.form, &blocks_that_fit_), "plan a batch");
    blocks_that_fit_ = std::max(blocks_that_fit_, 1) * device_.multiprocessors;
    plan_memory();
    pieces_ = cut_into_pieces(plan, slots_.capacity(), piece_cells, [](std::int64_t) {
      return batch_shape{false, false, 0};
    });
    upload();
  }

  [[nodiscard]] const std::vector<batch_piece>& pieces() const { return pieces_; }
  [[nodiscard]] const batch_slots& slots() const { return slots_; }

  // The functions that run_batch() calls.
  void launch(std::size_t index) {
    const batch_piece& current = pieces_[index];
    affine_job job = plain_affine_job(batch_.penalties, layout_, current);
    job.row_letters = row_letters_.data();
    job.column_letters = column_letters_.data();
    job.items = items_.data();
    job.chunks = chunk_table_.data();
    job.begins = begins_.data();
    job.borders = reinterpret_cast<affine_border*>(slots_.links(index));
    job.ticket = slots_.ticket(index);
    job.values = slots_.values(index);
    job.stop = device_.stop.data();
    const std::int64_t tasks = std::int64_t{current.last - current.first} * job.max_chunks;
    const std::int64_t blocks = std::min(
        {(tasks + affine_warps - 1) / affine_warps, std::int64_t{blocks_that_fit_}, slots_.link_blocks()});
    gpu::check(launch_affine_batch(codes_.form, job, static_cast<int>(blocks), slots_.stream(index)),
               "compute a batch");
    slots_.download(index, current);
  }
  std::uint64_t collect(std::size_t index, std::vector<std::uint64_t>& values) {
    slots_.wait(index);
    slots_.store(index, pieces_[index], batch_.penalties.unit, options_.threads, values);
    return pieces_[index].cells;
  }
  void stop() { *device_.stop.data() = 1; }

private:
  void plan_memory() {
    const std::uint64_t items = plan_.order.size(), letters = batch_.text.size();
    slots_.plan_memory({.engine = "affine-batch",
                        .fixed_bytes = letters + 4 * (letters + 1) + 4 * to_size(layout_.column_words) +
                                       items * (sizeof(affine_item) + sizeof(std::int64_t)) +
                                       layout_.chunks.size() * sizeof(affine_chunk) + 65536,
                        .link_block_bytes = std::uint64_t{affine_threads} * to_size(layout_.border_rows) *
                                            sizeof(affine_border),
                        .max_link_blocks = blocks_that_fit_,
                        .min_link_blocks = device_.multiprocessors,
                        .max_values = std::clamp(plan_.begins.back() / 8, std::int64_t{1} << 16, max_values)},
                       gpu::device_memory_allowed(options_.device_memory));
  }

  // Copies the text and the plan to the device, encodes the text, and allocates all memory.
  void upload() {
    constexpr std::string_view copying = "copy a batch to the GPU";
    const cudaStream_t stream = device_.work.get();
    items_ = gpu::uploaded(std::span<const affine_item>(layout_.items), stream, copying);
    chunk_table_ = gpu::uploaded(std::span<const affine_chunk>(layout_.chunks), stream, copying);
    begins_ = gpu::uploaded(std::span<const std::int64_t>(plan_.begins), stream, copying);
    text_ = gpu::uploaded(batch_.text, stream, copying);
    row_letters_ = {batch_.text.size() + 1, stream};
    column_letters_ = {std::max<std::size_t>(to_size(layout_.column_words), 1), stream};
    gpu::check(launch_affine_rows(text_.data(), static_cast<std::int64_t>(batch_.text.size()), codes_,
                                  row_letters_.data(), stream),
               "encode a batch");
    gpu::check(launch_affine_columns(text_.data(), items_.data(), plan_.count(), chunk_table_.data(), codes_,
                                     column_letters_.data(), stream),
               "encode a batch");
    slots_.allocate(stream, true);
    device_.work.wait();
    *device_.stop.data() = 0;
  }

  const affine_batch& batch_;
  const batch_plan& plan_;
  const gpu_options& options_;
  gpu_context& device_;
  affine_layout layout_;
  affine_codes codes_;
  int blocks_that_fit_ = 0; // on the device
  std::vector<batch_piece> pieces_;
  gpu::device_buffer<affine_item> items_;
  gpu::device_buffer<affine_chunk> chunk_table_;
  gpu::device_buffer<std::int64_t> begins_;
  gpu::device_buffer<std::uint8_t> text_;
  gpu::device_buffer<std::uint32_t> row_letters_, column_letters_;
  batch_slots slots_; // declared last, because its destructor waits for the work that uses everything else
};

// Returns the values of all pairs; those of pairs with a sequence of more than batch.max_length() are 0.
std::vector<std::uint64_t> values_of_short_pairs(const affine_batch& batch, const gpu_options& options) {
  const std::uint64_t count = batch.offsets.size() - 1, pairs = count * (count - 1) / 2;
  const gpu::device_scope scope(options.device);
  const batch_plan plan = plan_short_pairs(batch.offsets, batch.max_length(), options.share);
  std::vector<std::uint64_t> values;
  const auto resize = [&] { resize_values(values, pairs, options.threads); };
  if (plan.begins.back() == 0) { // the share has no pairs
    resize();
    return values;
  }
  cell_counter work(options.monitor, options.counting);
  work.expect(plan.cells);
  affine_run run(batch, plan, options);
  run_batch(run, values, work, resize);
  work.finish();
  return values;
}

// Returns the batch of a call for all pairs.
affine_batch batch_of(const sequences_view& batch, const lcs_options& options, int threads) {
  affine_alphabet alphabet;
  const std::array<std::uint64_t, 256> counts = count_bytes(batch.data, threads);
  for (std::size_t byte = 0; byte < 256; ++byte) alphabet.occurs[byte] = counts[byte] > 0;
  for (const char letter : options.unmatched) alphabet.is_unmatched[static_cast<std::uint8_t>(letter)] = true;
  return {{reinterpret_cast<const std::uint8_t*>(batch.data.data()), batch.data.size()},
          batch.offsets,
          alphabet,
          scaled_penalties(options.penalties)};
}

class affine_batch_engine final : public gpu_batch_engine {
public:
  affine_batch_engine()
      : gpu_batch_engine("affine-batch",
                         "a CUDA GPU; metric affine; penalties of pairs of up to 4096 symbols, not paths",
                         device_kind::gpu) {}
  [[nodiscard]] bool is_affine() const override { return true; }
  // A single pair keeps one thread busy.
  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    return table_cells(problem.m(), problem.n()) / affine_batch_lane_speed;
  }
  [[nodiscard]] bool is_usable() const override { return weft::base_detail::first_usable_gpu() != nullptr; }
  [[nodiscard]] bool is_worthwhile_for_pairs(double cells, int threads) const override {
    return affine_batch_seconds(cells) < affine_table_seconds(1, 1, false) * cells / threads;
  }

  void run(lcs_problem& problem) const override {
    const gpu_options gpu = options_for(problem.call);
    with_byte_symbols(problem, [&](codes a, codes b, std::uint64_t sigma) {
      std::vector<std::uint8_t> text(a.begin(), a.end());
      text.insert(text.end(), b.begin(), b.end());
      const std::array<std::uint64_t, 3> offsets = {0, a.size(), text.size()};
      problem.distance =
          values_of_short_pairs(
              {text, offsets, dense_alphabet(sigma), scaled_penalties(penalties_of(problem))}, gpu)
              .front();
    });
  }

  [[nodiscard]] std::uint64_t max_length(const sequences_view& batch,
                                         const lcs_options& options) const override {
    return batch_of(batch, options, options.run.threads).max_length();
  }
  [[nodiscard]] std::vector<std::uint64_t> all_pairs(const sequences_view& batch,
                                                     const lcs_options& options) const override {
    const std::uint64_t count = batch.count(), pairs = count < 2 ? 0 : cells(count, count - 1) / 2;
    require_memory("engine affine-batch", cells(pairs, 8) + batch.data.size(), options.run.memory);
    if (pairs == 0) return {};
    cell_counter uncounted(nullptr);
    gpu_options gpu = options_for({options, uncounted});
    gpu.share = options.share;
    return values_of_short_pairs(batch_of(batch, options, gpu.threads), gpu);
  }

protected:
  [[nodiscard]] std::string why_not_texts(const lcs_problem& problem) const override {
    if (problem.wants_path) return "it computes penalties, not paths";
    if (problem.call.wildcards != nullptr) return "it does not compare letters that match any letter";
    if (std::string reason = why_not_symbols(problem); !reason.empty()) return reason;
    std::string reason;
    with_byte_symbols(problem, [&](codes a, codes b, std::uint64_t sigma) {
      const std::uint64_t limit =
          affine_pair_length(scaled_penalties(penalties_of(problem)), dense_alphabet(sigma).count_codes());
      if (limit == 0)
        reason = "its numbers have 16 bits, which these penalties exceed";
      else if (std::max(a.size(), b.size()) > limit)
        reason = fmt::format("with these penalties it supports at most {} symbols", limit);
    });
    return reason;
  }

private:
  static const affine_penalties& penalties_of(const lcs_problem& problem) {
    return problem.call.options.penalties;
  }
  // Returns the alphabet of codes below sigma.
  static affine_alphabet dense_alphabet(std::uint64_t sigma) {
    affine_alphabet alphabet;
    std::fill_n(std::begin(alphabet.occurs), sigma, true);
    return alphabet;
  }
};

} // namespace

const gpu_batch_engine& affine_batch_of_gpu() {
  static const affine_batch_engine engine;
  return engine;
}

} // namespace weft::lcs_detail
