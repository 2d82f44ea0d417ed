// The plain version:
//     for each suffix i: ++counts[first bits of suffix i]
//     begins = running sums of counts
//     for each suffix i: items[begins[first bits]++] = item of i
//
// Here each thread has slices of the positions and its own counts. An item first goes to a buffer of its
// bucket, one cache line long, so memory is written in whole lines.
#include <weft/bwt/cpu/suffix_buckets.hpp>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t bucket_items = 1 << 12; // on average: they fit in the cache next to a core
constexpr unsigned max_prefix_bits = 13;        // buffers of 64 bytes each then fit there, too
constexpr std::uint64_t max_slice_words = std::uint64_t{1} << 18; // a call can be cancelled after a slice
constexpr std::uint64_t line_items = 8;                           // in a cache line

// A buffer of one cache line for each bucket.
class line_buffers {
public:
  // `ends` says where the next item of each bucket goes.
  line_buffers(std::uint64_t* items, std::vector<std::uint64_t> ends)
      : lines_(ends.size() * line_items), sizes_(ends.size()), items_(items), ends_(std::move(ends)) {}
  void put(std::uint64_t bucket, std::uint64_t item) {
    std::uint64_t* const line = lines_.data() + bucket * line_items;
    const unsigned size = sizes_[bucket];
    line[size] = item;
    if (size + 1 < line_items) {
      sizes_[bucket] = static_cast<std::uint8_t>(size + 1);
      return;
    }
    std::memcpy(items_ + ends_[bucket], line, sizeof(std::uint64_t) * line_items);
    ends_[bucket] += line_items;
    sizes_[bucket] = 0;
  }
  void finish() {
    for (std::uint64_t bucket = 0; bucket < sizes_.size(); ++bucket)
      std::copy_n(lines_.begin() + static_cast<std::ptrdiff_t>(bucket * line_items), sizes_[bucket],
                  items_ + ends_[bucket]);
  }

private:
  unwritten_vector<std::uint64_t> lines_;
  std::vector<std::uint8_t> sizes_;
  std::uint64_t* items_;
  std::vector<std::uint64_t> ends_;
};

} // namespace

void suffix_prefix::append(std::uint64_t number, unsigned count) {
  while (count > 0) {
    const auto in_window = static_cast<unsigned>(bits % suffix_string::window_bits);
    if (in_window == 0) windows.push_back(0);
    const unsigned taken = std::min(count, static_cast<unsigned>(suffix_string::window_bits) - in_window);
    count -= taken;
    windows.back() |= (number >> count & ((std::uint64_t{1} << taken) - 1)) << (64 - in_window - taken);
    bits += taken;
  }
}

bool suffix_prefix::begins(const suffix_string& text, std::uint64_t i) const {
  for (std::uint64_t at = 0, k = 0; at < bits; at += suffix_string::window_bits, ++k) {
    const auto compared =
        static_cast<unsigned>(std::min<std::uint64_t>(suffix_string::window_bits, bits - at));
    if ((text.window_or_zeros(i, at) ^ windows[k]) >> (64 - compared) != 0) return false;
  }
  return true;
}

word_range share_of_words(const position_sharing* sharing, std::uint64_t count) {
  if (sharing == nullptr) return {0, count};
  const std::uint64_t even = count / sharing->parts(), rest = count % sharing->parts(),
                      first = sharing->part() * even + std::min(sharing->part(), rest);
  return {first, first + even + (sharing->part() < rest ? 1 : 0)};
}

template <class Body> void suffix_buckets::for_each_suffix(std::uint64_t slice, const Body& body) const {
  const std::uint64_t n = text_.size(), bits = text_.bits();
  const std::uint64_t first = words_.first + slice * slice_words_,
                      last = std::min(words_.end, first + slice_words_);
  if (common_.bits > 0) {
    for (std::uint64_t i = first * 64; i < std::min(n, last * 64); ++i)
      if (common_.begins(text_, i)) body(text_.window_or_zeros(i, common_.bits), i);
    return;
  }
  if (selected_ == nullptr) {
    for (std::uint64_t i = first * 64; i < std::min(n, last * 64); ++i) body(text_.window(i, 0), i);
    return;
  }
  for (std::uint64_t w = first; w < last; ++w)
    for (std::uint64_t word = (*selected_)[w]; word != 0; word &= word - 1) {
      const std::uint64_t i = w * 64 + static_cast<std::uint64_t>(lowest_one(word));
      body(text_.has_parts() ? text_.window(i, 0) : text_.from(i * bits), i);
    }
}

