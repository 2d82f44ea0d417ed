#include <weft/lcs/cpu/bit_sliced.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <thread>
#include <weft/base/parallel.hpp>

namespace weft::lcs_detail {

namespace {

// Gathers every stride-th bit of a word, beginning with bit 0, into adjacent bits. masks_[k] has runs of
// 2^k bits, one every stride 2^k bits.
class bit_gatherer {
public:
  explicit bit_gatherer(int stride) : stride_(stride) {
    for (int unit = 1; unit * stride <= 64; unit *= 2) {
      std::uint64_t mask = 0;
      for (int at = 0; at < 64; at += unit * stride)
        mask |= (unit == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << unit) - 1) << at;
      masks_[steps_++] = mask;
    }
  }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t x) const {
    x &= masks_[0];
    for (std::size_t k = 1; k < steps_; ++k) x = (x | x >> ((stride_ - 1) << (k - 1))) & masks_[k];
    return x;
  }

private:
  int stride_;
  std::size_t steps_ = 0;
  std::array<std::uint64_t, 7> masks_{};
};

const edge_words* edges_of(bool edit) { return edit ? edit_edges : lcs_edges; }

std::uint64_t word_at(const std::vector<std::uint64_t>& words, std::uint64_t i) {
  return i < words.size() ? words[i] : 0;
}

} // namespace

aligned_words allocate_words(std::size_t count) {
  aligned_words words = hwy::AllocateAligned<std::uint64_t>(count);
  if (!words)
    throw memory_error(
        fmt::format("lcs: engine bit-sliced cannot allocate {} of memory", format_size(count * 8)));
  return words;
}

bit_sliced_table::bit_sliced_table(bool edit, const bit_planes& a, const bit_planes& b)
    : edit_(edit), kernels_(edit ? edit_kernels() : lcs_kernels()), planes_(std::max(1, a.count())),
      rows_(a.length), columns_(b.length) {
  int registers = edit ? 8 : 16;
  const auto lanes = static_cast<std::uint64_t>(kernels_.lanes);
  std::size_t a_words = 0;
  for (std::uint64_t row = 0; row < rows_;) {
    while (registers > 1 && lanes * static_cast<std::uint64_t>(registers) > rows_ - row) registers /= 2;
    const strip_shape strip{row, static_cast<int>(std::min(lanes, rows_ - row)), registers, a_words};
    strips_.push_back(strip);
    row += strip.rows();
    a_words += static_cast<std::size_t>(registers * planes_ * vector_words());
  }
  a_ = allocate_words(a_words);
  arrange_rows(a);
  arrange_columns(b);
}

void bit_sliced_table::arrange_rows(const bit_planes& a) {
  const std::vector<std::uint64_t> none;
  const int last_word = vector_words() - 1;
  for (const strip_shape& strip : strips_) {
    const int registers = strip.registers;
    const bit_gatherer gather(registers);
    for (int p = 0; p < planes_; ++p) {
      const auto& plane = p < a.count() ? a.planes[static_cast<std::size_t>(p)] : none;
      for (int k = 0; k <= last_word; ++k)
        for (int w = 0; w < registers; ++w) {
          std::uint64_t lanes = 0;
          for (int u = 0; u < registers; ++u) {
            const std::uint64_t from = strip.first_row / 64 + static_cast<std::uint64_t>(k * registers + u);
            lanes |= gather(word_at(plane, from) >> w) << (64 / registers * u);
          }
          a_[strip.a_words + static_cast<std::size_t>((w * planes_ + p) * vector_words() + last_word - k)] =
              reverse_bits(p == planes_ - 1 ? ~lanes : lanes);
        }
    }
  }
}

// Arranges the columns so that bit i of a plane is column i - (lanes - 1).
void bit_sliced_table::arrange_columns(const bit_planes& b) {
  const auto margin = static_cast<std::uint64_t>(vector_words());
  const std::uint64_t words = (columns_ + 63) / 64 + 3 * margin + 1;
  const std::vector<std::uint64_t> none;
  for (int p = 0; p < planes_; ++p) {
    const auto& plane = p < b.count() ? b.planes[static_cast<std::size_t>(p)] : none;
    std::vector<std::uint64_t> moved(words);
    for (std::uint64_t k = margin - 1; k < words; ++k)
      moved[k] = (k >= margin ? word_at(plane, k - margin) >> 1 : 0) | word_at(plane, k + 1 - margin) << 63;
    b_.push_back(std::move(moved));
  }
  for (const auto& plane : b_) b_pointers_.push_back(plane.data());
}

