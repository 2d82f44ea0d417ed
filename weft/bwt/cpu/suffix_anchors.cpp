#include <weft/bwt/cpu/suffix_anchors.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <tuple>
#include <weft/base/parallel.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t range_words = 1024; // of 64 positions each, that a thread takes at a time

// Calls set(w, word) for all `count` words, of which get(w) returns those of the share of this process.
template <class Get, class Set>
void share_words(position_sharing& sharing, std::uint64_t count, const Get& get, const Set& set) {
  const word_range share = share_of_words(&sharing, count);
  unwritten_vector<std::uint64_t> own;
  sharing.run([&] { allocate(own, share.end - share.first); });
  for (std::uint64_t w = share.first; w < share.end; ++w) own[w - share.first] = get(w);
  const unwritten_vector<std::uint64_t> all = sharing.gather(own);
  for (std::uint64_t w = 0; w < count; ++w) set(w, all[w]);
}

} // namespace

void member_list::list(std::span<const item_group> groups) {
  std::uint64_t count = 0;
  for (const item_group& group : groups) count += group.end - group.begin;
  indexes_.resize(count + 3);
  std::uint32_t* to = indexes_.data();
  for (const item_group& group : groups) {
    const std::uint32_t begin = group.begin, size = group.end - begin;
    for (std::uint32_t k = 0; k < 4; ++k) to[k] = begin + k; // nearly all groups have at most four members
    for (std::uint32_t k = 4; k < size; ++k) to[k] = begin + k;
    to += size;
  }
  indexes_.resize(count);
}

suffix_anchors::suffix_anchors(const suffix_string& text, std::uint64_t depth, const run_options& run,
                               position_sharing* sharing)
    : text_(text), monitor_(run.monitor), depth_(depth),
      k_(std::min((15 + text.bits()) / text.bits(), depth - 1)), window_(std::min(depth - k_, max_window)) {
  run_in_all(sharing, [&] { allocate(blocks_, text.size() / 64 + 2); });
  std::fill(blocks_.begin(), blocks_.end(), block{});
  select(run, sharing);
  keep(run, sharing);
  sort(run, sharing);
}

// A window begins in one block of window_ positions, and ends in the next one. Its least hash is that of its
// positions in the one block, which are the last ones there, or in the other, which are the first ones there.
void suffix_anchors::select(std::uint64_t first, std::uint64_t last) {
  std::array<std::uint64_t, max_window> min_from; // of the positions of a block from here on
  std::uint64_t marked = ~std::uint64_t{0};
  for (std::uint64_t begin = first; begin < last; begin += window_) {
    std::uint64_t min = ~std::uint64_t{0};
    const auto add = [&](std::uint64_t offset) { min = std::min(min, hash(begin + offset) | offset); };
    for (std::uint64_t j = window_; j-- > 0;) {
      add(j);
      min_from[j] = min;
    }
    min = ~std::uint64_t{0};
    for (std::uint64_t j = 0; j < std::min(window_, last - begin); ++j) {
      const std::uint64_t selected = begin + (std::min(min_from[j], min) & offset_mask);
      add(window_ + j);
      if (selected == marked) continue;
      marked = selected;
      std::atomic_ref(blocks_[marked / 64].selected)
          .fetch_or(std::uint64_t{1} << (marked % 64), std::memory_order_relaxed);
    }
  }
}

void suffix_anchors::select(const run_options& run, position_sharing* sharing) {
  const std::uint64_t n = text_.size(), needed = window_ + k_ - 1; // symbols that a window depends on
  const word_range share = share_of_words(sharing, blocks_.size());
  // Windows that begin before the share may select positions in it. What other windows select beyond the
  // share is replaced.
  const std::uint64_t begin = share.first * 64 - std::min(share.first * 64, max_window);
  parallel_for(begin, std::min(n, share.end * 64), range_words * 64, run,
               [&](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last;) { // part by part
                   const std::uint64_t left = text_.left(i), end = std::min(last, i + left);
                   if (left >= needed) select(i, std::min(end, i + left - needed + 1));
                   i = end;
                 }
               });
  if (sharing != nullptr)
    share_words(
        *sharing, blocks_.size(), [&](std::uint64_t w) { return blocks_[w].selected; },
        [&](std::uint64_t w, std::uint64_t word) { blocks_[w].selected = word; });
}

std::uint64_t suffix_anchors::next_selected(std::uint64_t i) const {
  std::uint64_t w = i / 64, word = blocks_[w].selected >> (i % 64) << (i % 64);
  while (word == 0 && w + 1 < blocks_.size()) word = blocks_[++w].selected;
  return word == 0 ? text_.size() : w * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
}

