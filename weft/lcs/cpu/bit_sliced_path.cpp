// The canonical path out of a swept table.
//
//   run the table of the texts backwards: its value at (x, y) is the optimum of the suffixes a[m - x..), b[n
//   - y..) keep h between strips, and all registers of a strip every `slab` blocks of time (checkpoints) (x,
//   y) = (m, n) while x > 0 and y > 0:
//     if the step at which cell (x, y) was done is not in the trace: replay its slab from the checkpoint,
//     traced lcs:  v = 0: delete;   else symbols equal: match;   else insert edit: v = 1: delete;   else
//     symbols equal: match;   else v of the cell to the left = -1: insert; else substitute
//   delete or insert what is left
//
// which is the rule of weft/lcs/lcs.hpp: v = 0 (edit: 1) says that a symbol of a can be deleted for nothing
// more than the optimum. Equal symbols always are an optimal step. If they differ and v < 1 in edit, then h
// above is not -1 (it would make v = 1), so the diagonal difference is 0, and the diagonal no optimal step,
// exactly if the left v is -1.
//
// Time of a cell never grows along the path, so each strip's slabs are replayed at most once, from the last
// one back. Space: m n / 8 (1 / rows of a strip + 1 / steps of a slab) bytes. If that is more than allowed,
// strips are put in groups, only the boundaries between groups are kept, and each group, from the last one
// back, is solved as a table of its own over the columns that are left: recursively, so O((m + n) log m) bits
// suffice.
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <weft/lcs/cpu/bit_sliced.hpp>
#include <weft/lcs/cpu/bit_sliced_table.hpp>
#include <weft/lcs/cpu/common.hpp>

namespace weft::lcs_cpu {

using lcs_core::bit_planes;

namespace {

// Below this, checkpoints are as close as replays want them.
constexpr std::uint64_t comfortable = std::uint64_t{1} << 30;

class path_finder {
public:
  path_finder(bool edit, const bit_planes& a, const bit_planes& b, const table_options& options)
      : edit_(edit), threads_(options.threads), monitor_(options.monitor), a_(reversed(a)), b_(reversed(b)),
        table_(edit, a_, b_, options.threads, 0), scratch_(table_.make_boundary()), x_(a.length),
        y_(b.length) {}

  edit_script find(std::uint64_t memory) {
    boundary top = table_.make_boundary();
    solve(0, table_.strips().size(), top, memory);
    append(path_, edit_op::remove, x_);
    append(path_, edit_op::insert, y_);
    return std::move(path_);
  }

  // Bytes without which it cannot be done.
  [[nodiscard]] std::uint64_t least_memory() const {
    const auto levels = static_cast<std::uint64_t>(std::bit_width(table_.strips().size()));
    return one_plan(0, 1).bytes + (2 * levels + 2) * boundary_bytes();
  }
  // Bytes with which nothing is done twice.
  [[nodiscard]] std::uint64_t whole_memory() const { return one_plan(0, table_.strips().size()).bytes; }

private:
  struct checkpoint_plan {
    std::uint64_t slab, bytes; // slab: blocks between checkpoints
  };

  [[nodiscard]] std::uint64_t boundary_bytes() const {
    return (y_ / 8 + 256) * static_cast<std::uint64_t>(table_.cell_words());
  }

  // The closest checkpoints for these strips that are comfortable, or else the ones that need least.
  [[nodiscard]] checkpoint_plan one_plan(std::size_t first, std::size_t last) const {
    const strip_shape& largest = table_.strips()[first];
    const std::uint64_t blocks = bit_sliced_table::blocks(largest, y_), count = last - first;
    const std::uint64_t state = table_.state_words(largest) * 8;
    checkpoint_plan best{0, ~std::uint64_t{0}};
    for (std::uint64_t slab = chunk_blocks;; slab *= 2) {
      const std::uint64_t bytes =
          count * (blocks / slab + 1) * state + slab * 64 * state + (count - 1) * boundary_bytes();
      if (bytes < best.bytes) best = {slab, bytes};
      if (bytes <= comfortable || slab >= blocks) return best;
    }
  }

  // Walks through strips [first, last), which the path enters at their last row.
  void solve(std::size_t first, std::size_t last, boundary& top, std::uint64_t memory) {
    if (y_ == 0) return;
    const checkpoint_plan plan = one_plan(first, last);
    if (last - first > 1 && plan.bytes > memory)
      solve_groups(first, last, top, memory);
    else
      solve_here(first, last, top, plan.slab);
  }

  void solve_groups(std::size_t first, std::size_t last, boundary& top, std::uint64_t memory) {
    const std::size_t strips = last - first;
    const std::uint64_t groups = std::clamp<std::uint64_t>(memory / 2 / boundary_bytes(), 2, strips);
    const std::size_t size = (strips + groups - 1) / groups;
    std::vector<boundary> tops((strips + size - 1) / size - 1, table_.make_boundary());
    boundary bottom = table_.make_boundary();
    const auto below = [&](std::size_t s) -> boundary& {
      const std::size_t group = (s - first) / size;
      return group < tops.size() ? tops[group] : bottom;
    };
    const auto above = [&](std::size_t s) -> boundary& { return s == first ? top : below(s - 1); };
    sweep_strips({first, last, y_, above, below, 0, {}});
    const std::uint64_t kept = (tops.size() + 1) * boundary_bytes();
    for (std::size_t group = tops.size() + 1; group-- > 0;) {
      solve(first + group * size, std::min(last, first + (group + 1) * size),
            group == 0 ? top : tops[group - 1], memory > kept ? memory - kept : 0);
      if (group > 0) tops.pop_back();
    }
  }

