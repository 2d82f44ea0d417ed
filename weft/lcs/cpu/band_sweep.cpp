#include <weft/lcs/cpu/band_sweep.hpp>

#include <algorithm>
#include <atomic>
#include <weft/base/parallel.hpp>

namespace weft::lcs_detail {

namespace {

constexpr std::uint64_t whole_row = ~std::uint64_t{0};

// The threads that sweep a band. All strips read and write one row of differences, because each strip reads
// ahead of what it writes (boundary). Member t of the team has the strips [t S / T, (t + 1) S / T).
class band_team {
public:
  band_team(const bit_sliced_table& table, const band_links& links, int members, cell_counter& work)
      : table_(table), links_(links), work_(work), columns_(table.columns()), words_((columns_ + 63) / 64),
        row_(table.make_boundary()), done_(static_cast<std::size_t>(members)),
        piece_(links.words * cell_words()) {}

  void run_member(std::size_t member) {
    // Whoever waits for this member goes on when it ends, also if it has failed, and then sees stop_.
    const struct guard {
      band_team& team;
      std::size_t member;
      ~guard() { team.publish(member, whole_row); }
    } at_end{*this, member};
    try {
      sweep_strips(member);
    } catch (...) {
      stop_ = true;
      throw;
    }
  }

private:
  // A strip, and the number of its blocks that are computed.
  struct strip_progress {
    const strip_shape* shape;
    aligned_words state;
    std::uint64_t blocks, done = 0;
  };

  [[nodiscard]] std::size_t cell_words() const { return static_cast<std::size_t>(table_.cell_words()); }
  [[nodiscard]] std::uint64_t margin() const { return static_cast<std::uint64_t>(table_.vector_words()); }

  void sweep_strips(std::size_t member) {
    const std::size_t count = table_.strips().size();
    std::vector<strip_progress> strips;
    for (std::size_t s = member * count / done_.size(); s < (member + 1) * count / done_.size(); ++s) {
      const strip_shape& shape = table_.strips()[s];
      strips.push_back(
          {&shape, allocate_words(table_.state_words(shape)), bit_sliced_table::blocks(shape, columns_)});
      table_.start(shape, strips.back().state.get());
    }
    const bool last = member + 1 == done_.size();
    for (std::uint64_t known = 0; known != whole_row;) {
      known = member == 0 ? take_piece() : wait(member - 1, known);
      if (stop_.load(std::memory_order_relaxed)) return;
      std::uint64_t frontier = known;
      for (strip_progress& strip : strips) frontier = advance(strip, frontier);
      if (last) pass_pieces(*strips.back().shape, frontier);
      publish(member, frontier);
    }
  }

  // Computes the blocks of a strip that the first `known` words of the row suffice for. Returns how many
  // words of the row the strip does not change any more.
  std::uint64_t advance(strip_progress& strip, std::uint64_t known) {
    const std::uint64_t last =
        known == whole_row ? strip.blocks : std::min(strip.blocks, known - std::min(known, margin()));
    if (last > strip.done) {
      table_.run(*strip.shape, strip.done, last, strip.state.get(), row_, row_);
      const std::uint64_t before = std::min(columns_, strip.done * 64),
                          after = last == strip.blocks ? columns_ : std::min(columns_, last * 64);
      work_.add((after - before) * strip.shape->rows());
      strip.done = last;
    }
    return strip.done == strip.blocks ? whole_row : strip.done;
  }

  // Takes the next piece of the row above the band. Returns how many words of the row are known.
  std::uint64_t take_piece() {
    const std::uint64_t count = std::min(links_.words, words_ - taken_);
    if (links_.take) {
      const std::span<std::uint64_t> piece(piece_.data(), count * cell_words());
      links_.take(piece);
      for (std::size_t k = 0; k < cell_words(); ++k)
        std::copy_n(piece.data() + k * count, count, row_.words[k].data() + margin() + taken_);
    }
    taken_ += count;
    return taken_ == words_ ? whole_row : margin() + taken_;
  }

  // Passes on the pieces whose columns the last strip has computed.
  void pass_pieces(const strip_shape& strip, std::uint64_t done) {
    const auto lanes = static_cast<std::uint64_t>(strip.lanes); // bit c + lanes of the row is column c
    const std::uint64_t ready = done == whole_row ? words_ : (done * 64 - std::min(done * 64, lanes)) / 64;
    while (passed_ < words_) {
      const std::uint64_t count = std::min(links_.words, words_ - passed_);
      if (passed_ + count > ready) return;
      std::vector<std::uint64_t> piece;
      piece.reserve(count * cell_words());
      for (std::size_t k = 0; k < cell_words(); ++k)
        for (std::uint64_t j = passed_; j < passed_ + count; ++j) {
          const std::uint64_t* from = row_.words[k].data() + (j * 64 + lanes) / 64;
          piece.push_back(lanes % 64 == 0 ? from[0] : from[0] >> lanes % 64 | from[1] << (64 - lanes % 64));
        }
      links_.pass(piece);
      passed_ += count;
    }
  }

  void publish(std::size_t member, std::uint64_t known) {
    done_[member].store(known, std::memory_order_release);
    done_[member].notify_all();
  }
  // Waits until more than `known` words of the row are done by a member. Returns how many.
  std::uint64_t wait(std::size_t member, std::uint64_t known) {
    done_[member].wait(known, std::memory_order_acquire);
    return done_[member].load(std::memory_order_acquire);
  }

  const bit_sliced_table& table_;
  const band_links& links_;
  cell_counter& work_;
  std::uint64_t columns_, words_, taken_ = 0, passed_ = 0; // in words of the columns
  boundary row_;
  std::vector<std::atomic<std::uint64_t>> done_; // how many words of the row each member has done
  std::vector<std::uint64_t> piece_;
  std::atomic<bool> stop_{false};
};

// Reads the differences of a row, as the change of the distance from a column to the next.
class step_reader {
public:
  step_reader(bool edit, const row_differences& row) : edit_(edit), row_(row) {}
  [[nodiscard]] std::int64_t step(std::uint64_t column) const {
    const auto bit = [&](int k) {
      return static_cast<std::int64_t>(row_.words[k][column / 64] >> column % 64 & 1);
    };
    return edit_ ? bit(0) - bit(1) : 1 - 2 * bit(0);
  }

private:
  bool edit_;
  const row_differences& row_;
};

} // namespace

void sweep_band(const bit_sliced_table& table, const band_links& links, int threads, cell_counter& work) {
  const auto strips = static_cast<int>(std::min<std::size_t>(table.strips().size(), 1024));
  const int members = std::min(thread_count(threads), std::max(1, strips));
  band_team team(table, links, members, work);
  run_team(members, [&](int member) { team.run_member(static_cast<std::size_t>(member)); });
}

meeting meet(bool edit, std::uint64_t columns, std::uint64_t above_rows, const row_differences& above,
             std::uint64_t below_rows, const row_differences& below) {
  const step_reader up(edit, above), down(edit, below);
  auto sum = static_cast<std::int64_t>(above_rows + below_rows);
  for (std::uint64_t j = 0; j < columns; ++j) sum += down.step(j);
  meeting best{0, static_cast<std::uint64_t>(sum)};
  for (std::uint64_t k = 1; k <= columns; ++k) {
    sum += up.step(k - 1) - down.step(columns - k);
    if (static_cast<std::uint64_t>(sum) < best.distance) best = {k, static_cast<std::uint64_t>(sum)};
  }
  return best;
}

} // namespace weft::lcs_detail
