#include <weft/bwt/cpu/suffix_ranges.hpp>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/bucket_sort.hpp>

namespace weft::bwt_detail {

std::uint64_t range_limits::min_bytes(std::uint64_t symbols) {
  return bytes_of_item * std::min(symbols, symbols / 64 + 4096);
}

range_limits::range_limits(std::uint64_t symbols, std::uint64_t all_bytes) : bytes(all_bytes) {
  // Memory for anchors is set aside if the rest suffices for this many ranges.
  constexpr std::uint64_t max_ranges = 8;
  const std::uint64_t for_anchors = 3 * symbols,
                      beside_anchors = (bytes - std::min(bytes, for_anchors)) / bytes_of_item;
  fitting_items = beside_anchors >= symbols / max_ranges ? beside_anchors : bytes / bytes_of_item;
  max_items = std::min(fitting_items, symbols / 2 + 4096); // more would not be faster
}

std::uint64_t max_copied_items(std::uint64_t fitting_items) {
  constexpr std::uint64_t copies = 2 * sizeof(std::uint64_t); // what is sent and what is received
  return fitting_items / (bytes_of_item + copies) * bytes_of_item;
}

namespace {

// Sorts suffixes range by range of their buckets, one piece after another.
class range_sorter {
public:
  range_sorter(const suffix_string& text, const range_limits& limits, const run_options& run)
      : sorter_(text, limits.bytes, run), max_items_(limits.max_items), fitting_items_(limits.fitting_items) {
  }

  // Sorts the suffixes of the buckets [first, end) of a partition whose first suffix is that of row
  // `first_row`, and passes them on.
  void sort(const suffix_buckets& buckets, std::uint64_t first, std::uint64_t end, std::uint64_t first_row,
            const take_range& take) {
    while (first < end) {
      const std::uint64_t last = std::min(end, buckets.range_end(first, max_items_)),
                          size = buckets.begin(last) - buckets.begin(first),
                          row = first_row + buckets.begin(first);
      if (size > max_items_ && buckets.is_divisible(sorter_.max_depth())) { // first + 1 == last
        const suffix_buckets within(buckets, first, sorter_.max_depth());
        sort(within, 0, within.count(), row, take);
      } else if (size > 0 && !sort_range(buckets, first, last, row, take)) {
        continue; // sorts the range, or a part of it, again
      }
      first = last;
    }
  }

  // Takes the items of the buckets [first, end), and sorts them as far as that takes no anchors. Returns
  // whether the anchors are needed.
  [[nodiscard]] bool start_items(const suffix_buckets& buckets, std::uint64_t first, std::uint64_t end,
                                 unwritten_vector<std::uint64_t>&& items) {
    memory_ = std::move(items);
    return sorter_.start(buckets, first, end, memory_, uncounted(buckets.begin(first), memory_.size()));
  }
  // Sorts these items completely, passes them on, and frees them.
  void finish_items(const suffix_buckets& buckets, std::uint64_t first, const take_range& take) {
    if (memory_.empty()) return;
    sorter_.finish();
    take({buckets.begin(first), memory_, buckets.layout()});
    free_memory();
  }
  void free_memory() { unwritten_vector<std::uint64_t>().swap(memory_); } // clear() would keep the capacity

  void sort_anchors(position_sharing* sharing) {
    sorter_.sort_anchors(sharing);
    fitting_items_ = std::min(fitting_items_, sorter_.bytes_beside_anchors() / bytes_of_item);
    max_items_ = std::min(max_items_, fitting_items_);
  }
  [[nodiscard]] bool anchors_fit() const { return sorter_.anchors_fit(); }
  [[nodiscard]] std::uint64_t fitting_items() const { return fitting_items_; }

private:
  // Returns how many of the next rows have not been counted as work, and counts them.
  std::uint64_t uncounted(std::uint64_t row, std::uint64_t size) {
    const std::uint64_t counted = std::clamp(counted_, row, row + size);
    counted_ = std::max(counted_, row + size);
    return row + size - counted;
  }
  // Returns false if the anchors had to be sorted in place of the range.
  bool sort_range(const suffix_buckets& buckets, std::uint64_t first, std::uint64_t last, std::uint64_t row,
                  const take_range& take) {
    const std::uint64_t size = buckets.begin(last) - buckets.begin(first);
    if (memory_.size() < size) {
      free_memory();
      allocate(memory_, size);
    }
    const std::span<std::uint64_t> items = std::span(memory_).first(size);
    buckets.distribute(first, last, items);
    if (!sorter_.sort(buckets, first, last, items, uncounted(row, size))) {
      free_memory();
      sort_anchors(nullptr);
      return false;
    }
    take({row, items, buckets.layout()});
    return true;
  }