int suffix_anchors::compare(std::uint64_t a, std::uint64_t b) const {
  const std::uint64_t length_a = std::min(depth_, text_.left(a)), length_b = std::min(depth_, text_.left(b));
  std::uint64_t max_words = ~std::uint64_t{0};
  if (const int order = text_.compare(a, b, 0, std::min(length_a, length_b) * text_.bits(), max_words);
      order != 0)
    return order;
  return length_a == length_b ? 0 : length_a < length_b ? -1 : 1;
}

std::uint64_t suffix_anchors::agreement(std::uint64_t i, std::uint64_t j) const {
  const std::uint64_t bits = text_.bits(), end = std::min(text_.left(i), text_.left(j)) * bits;
  std::uint64_t max_words = ~std::uint64_t{0};
  return text_.first_difference(i, j, depth_ * bits, end, max_words) / bits;
}

void suffix_anchors::keep(const run_options& run, position_sharing* sharing) {
  const std::uint64_t n = text_.size();
  const word_range share = share_of_words(sharing, blocks_.size());
  position_set rises;
  run_in_all(sharing, [&] { allocate(rises, blocks_.size()); });
  parallel_for(share.first, share.end, range_words, run, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t distance = 0, agree_until = 0; // symbol i is the one at i + distance, for i up to there
    for (std::uint64_t w = first; w < last; ++w) {
      rises[w] = 0;
      blocks_[w].kept = 0;
      for (std::uint64_t word = blocks_[w].selected; word != 0; word &= word - 1) {
        const std::uint64_t i = w * 64 + static_cast<std::uint64_t>(std::countr_zero(word)),
                            next = next_selected(i + 1);
        // An anchor with fewer symbols is the only one with its name.
        if (next - i == distance && i + depth_ <= agree_until) continue;
        const int order = next < n && text_.left(i) >= depth_ ? compare(next, i) : -1;
        if (order == 0) {
          distance = next - i;
          agree_until = i + agreement(i, next);
        }
        const std::uint64_t bit = word & ~(word - 1);
        if (order != 0) blocks_[w].kept |= bit;
        if (order > 0) rises[w] |= bit;
      }
    }
  });
  if (sharing != nullptr) {
    share_words(
        *sharing, blocks_.size(), [&](std::uint64_t w) { return blocks_[w].kept; },
        [&](std::uint64_t w, std::uint64_t word) { blocks_[w].kept = word; });
    share_words(
        *sharing, blocks_.size(), [&](std::uint64_t w) { return rises[w]; },
        [&](std::uint64_t w, std::uint64_t word) { rises[w] = word; });
  }
  count_kept(rises, sharing);
}

void suffix_anchors::count_kept(const position_set& rises, position_sharing* sharing) {
  for (block& each : blocks_) {
    each.before = count_;
    count_ += count_ones(each.kept);
  }
  run_in_all(sharing, [&] {
    allocate(positions_, count_);
    rises_.resize(count_ / 64 + 1);
    ends_run_.resize(count_ / 64 + 1);
  });
  bool in_run = false;
  for (std::uint64_t w = 0; w < blocks_.size(); ++w) {
    std::uint64_t number = blocks_[w].before;
    for (std::uint64_t word = blocks_[w].selected; word != 0; word &= word - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(word));
      if ((blocks_[w].kept >> bit & 1) == 0) {
        in_run = true;
        continue;
      }
      positions_[number] = w * 64 + bit;
      rises_[number / 64] |= (rises[w] >> bit & 1) << (number % 64);
      ends_run_[number / 64] |= std::uint64_t{in_run} << (number % 64);
      in_run = false;
      ++number;
    }
  }
}

std::uint64_t suffix_anchors::selected_by_window(std::uint64_t i) const {
  const std::uint64_t low = blocks_[i / 64].selected >> (i % 64),
                      high = blocks_[i / 64 + 1].selected << 1 << (63 - i % 64);
  std::uint64_t candidates = (low | high) & ((std::uint64_t{1} << window_) - 1);
  std::uint64_t best = i + static_cast<std::uint64_t>(std::countr_zero(candidates));
  candidates &= candidates - 1;
  if (candidates == 0) return best;
  std::uint64_t best_hash = hash(best);
  for (; candidates != 0; candidates &= candidates - 1) {
    const std::uint64_t each = i + static_cast<std::uint64_t>(std::countr_zero(candidates)),
                        each_hash = hash(each);
    if (each_hash < best_hash) {
      best = each;
      best_hash = each_hash;
    }
  }
  return best;
}

suffix_anchors::target suffix_anchors::next_kept(std::uint64_t i) const {
  const std::uint64_t number = number_of(i);
  if ((blocks_[i / 64].kept >> (i % 64) & 1) != 0) return {number, 0};
  return {number, positions_[number] - i};
}

