// Finds the canonical path in a table that has been swept.
//
//   sweep the table of the reversed texts (its value at (x, y) is the optimum of the suffixes a[m - x..)
//     and b[n - y..)), and keep h between strips, and all registers of a strip every `slab` blocks of time
//     (checkpoints)
//   (x, y) = (m, n)
//   while x > 0 and y > 0:
//     if the trace lacks the step that computed cell (x, y): replay its slab from the checkpoint, traced
//     lcs:  v = 0: delete;   else symbols equal: match;   else insert
//     edit: v = 1: delete;   else symbols equal: match;   else v of the cell to the left = -1: insert;
//                                                         else substitute
//   delete or insert the symbols that are left
//
// These decisions are the rule of weft/lcs/lcs.hpp. v = 0 (edit: 1) says that deleting a symbol of a keeps
// the optimum. If the symbols are equal, a match always keeps the optimum. Otherwise, if v < 1 for edit, h
// above is not -1 (which would make v = 1). Then the diagonal difference is 0, so that the diagonal is no
// optimal step, exactly if the v to the left is -1.
//
// The time of the cells never grows along the path, so each slab of a strip is replayed at most once, from
// the last slab to the first. Checkpoints take m n / 8 (1 / rows of a strip + 1 / steps of a slab) bytes.
// If that is more than allowed, the strips are divided into groups, and only the boundaries between groups
// are kept. Then each group, from the last one back, is solved as a separate table over the columns that
// are left. This is recursive, so O((m + n) log m) bits suffice.
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <weft/base/parallel.hpp>
#include <weft/lcs/cpu/bit_sliced.hpp>
#include <weft/lcs/entry/path_memory.hpp>

namespace weft::lcs_detail {

namespace {

// If checkpoints take fewer bytes than this, they are as close together as replays need them.
constexpr std::uint64_t comfortable_bytes = std::uint64_t{1} << 30;
// The number of slabs that are replayed together. More slabs than a strip has would be useless.
constexpr int max_slabs = 8;

// Finds the canonical path of two texts. (x_, y_) is the cell that the walk has reached.
class path_finder {
public:
  path_finder(const bit_planes& a, const bit_planes& b, const lcs_call& call)
      : call_(call), edit_(call.edit()), threads_(call.threads()), a_(reversed(a)), b_(reversed(b)),
        table_(edit_, a_, b_), scratch_(table_.make_boundary()), x_(a.length), y_(b.length),
        slabs_(static_cast<std::size_t>(std::min(threads_, max_slabs))) {
    for (traced_slab& slab : slabs_) slab.below = scratch_;
  }

  // Finds the path. Checkpoints take up to `memory` bytes if that is more than min_memory(). Throws
  // memory_error if the path has more than `max_runs` runs.
  edit_script find(std::uint64_t memory, std::uint64_t max_runs) {
    max_runs_ = max_runs;
    boundary top = table_.make_boundary();
    path_.runs.reserve(x_ + y_); // address space alone: growing would cost a copy, and every page anew
    solve(0, table_.strips().size(), top, memory);
    append(path_, op_, length_);
    append_unmatched(path_, x_, y_);
    require_memory_of_more_runs(0);
    return std::move(path_);
  }

  // Returns the distance by a separate sweep, which can be cancelled but does not count as progress.
  [[nodiscard]] std::uint64_t distance() {
    cell_counter uncounted(call_.options.run.monitor, false);
    boundary row = table_.make_boundary();
    const auto same_row = [&row](std::size_t) -> boundary& { return row; };
    sweep(table_, {0, table_.strips().size(), y_, same_row, same_row, 0, {}}, threads_, uncounted);
    return distance_below(table_, edit_, x_, y_, row);
  }

  // Returns the number of bytes that the path needs at least.
  [[nodiscard]] std::uint64_t min_memory() const {
    const auto levels = static_cast<std::uint64_t>(std::bit_width(table_.strips().size()));
    return plan_checkpoints(0, 1).bytes + (2 * levels + 2 + slabs_.size()) * boundary_bytes();
  }
  // Returns the number of bytes with which no part of the table is swept twice.
  [[nodiscard]] std::uint64_t whole_memory() const {
    return plan_checkpoints(0, table_.strips().size()).bytes;
  }

private:
  struct checkpoint_plan {
    std::uint64_t slab, bytes; // slab: number of blocks between checkpoints
  };

  [[nodiscard]] std::uint64_t boundary_bytes() const {
    return (y_ / 8 + 256) * static_cast<std::uint64_t>(table_.cell_words());
  }

  // Returns the size of the trace of one block.
  [[nodiscard]] std::uint64_t trace_bytes(const strip_shape& strip) const {
    return 64 * 8 * static_cast<std::uint64_t>(strip.registers * table_.cell_words() * table_.trace_words());
  }