  void solve_here(std::size_t first, std::size_t last, boundary& top, std::uint64_t slab) {
    std::vector<boundary> tops(last - first - 1, table_.make_boundary());
    checkpoints_.clear();
    checkpoints_.resize(last - first);
    const auto above = [&](std::size_t s) -> boundary& { return s == first ? top : tops[s - first - 1]; };
    const auto below = [&](std::size_t s) -> boundary& { return s + 1 < last ? tops[s - first] : scratch_; };
    const auto visit = [&](std::size_t s, std::uint64_t block, const std::uint64_t* state) {
      const std::size_t words = table_.state_words(table_.strips()[s]);
      aligned_words& kept = checkpoints_[s - first];
      if (block == 0)
        kept = allocate_words((bit_sliced_table::blocks(table_.strips()[s], y_) / slab + 1) * words);
      std::copy_n(state, words, kept.get() + block / slab * words);
    };
    sweep_strips({first, last, y_, above, below, slab, visit});
    trace_ = allocate_words(slab * 64 * table_.state_words(table_.strips()[first]));
    state_ = allocate_words(table_.state_words(table_.strips()[first]));
    for (std::size_t s = last; s-- > first && y_ > 0;) {
      walk_strip(s, checkpoints_[s - first].get(), above(s), slab);
      checkpoints_[s - first] = nullptr;
      if (s > first) tops.pop_back();
    }
  }

  // The first sweep is the one that the monitor counts; those of groups come on top.
  void sweep_strips(const sweep_plan& plan) {
    cell_count work(monitor_, !swept_);
    swept_ = true;
    sweep(table_, plan, threads_, work);
  }

  void walk_strip(std::size_t s, const std::uint64_t* checkpoints, const boundary& above,
                  std::uint64_t slab) {
    const strip_shape& strip = table_.strips()[s];
    const auto registers = static_cast<std::uint64_t>(strip.registers);
    const auto vector = static_cast<std::uint64_t>(table_.vector_words());
    const auto cell = static_cast<std::uint64_t>(table_.cell_words());
    const std::size_t state_words = table_.state_words(strip);
    const std::uint64_t slab_steps = slab * 64, last_bit = vector * 64 - 1;
    std::uint64_t loaded = ~std::uint64_t{0};
    std::uint64_t lane = (x_ - 1 - strip.first_row) / registers, w = (x_ - 1 - strip.first_row) % registers;
    while (x_ > strip.first_row && y_ > 0) {
      const std::uint64_t time = y_ - 1 + lane;
      if (time < loaded) { // never after the loaded slab
        loaded = time / slab_steps * slab_steps;
        replay(strip, loaded / 64, time / 64 + 1, checkpoints + loaded / slab_steps * state_words, above);
      }
      const std::uint64_t at = ((time - loaded) * registers + w) * cell * vector, bit = last_bit - lane;
      const auto traced = [&](std::uint64_t k) { return trace_[at + k * vector + bit / 64] >> bit % 64 & 1; };
      bool up = true;
      if (traced(0) == (edit_ ? 1U : 0U)) {
        append(path_, edit_op::remove, 1);
      } else if (equal()) {
        append(path_, edit_op::match, 1);
        --y_;
      } else if (!edit_ || traced(1) != 0) {
        append(path_, edit_op::insert, 1);
        --y_;
        up = false;
      } else {
        append(path_, edit_op::substitute, 1);
        --y_;
      }
      if (up) {
        --x_;
        if (w-- == 0) {
          w = registers - 1;
          --lane;
        }
      }
    }
  }

  // Blocks [first, last) of one slab; checkpoint: its state at first.
  void replay(const strip_shape& strip, std::uint64_t first, std::uint64_t last,
              const std::uint64_t* checkpoint, const boundary& above) {
    if (monitor_ != nullptr) monitor_->check();
    const std::size_t words = table_.state_words(strip);
    std::copy_n(checkpoint, words, state_.get());
    table_.run(strip, first, last, state_.get(), above, scratch_, trace_.get());
  }

  [[nodiscard]] bool equal() const {
    for (int p = 0; p < a_.count(); ++p)
      if (a_.bit(p, x_ - 1) != b_.bit(p, y_ - 1)) return false;
    return true;
  }

  bool edit_;
  int threads_;
  task_monitor* monitor_;
  bool swept_ = false;
  bit_planes a_, b_; // reversed
  bit_sliced_table table_;
  boundary scratch_; // takes what nobody reads
  std::uint64_t x_, y_;
  std::vector<aligned_words> checkpoints_;
  aligned_words trace_, state_;
  edit_script path_;
};

} // namespace

edit_script bit_sliced_path(lcs_metric metric, const bit_planes& a, const bit_planes& b,
                            const table_options& options) {
  if (a.count() != b.count()) throw std::invalid_argument("bit_sliced_path: texts of different planes");
  edit_script path;
  if (a.length == 0 || b.length == 0) {
    append(path, edit_op::remove, a.length);
    append(path, edit_op::insert, b.length);
    return path;
  }
  const auto planes = static_cast<std::uint64_t>(std::max(1, a.count()));
  const std::uint64_t copies = (a.length + b.length) / 4 * planes + 65536;
  require_memory("bit-sliced", copies, options.memory);
  path_finder finder(metric == lcs_metric::edit, a, b, options);
  require_memory("bit-sliced", copies + finder.least_memory(), options.memory);
  const bool small = options.memory == 0 && finder.whole_memory() < std::uint64_t{1} << 24;
  return finder.find(small ? std::uint64_t{1} << 24 : memory_limit(options.memory) - copies);
}

} // namespace weft::lcs_cpu