  bucket_sorter sorter_;
  std::uint64_t max_items_, fitting_items_;
  std::uint64_t counted_ = 0; // rows whose work has been counted
  unwritten_vector<std::uint64_t> memory_;
};

} // namespace

class suffix_pieces::state {
public:
  state(const suffix_string& text, std::uint64_t count, const range_limits& limits, const run_options& run,
        position_sharing* sharing)
      : text_(text), run_(run), sharing_(sharing), buckets_(text, nullptr, all_bits, run, sharing),
        sorter_(text, limits, run), first_buckets_(buckets_.divide(count)) {}

  [[nodiscard]] std::uint64_t first_row(std::uint64_t piece) const {
    return buckets_.begin(first_buckets_[piece]);
  }
  [[nodiscard]] const suffix_buckets& buckets() const { return buckets_; }
  [[nodiscard]] std::uint64_t first_bucket(std::uint64_t piece) const { return first_buckets_[piece]; }
  [[nodiscard]] std::uint64_t fitting_items() const { return sorter_.fitting_items(); }
  void sort(std::uint64_t piece, const take_range& take) {
    if (sharing_ != nullptr && !own_buckets_) own_buckets_.emplace(text_, nullptr, all_bits, run_);
    sorter_.sort(sharing_ != nullptr ? *own_buckets_ : buckets_, first_buckets_[piece],
                 first_buckets_[piece + 1], 0, take);
  }
  [[nodiscard]] bool start_items(std::uint64_t piece, unwritten_vector<std::uint64_t>&& items) {
    return sorter_.start_items(buckets_, first_buckets_[piece], first_buckets_[piece + 1], std::move(items));
  }
  void finish_items(std::uint64_t piece, const take_range& take) {
    sorter_.finish_items(buckets_, first_buckets_[piece], take);
  }
  void drop_items() { sorter_.free_memory(); }
  [[nodiscard]] bool anchors_fit() const { return sorter_.anchors_fit(); }
  void sort_anchors() { sorter_.sort_anchors(sharing_); }

private:
  static constexpr std::uint64_t all_bits = ~std::uint64_t{0};

  const suffix_string& text_;
  const run_options& run_;
  position_sharing* sharing_; // null if this process sorts all pieces
  suffix_buckets buckets_;
  std::optional<suffix_buckets> own_buckets_; // those that this process has made alone, if it needs them
  range_sorter sorter_;
  std::vector<std::uint64_t> first_buckets_; // of the pieces, and the number of all
};

suffix_pieces::suffix_pieces(const suffix_string& text, std::uint64_t count, const range_limits& limits,
                             const run_options& run, position_sharing* sharing)
    : state_(std::make_unique<state>(text, count, limits, run, sharing)) {}
suffix_pieces::~suffix_pieces() = default;
std::uint64_t suffix_pieces::first_row(std::uint64_t piece) const { return state_->first_row(piece); }
void suffix_pieces::sort(std::uint64_t piece, const take_range& take) { state_->sort(piece, take); }
const suffix_buckets& suffix_pieces::buckets() const { return state_->buckets(); }
std::uint64_t suffix_pieces::first_bucket(std::uint64_t piece) const { return state_->first_bucket(piece); }
std::uint64_t suffix_pieces::fitting_items() const { return state_->fitting_items(); }
bool suffix_pieces::start_items(std::uint64_t piece, unwritten_vector<std::uint64_t>&& items) {
  return state_->start_items(piece, std::move(items));
}
bool suffix_pieces::anchors_fit() const { return state_->anchors_fit(); }
void suffix_pieces::drop_items() { state_->drop_items(); }
void suffix_pieces::sort_anchors() { state_->sort_anchors(); }
void suffix_pieces::finish_items(std::uint64_t piece, const take_range& take) {
  state_->finish_items(piece, take);
}

std::optional<std::uint64_t> write_preceding(const suffix_string& text, const sorted_range& range,
                                             std::span<std::uint8_t> codes, const run_options& run) {
  constexpr std::uint64_t rows_of_thread = std::uint64_t{1} << 16, ahead = 32;
  const std::uint64_t count = range.items.size(), bits = text.bits();
  std::atomic<std::uint64_t> whole = count;  // the number of the whole text in the range
  const auto before = [&](std::uint64_t k) { // the bit at which the symbol before a suffix begins
    const std::uint64_t i = range.layout.position(range.items[k]);
    if (i == 0) whole = k;
    return ((i == 0 ? text.size() : i) - 1) * bits;
  };
  parallel_for(0, count, rows_of_thread, run, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t k = first; k < last; ++k) {
      text.prefetch(range.layout.position(range.items[std::min(k + ahead, count - 1)]) * bits);
      codes[k] = static_cast<std::uint8_t>(text.from(before(k)) >> (64 - bits));
    }
  });
  return whole == count ? std::nullopt : std::optional(range.first_row + whole);
}

void sort_in_ranges(const suffix_string& text, const range_limits& limits, const run_options& run,
                    suffix_helpers* helpers, const take_range& take) {
  if (text.size() == 0) return;
  if (are_shared(helpers, text.size())) return helpers->sort(text, limits, run, take);
  suffix_pieces(text, 1, limits, run).sort(0, take);
}

} // namespace weft::bwt_detail