std::uint64_t suffix_anchors::run_before(std::uint64_t number) const {
  if (!ends_run(number)) return 0;
  const std::uint64_t begin = number == 0 ? next_selected(0) : next_selected(positions_[number - 1] + 1);
  return positions_[number] - begin;
}

void suffix_anchors::resolve(std::span<std::uint64_t> items, const item_layout& layout,
                             std::span<const item_group> groups, resolve_workspace& work) const {
  constexpr std::uint64_t ahead = 16;
  const auto soon = [](std::uint64_t k, std::uint64_t count) { return std::min(k + ahead, count - 1); };
  work.members.list(groups);
  const std::span<const std::uint32_t> indexes = work.members.indexes();
  const std::uint64_t count = indexes.size();
  work.targets.resize(count);
  work.offsets.resize(groups.size());
  for (std::uint64_t g = 0, k = 0; g < groups.size(); ++g) {
    __builtin_prefetch(&blocks_[layout.position(items[groups[soon(g, groups.size())].begin]) / 64]);
    const std::uint64_t i = layout.position(items[groups[g].begin]);
    work.offsets[g] = selected_by_window(i) - i;
    for (std::uint64_t j = groups[g].begin; j < groups[g].end; ++j)
      work.targets[k++] = layout.position(items[j]) + work.offsets[g];
  }
  std::uint64_t any_run = count_ >> (64 - layout.position_bits);
  for (std::uint64_t k = 0; k < count; ++k) {
    __builtin_prefetch(&blocks_[work.targets[soon(k, count)] / 64]);
    const std::uint64_t i = work.targets[k];
    any_run |= ~(blocks_[i / 64].kept >> (i % 64)) & 1;
    work.targets[k] = number_of(i);
  }
  for (std::uint64_t k = 0; k < count; ++k) {
    __builtin_prefetch(&ranks_[work.targets[soon(k, count)]]);
    std::uint64_t& item = items[indexes[k]];
    item = layout.item(ranks_[work.targets[k]], layout.position(item));
  }
  for (std::uint64_t g = 0; g < groups.size(); ++g) {
    const std::span<std::uint64_t> members = items.subspan(groups[g].begin, groups[g].end - groups[g].begin);
    if (any_run != 0 && lies_in_runs(members, layout, work.offsets[g]))
      resolve_runs(members, layout, work.offsets[g]);
    else
      sort_items(layout, members);
  }
}

bool suffix_anchors::lies_in_runs(std::span<const std::uint64_t> members, const item_layout& layout,
                                  std::uint64_t offset) const {
  if (count_ >> (64 - layout.position_bits) != 0) return true;
  return std::any_of(members.begin(), members.end(), [&](std::uint64_t member) {
    const std::uint64_t i = layout.position(member) + offset;
    return (blocks_[i / 64].kept >> (i % 64) & 1) == 0;
  });
}

void suffix_anchors::resolve_runs(std::span<std::uint64_t> members, const item_layout& layout,
                                  std::uint64_t offset) const {
  std::vector<run_member> all;
  all.reserve(members.size());
  for (const std::uint64_t member : members) {
    const std::uint64_t i = layout.position(member) + offset;
    const target anchor = next_kept(i);
    all.push_back({i, run_key(anchor.number, anchor.distance), ranks_[anchor.number], 0});
  }
  sort_runs(all);
  for (std::uint64_t k = 0; k < members.size(); ++k) members[k] = layout.item(0, all[k].anchor - offset);
}

// Most groups have anchors that agree in all their symbols, and are sorted by keys alone.
void suffix_anchors::sort_runs(std::span<run_member> members) const {
  while (members.size() > 1) {
    if (monitor_ != nullptr) monitor_->check(); // a group may be as large as the text
    const std::uint64_t pivot = members[members.size() / 2].anchor;
    for (run_member& each : members) each.order = each.anchor == pivot ? 0 : compare(each.anchor, pivot);
    const auto equal =
        std::partition(members.begin(), members.end(), [](const run_member& each) { return each.order < 0; });
    const auto greater =
        std::partition(equal, members.end(), [](const run_member& each) { return each.order == 0; });
    std::sort(equal, greater, [](const run_member& a, const run_member& b) {
      return std::tuple(a.key, a.rank) < std::tuple(b.key, b.rank);
    });
    // The smaller side is sorted first, so calls are nested only O(log n) deep.
    std::span<run_member> small(members.begin(), equal), large(greater, members.end());
    if (small.size() > large.size()) std::swap(small, large);
    sort_runs(small);
    members = large;
  }
}

} // namespace weft::bwt_detail