  // Returns the closest checkpoints for strips [first, last) that take at most comfortable_bytes, or else
  // the checkpoints that take least memory.
  [[nodiscard]] checkpoint_plan plan_checkpoints(std::size_t first, std::size_t last) const {
    const strip_shape& largest = table_.strips()[first];
    const std::uint64_t blocks = bit_sliced_table::blocks(largest, y_), count = last - first;
    const std::uint64_t state = table_.state_words(largest) * 8;
    checkpoint_plan best{0, ~std::uint64_t{0}};
    for (std::uint64_t slab = chunk_blocks;; slab *= 2) {
      const std::uint64_t bytes = count * (blocks / slab + 1) * state +
                                  slabs_.size() * slab * trace_bytes(largest) +
                                  (count - 1) * boundary_bytes();
      if (bytes < best.bytes) best = {slab, bytes};
      if (bytes <= comfortable_bytes || slab >= blocks) return best;
    }
  }

  // Walks through the strips [first, last). The path enters them in their last row.
  void solve(std::size_t first, std::size_t last, boundary& top, std::uint64_t memory) {
    if (y_ == 0) return;
    const checkpoint_plan plan = plan_checkpoints(first, last);
    if (last - first > 1 && plan.bytes > memory)
      solve_groups(first, last, top, memory);
    else
      solve_with_checkpoints(first, last, top, plan.slab);
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

  void solve_with_checkpoints(std::size_t first, std::size_t last, boundary& top, std::uint64_t slab) {
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
    for (traced_slab& traced : slabs_) {
      traced.trace = allocate_words(slab * trace_bytes(table_.strips()[first]) / 8);
      traced.state = allocate_words(table_.state_words(table_.strips()[first]));
    }
    for (std::size_t s = last; s-- > first && y_ > 0;) {
      walk_strip({s, table_.strips()[s], checkpoints_[s - first].get(), above(s), slab});
      checkpoints_[s - first] = nullptr;
      if (s > first) tops.pop_back();
    }
  }

  // Sweeps strips. Only the cells of the first sweep are counted, because the sweeps of groups repeat them.
  void sweep_strips(const bit_sliced_sweep& plan) {
    cell_counter uncounted(call_.options.run.monitor, false);
    sweep(table_, plan, threads_, swept_ ? uncounted : call_.work);
    swept_ = true;
  }

  // A replayed slab: the words [word, word + trace_words) of its vectors, from step `start` of its strip
  // on.
  struct traced_slab {
    std::size_t strip = ~std::size_t{0};
    std::uint64_t start = 0, word = 0;
    aligned_words trace, state;
    boundary below; // written by the kernel, never read
  };

  // A strip that the path walks through.
  struct strip_walk {
    std::size_t index;
    const strip_shape& shape;
    const std::uint64_t* checkpoints;
    const boundary& above;
    std::uint64_t slab; // in blocks
  };

  void walk_strip(const strip_walk& strip) {
    const auto registers = static_cast<std::uint64_t>(strip.shape.registers);
    const auto width = static_cast<std::uint64_t>(table_.trace_words());
    const auto cell = static_cast<std::uint64_t>(table_.cell_words());
    const std::uint64_t first_row = strip.shape.first_row;
    std::uint64_t lane = (x_ - 1 - first_row) / registers, w = (x_ - 1 - first_row) % registers;
    const traced_slab* slab = nullptr;
    while (x_ > first_row && y_ > 0) {
      const std::uint64_t time = y_ - 1 + lane, bit = last_bit() - lane;
      if (slab == nullptr || time < slab->start || bit / 64 >= slab->word + width)
        slab = &find_slab(strip, time, bit);
      const std::uint64_t at = ((time - slab->start) * registers + w) * cell * width + bit / 64 - slab->word;
      const auto traced = [&](std::uint64_t k) { return slab->trace[at + k * width] >> bit % 64 & 1; };
      bool up = true;
      if (traced(0) == (edit_ ? 1U : 0U)) {
        add_step(edit_op::remove);
      } else if (equal()) {
        add_step(edit_op::match);
        --y_;
      } else if (!edit_ || traced(1) != 0) {
        add_step(edit_op::insert);
        --y_;
        up = false;
      } else {
        add_step(edit_op::substitute);
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

  // Returns the traced slab of a step and a lane's bit. If there is none, replays the slab. With several
  // threads it also replays the slabs before it, in the lanes that a straight path would cross.
  const traced_slab& find_slab(const strip_walk& strip, std::uint64_t time, std::uint64_t bit) {
    const std::uint64_t steps = strip.slab * 64, start = time / steps * steps;
    const auto width = static_cast<std::uint64_t>(table_.trace_words());
    for (const traced_slab& slab : slabs_)
      if (slab.strip == strip.index && slab.start == start && slab.word <= bit / 64 &&
          bit / 64 < slab.word + width)
        return slab;
    call_.work.check();
    const double lanes = static_cast<double>(x_) / strip.shape.registers, columns = static_cast<double>(y_);
    std::size_t count = 0;
    for (; count < slabs_.size() && count * steps <= start; ++count) {
      traced_slab& slab = slabs_[count];
      slab.strip = strip.index;
      slab.start = start - count * steps;
      std::uint64_t from = bit / 64;
      if (count > 0) {
        const auto ahead = static_cast<double>(time - slab.start - steps + 1);
        from = (bit + static_cast<std::uint64_t>(ahead * lanes / (lanes + columns))) / 64;
        if (from > last_bit() / 64) break;
        from -= from > 0 ? 1 : 0;
      }
      slab.word = std::min(from, (last_bit() + 1) / 64 - width);
    }
    for (std::size_t unused = count; unused < slabs_.size(); ++unused) slabs_[unused].strip = ~std::size_t{0};
    parallel_for(0, count, 1, threads_, [&](std::uint64_t i, std::uint64_t) {
      traced_slab& slab = slabs_[i];
      replay(strip, slab, i == 0 ? time / 64 + 1 : slab.start / 64 + strip.slab);
    });
    return slabs_[0];
  }

  // Replays a slab, from the checkpoint at its start up to block `last` (exclusive).
  void replay(const strip_walk& strip, traced_slab& slab, std::uint64_t last) {
    const std::size_t words = table_.state_words(strip.shape);
    std::copy_n(strip.checkpoints + slab.start / 64 / strip.slab * words, words, slab.state.get());
    table_.run(strip.shape, slab.start / 64, last, slab.state.get(), strip.above, slab.below,
               slab.trace.get(), static_cast<int>(slab.word));
  }

  [[nodiscard]] std::uint64_t last_bit() const {
    return static_cast<std::uint64_t>(table_.vector_words()) * 64 - 1;
  }

  // Adds a step to the last run, or ends that run and begins a new one.
  void add_step(edit_op op) {
    if (op != op_) {
      require_memory_of_more_runs(1);
      append(path_, op_, length_);
      op_ = op;
      length_ = 0;
    }
    ++length_;
  }

  // Throws memory_error if the path cannot have `more` runs.
  void require_memory_of_more_runs(std::uint64_t more) const {
    if (path_.runs.size() + more > max_runs_)
      throw memory_error(
          "lcs: engine bit-sliced needs more memory for the runs of this path than is allowed");
  }

  [[nodiscard]] bool equal() const {
    for (int p = 0; p < a_.count(); ++p)
      if (a_.bit(p, x_ - 1) != b_.bit(p, y_ - 1)) return false;
    return true;
  }

  const lcs_call& call_;
  bool edit_;
  int threads_;
  bool swept_ = false;
  bit_planes a_, b_; // reversed
  bit_sliced_table table_;
  boundary scratch_; // receives boundaries that nobody reads
  std::uint64_t x_, y_;
  std::vector<aligned_words> checkpoints_;
  std::vector<traced_slab> slabs_; // one for each thread
  edit_script path_;
  std::uint64_t max_runs_ = 0;
  edit_op op_ = edit_op::match; // of the run that is not yet in path_
  std::uint64_t length_ = 0;
};

} // namespace

edit_script bit_sliced_path(const bit_planes& a, const bit_planes& b, const lcs_call& call) {
  if (a.count() != b.count()) throw std::invalid_argument("bit_sliced_path: texts of different planes");
  edit_script path;
  if (a.length == 0 || b.length == 0) {
    append_unmatched(path, a.length, b.length);
    return path;
  }
  const auto planes = static_cast<std::uint64_t>(std::max(1, a.count()));
  const std::uint64_t copies = (a.length + b.length) / 4 * planes + 65536;
  const std::uint64_t requested = call.options.run.memory;
  require_memory("engine bit-sliced", copies, requested);
  path_finder finder(a, b, call);
  require_memory("engine bit-sliced", copies + finder.min_memory(), requested);
  if (requested == 0) {
    const bool small = finder.whole_memory() < std::uint64_t{1} << 24;
    return finder.find(small ? std::uint64_t{1} << 24 : memory_limit(0) - copies, ~std::uint64_t{0});
  }
  // The largest number of runs at a distance is 1.7 times that of random DNA. If it does not fit, the runs
  // get all memory that the checkpoints do not need, and are counted.
  const std::uint64_t spare = requested - copies - finder.min_memory();
  const std::uint64_t needed_bytes =
      max_bytes_of_runs(a.length, b.length, call.edit(), spare, requested, [&] { return finder.distance(); });
  const std::uint64_t bytes = std::min(needed_bytes, spare);
  return finder.find(requested - copies - bytes, bytes / sizeof(edit_run));
}

} // namespace weft::lcs_detail