suffix_buckets::suffix_buckets(const suffix_string& text, const position_set* selected,
                               std::uint64_t max_depth, const run_options& run, position_sharing* sharing)
    : text_(text), selected_(selected), run_(run) {
  std::uint64_t num_suffixes = selected == nullptr ? text.size() : 0;
  if (selected != nullptr)
    for (const std::uint64_t word : *selected) num_suffixes += count_ones(word);
  partition(num_suffixes, max_depth, sharing);
}

suffix_buckets::suffix_buckets(const suffix_buckets& from, std::uint64_t b, std::uint64_t max_depth)
    : text_(from.text_), selected_(nullptr), run_(from.run_), common_(from.common_) {
  common_.append(b, from.prefix_bits_);
  partition(from.begin(b + 1) - from.begin(b), max_depth, nullptr);
}

void suffix_buckets::partition(std::uint64_t num_suffixes, std::uint64_t max_depth,
                               position_sharing* sharing) {
  const std::uint64_t n = text_.size(), new_depth = max_depth - common_.bits;
  words_ = share_of_words(sharing, n / 64 + 1);
  const std::uint64_t words = words_.end - words_.first;
  const auto threads = static_cast<std::uint64_t>(thread_count(run_.threads));
  slice_words_ = std::clamp<std::uint64_t>(words / threads + 1, 1024, max_slice_words);
  slices_ = (words + slice_words_ - 1) / slice_words_;
  const auto wanted = static_cast<unsigned>(std::bit_width(num_suffixes / bucket_items));
  prefix_bits_ =
      std::clamp(wanted, 1U, static_cast<unsigned>(std::min<std::uint64_t>(max_prefix_bits, new_depth - 1)));
  layout_.position_bits = std::max(1U, static_cast<unsigned>(std::bit_width(n - 1)));
  layout_.key_bits = static_cast<unsigned>(std::min<std::uint64_t>(
      {64 - layout_.position_bits, suffix_string::window_bits - prefix_bits_, new_depth - prefix_bits_}));
  const std::uint64_t buckets = std::uint64_t{1} << prefix_bits_;
  before_.assign(slices_, std::vector<std::uint64_t>(buckets));
  parallel_for(0, slices_, 1, run_, [&](std::uint64_t slice, std::uint64_t) {
    std::vector<std::uint64_t>& counts = before_[slice];
    for_each_suffix(slice,
                    [&](std::uint64_t window, std::uint64_t) { ++counts[window >> (64 - prefix_bits_)]; });
  });
  std::vector<std::uint64_t> sizes(buckets);
  for (std::uint64_t b = 0; b < buckets; ++b)
    for (std::vector<std::uint64_t>& counts : before_) sizes[b] += std::exchange(counts[b], sizes[b]);
  own_begins_.assign(1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), std::back_inserter(own_begins_));
  if (sharing != nullptr) sharing->sum(sizes);
  begins_.assign(1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), std::back_inserter(begins_));
}

std::uint64_t suffix_buckets::range_end(std::uint64_t first, std::uint64_t max_items) const {
  const auto end = std::upper_bound(begins_.begin() + static_cast<std::ptrdiff_t>(first) + 1, begins_.end(),
                                    begins_[first] + max_items);
  return std::max(first + 1, static_cast<std::uint64_t>(end - begins_.begin()) - 1);
}

std::vector<std::uint64_t> suffix_buckets::divide(std::uint64_t parts) const {
  std::vector<std::uint64_t> first_buckets;
  for (std::uint64_t part = 0, bucket = 0; part < parts; ++part) {
    const std::uint64_t row = size() / parts * part + size() % parts * part / parts;
    while (begins_[bucket] < row) ++bucket;
    first_buckets.push_back(bucket);
  }
  first_buckets.push_back(count());
  return first_buckets;
}

void suffix_buckets::distribute(std::uint64_t first, std::uint64_t last,
                                std::span<std::uint64_t> items) const {
  const unsigned shift = 64 - prefix_bits_, key_shift = 64 - layout_.key_bits;
  const std::uint64_t num_buckets = last - first;
  parallel_for(0, slices_, 1, run_, [&](std::uint64_t slice, std::uint64_t) {
    std::vector<std::uint64_t> ends(num_buckets);
    for (std::uint64_t b = 0; b < num_buckets; ++b)
      ends[b] = own_begins_[first + b] - own_begins_[first] + before_[slice][first + b];
    line_buffers buffers(items.data(), std::move(ends));
    for_each_suffix(slice, [&](std::uint64_t window, std::uint64_t i) {
      const std::uint64_t bucket = (window >> shift) - first;
      if (bucket < num_buckets) buffers.put(bucket, layout_.item(window << prefix_bits_ >> key_shift, i));
    });
    buffers.finish();
  });
}

} // namespace weft::bwt_detail