std::size_t bit_sliced_table::state_words(const strip_shape& strip) const {
  return static_cast<std::size_t>((strip.registers + 1) * cell_words() * vector_words());
}

boundary bit_sliced_table::make_boundary() const {
  boundary result;
  const auto words = (columns_ + 63) / 64 + 2 * static_cast<std::uint64_t>(vector_words()) + 1;
  for (int k = 0; k < cell_words(); ++k) result.words[k].assign(words, edges_of(edit_)[k].top_h);
  return result;
}

void bit_sliced_table::start(const strip_shape& strip, std::uint64_t* state) const {
  for (int w = 0; w <= strip.registers; ++w)
    for (int k = 0; k < cell_words(); ++k)
      state = std::fill_n(state, vector_words(),
                          w < strip.registers ? edges_of(edit_)[k].left_v : edges_of(edit_)[k].left_h);
}

void bit_sliced_table::run(const strip_shape& strip, std::uint64_t first, std::uint64_t last,
                           std::uint64_t* state, const boundary& above, boundary& below, std::uint64_t* trace,
                           int trace_word) const {
  strip_run task{
      planes_,   a_.get() + strip.a_words, b_pointers_.data(), first, last, state, {}, {}, 0, trace,
      trace_word};
  for (int k = 0; k < cell_words(); ++k) {
    task.in[k] = above.words[k].data() + vector_words();
    task.out[k] = below.words[k].data();
  }
  task.unused_lanes = kernels_.lanes - strip.lanes;
  kernels_.find(strip.registers, planes_, trace != nullptr)(task);
}

namespace {

// The threads that sweep a table. Strips follow each other: block i of a strip needs block i + margin of
// the strip above (or that strip's last block). Threads take strips in order, so the topmost unfinished
// strip that a thread has taken waits for nothing, and some strip always proceeds. The exception is a
// thread that has failed: it sets stop_, which all waiting threads check.
class sweep_team {
public:
  sweep_team(const bit_sliced_table& table, const bit_sliced_sweep& plan, cell_counter& work)
      : table_(table), plan_(plan), work_(work), done_(plan.last - plan.first) {}

  void run_member() {
    try {
      for (std::size_t s; (s = next_.fetch_add(1)) < done_.size();)
        if (!sweep_strip(plan_.first + s)) return;
    } catch (...) {
      stop_ = true;
      throw;
    }
  }

private:
  bool wait_for_blocks(std::size_t s, std::uint64_t blocks) const {
    for (int spins = 0; done_[s].load(std::memory_order_acquire) < blocks; ++spins) {
      if (stop_.load(std::memory_order_relaxed)) return false;
      if (spins > 256) std::this_thread::yield();
    }
    return true;
  }

  bool sweep_strip(std::size_t s) {
    const strip_shape& shape = table_.strips()[s];
    const std::size_t index = s - plan_.first;
    const std::uint64_t blocks = bit_sliced_table::blocks(shape, plan_.columns);
    const std::uint64_t above_blocks =
        s == plan_.first ? 0 : bit_sliced_table::blocks(table_.strips()[s - 1], plan_.columns);
    const auto margin = static_cast<std::uint64_t>(table_.vector_words());
    const aligned_words state = allocate_words(table_.state_words(shape));
    table_.start(shape, state.get());
    std::uint64_t counted = 0;
    for (std::uint64_t first = 0; first < blocks; first += chunk_blocks) {
      const std::uint64_t last = std::min(blocks, first + chunk_blocks);
      if (index > 0 && !wait_for_blocks(index - 1, std::min(above_blocks, last + margin))) return false;
      if (stop_.load(std::memory_order_relaxed)) return false;
      if (plan_.visit_every != 0 && first % plan_.visit_every == 0) plan_.visit(s, first, state.get());
      table_.run(shape, first, last, state.get(), plan_.above(s), plan_.below(s));
      done_[index].store(last, std::memory_order_release);
      const std::uint64_t columns = last == blocks ? plan_.columns : std::min(plan_.columns, last * 64);
      work_.add((columns - counted) * shape.rows());
      counted = columns;
    }
    return true;
  }

  const bit_sliced_table& table_;
  const bit_sliced_sweep& plan_;
  cell_counter& work_;
  std::vector<std::atomic<std::uint64_t>> done_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
};

} // namespace

void sweep(const bit_sliced_table& table, const bit_sliced_sweep& plan, int threads, cell_counter& work) {
  sweep_team sweepers(table, plan, work);
  const auto strips = static_cast<int>(std::min<std::size_t>(plan.last - plan.first, 1024));
  run_team(std::min(thread_count(threads), std::max(1, strips)), [&](int) { sweepers.run_member(); });
}

} // namespace weft::lcs_detail
