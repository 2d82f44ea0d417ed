// Search with errors in a region of a record around a window of a strand, on a device. cpu/near_errors.hpp
// has the plain version. The differences from the engine of the CPU are that a thread has a fixed number of
// stretches in memory, and that regions are of limited size; strands that need more are left to the CPU.
//
// A region is known by its strand and the symbol at which it begins, in one number. All regions of a strand
// have the same size, unless the end of the record cuts them off, so that sorted ones are merged with their
// neighbours.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/near_batch_steps.hpp>

namespace weft::bwt_detail {

constexpr std::uint64_t max_region_letters = 1 << 13; // of a merged region
constexpr unsigned max_region_stretches = 48;
constexpr std::uint64_t max_error_letters = 512; // of a strand

// Returns the region of a strand around a row of a string, or no_near_key if the letters of the window that
// were not used to narrow the rows differ from the text there.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t region_at(const near_batch& batch,
                                                              const near_string& string,
                                                              std::uint64_t unmatched,
                                                              std::uint64_t position) {
  const near_plan_window& window = batch.plan(string.strand).windows[string.window];
  const fm_segment& segment = batch.index.segment_of(position);
  if (position < segment.start + unmatched) return no_near_key;
  const near_word* const words = batch.words + batch.first_word(string.strand);
  for (std::uint64_t i = 0; i < unmatched; i += 32) {
    const std::uint64_t count = unmatched - i < 32 ? unmatched - i : 32;
    const std::uint64_t differ = packed_strand(words, window.begin + i, count) ^
                                 text_letters(batch.index.packed_text, position - unmatched + i);
    if (differ << (64 - 2 * count) != 0) return no_near_key;
  }
  const std::uint64_t in_record = segment.begin + (position - segment.start),
                      before = window.begin + unmatched + batch.max_distance;
  const std::uint64_t symbol =
      batch.record_offsets[segment.record] + (in_record > before ? in_record - before : 0);
  return std::uint64_t{string.strand} << batch.keys.symbol_bits | symbol;
}

// A region of a strand: letters [begin, begin + size) of a record. A size of 0 stands for no region.
struct near_region_task {
  std::uint64_t begin = 0, record = 0;
  std::uint32_t strand = 0, size = 0;
};

[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t record_of(const near_batch& batch, std::uint64_t symbol) {
  return count_leading(batch.record_offsets, batch.num_records + 1,
                       [&](std::uint64_t offset) { return offset <= symbol; }) -
         1;
}

// Returns the region that begins with sorted region i of `count`, merged with those behind it that overlap or
// touch; no region if i is merged with the one before. `is_large` becomes true, and the region is none, if it
// is larger than a thread searches.
[[nodiscard]] WEFT_HOST_DEVICE inline near_region_task merged_region(const near_batch& batch,
                                                                     const std::uint64_t* regions,
                                                                     std::uint64_t count, std::uint64_t i,
                                                                     bool& is_large) {
  is_large = false;
  const std::uint64_t key = regions[i];
  if (key == no_near_key) return {};
  const unsigned bits = batch.keys.symbol_bits;
  const std::uint64_t strand = key >> bits, mask = (std::uint64_t{1} << bits) - 1, symbol = key & mask;
  const std::uint64_t record = record_of(batch, symbol), record_begin = batch.record_offsets[record],
                      record_end = batch.record_offsets[record + 1];
  const std::uint64_t longest = batch.size_of(strand) + 2 * std::uint64_t{batch.max_distance};
  if (i > 0 && regions[i - 1] >> bits == strand && (regions[i - 1] & mask) >= record_begin &&
      symbol - (regions[i - 1] & mask) <= longest)
    return {};
  std::uint64_t last = symbol; // begin of the last region that is merged
  for (std::uint64_t j = i + 1; j < count && regions[j] >> bits == strand; ++j) {
    const std::uint64_t next = regions[j] & mask;
    if (next >= record_end || next - last > longest) break;
    last = next;
    if (last - symbol > max_region_letters) break;
  }
  const std::uint64_t end = record_end - last < longest ? record_end : last + longest;
  is_large = end - symbol > max_region_letters;
  if (is_large) return {0, 0, static_cast<std::uint32_t>(strand), 0};
  return {symbol - record_begin, record, static_cast<std::uint32_t>(strand),
          static_cast<std::uint32_t>(end - symbol)};
}

// A stretch of a region in which a strand may be a hit: letters [begin, end) of the region.
struct near_stretch {
  std::uint16_t begin, end, distance; // small, because each thread has some in its own memory
};
static_assert(max_region_letters < (1U << 16));

// A region_search searches a strand of at most 64 * Words letters in a region.
template <unsigned Words> class region_search {
public:
  WEFT_HOST_DEVICE region_search(const near_batch& batch, const near_region_task& task)
      : batch_(batch), task_(task), strand_(batch.letters(task.strand)),
        text_(batch.index, segment_of(task)) {}

  // Calls add(key) for each hit. Returns false if the region has too many stretches; then calls nothing.
  template <class Add> [[nodiscard]] WEFT_HOST_DEVICE bool run(const Add& add) {
    if (!find_ends()) return false;
    if (batch_.all_ends)
      for (unsigned i = 0; i < count_; ++i) found_[i].begin = static_cast<std::uint16_t>(begin_of(found_[i]));
    else
      drop_overlapping();
    const std::uint64_t first = batch_.record_offsets[task_.record] + task_.begin;
    for (unsigned i = 0; i < count_; ++i) {
      const near_stretch& each = found_[i];
      add(batch_.keys.pack(
          task_.strand / batch_.num_strands, first + each.begin, task_.strand % batch_.num_strands == 1,
          std::uint64_t{each.end} - each.begin + batch_.max_distance - strand_.size, each.distance));
    }
    return true;
  }

private:
  static constexpr std::uint16_t unknown_begin = 0xffff;

  // Returns the last segment of the record that begins at or before the region, or its first one.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t segment_of(const near_region_task& task) const {
    const fm_list<fm_segment>& segments = batch_.index.segments;
    const std::uint64_t behind = count_leading(segments.items, segments.count, [&](const fm_segment& s) {
      return s.record < task.record || (s.record == task.record && s.begin <= task.begin);
    });
    return behind > 0 && segments[behind - 1].record == task.record ? behind - 1 : behind;
  }

  // Returns bits 0, 2, 4, ... of a word.
  [[nodiscard]] WEFT_HOST_DEVICE static std::uint64_t every_other_bit(std::uint64_t bits) {
    bits = (bits | bits >> 1) & 0x3333333333333333ULL;
    bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0fULL;
    bits = (bits | bits >> 4) & 0x00ff00ff00ff00ffULL;
    bits = (bits | bits >> 8) & 0x0000ffff0000ffffULL;
    return (bits | bits >> 16) & 0xffffffffULL;
  }

  // Sets found_ to the ends of stretches by Myers's columns, without their begins.
  [[nodiscard]] WEFT_HOST_DEVICE bool find_ends() {
    const auto num_words = static_cast<unsigned>((strand_.size + 63) / 64);
    std::uint64_t contains[5][Words] = {}; // by base; no base: nothing
    std::uint64_t plus[Words], minus[Words];
    for (unsigned w = 0; w < Words; ++w) {
      plus[w] = ~std::uint64_t{0};
      minus[w] = 0;
      for (unsigned half = 0; half < 2 && 64 * std::uint64_t{w} + 32 * half < strand_.size; ++half)
        for (unsigned base = 0; base < 4; ++base)
          contains[base][w] |= every_other_bit(strand_.words[2 * w + half].contains[base]) << (32 * half);
    }
    const unsigned last_row = (strand_.size - 1) % 64;
    auto errors = static_cast<unsigned>(strand_.size);
    for (std::uint32_t at = 0; at < task_.size; ++at) {
      const unsigned base = text_.base(task_.begin + at);
      std::uint64_t plus_in = 0, minus_in = 0; // how the row above the word changes
      WEFT_UNROLL
      for (unsigned w = 0; w < Words; ++w) {
        const std::uint64_t match = contains[base][w];
        const std::uint64_t equal = match | minus_in, vertical = match | minus[w];
        const std::uint64_t horizontal = (((equal & plus[w]) + plus[w]) ^ plus[w]) | equal;
        const std::uint64_t above = minus[w] | ~(horizontal | plus[w]), below = plus[w] & horizontal;
        if (w + 1 == num_words)
          errors +=
              static_cast<unsigned>(above >> last_row & 1) - static_cast<unsigned>(below >> last_row & 1);
        const std::uint64_t plus_below = above << 1 | plus_in, minus_below = below << 1 | minus_in;
        plus[w] = minus_below | ~(vertical | plus_below);
        minus[w] = plus_below & vertical;
        plus_in = above >> 63;
        minus_in = below >> 63;
      }
      if (errors <= batch_.max_distance) {
        if (count_ == max_region_stretches) return false;
        found_[count_++] = {unknown_begin, static_cast<std::uint16_t>(at + 1),
                            static_cast<std::uint16_t>(errors)};
      }
    }
    return true;
  }

  // Returns the leftmost begin of an alignment of the strand that has the end and the distance of a stretch.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint32_t begin_of(const near_stretch& of) {
    // cells[k] is the distance of the last i letters of the strand and the last i + k - distance letters
    // before the end.
    constexpr unsigned width = 2 * max_near_distance + 1;
    constexpr unsigned none = 100; // more than any distance that is asked for
    const unsigned distance = of.distance, size = static_cast<unsigned>(strand_.size);
    const unsigned available = of.end < size + distance ? of.end : size + distance;
    std::uint8_t cells[width + 1];
    for (unsigned k = 0; k <= width; ++k)
      cells[k] = static_cast<std::uint8_t>(
          k >= distance && k <= 2 * distance && k - distance <= available ? k - distance : none);
    for (unsigned i = 1; i <= size; ++i) {
      const unsigned set = strand_.set(size - i);
      unsigned before = none; // the cell of this row with one text letter less
      for (unsigned k = 0; k <= 2 * distance; ++k) {
        if (i + k < distance || i + k - distance > available) {
          before = none;
        } else {
          const unsigned j = i + k - distance; // text letters
          unsigned best = none;
          if (j > 0) {
            const unsigned base = text_.base(task_.begin + of.end - j);
            best = cells[k] + (base < 4 && (set >> base & 1) != 0 ? 0U : 1U);
          }
          const unsigned skipped = (k < 2 * distance ? cells[k + 1] : none) + 1U;
          if (skipped < best) best = skipped;
          if (before + 1 < best) best = before + 1;
          before = best < none ? best : none;
        }
        cells[k] = static_cast<std::uint8_t>(before);
      }
    }
    for (unsigned k = 2 * distance + 1; k-- > 0;)
      if (cells[k] == distance) return of.end - (size + k - distance);
    return of.end; // not reached: some alignment has the least distance
  }

  // Returns whether a kept stretch, found_[0 .. num_kept - 1], overlaps `certain` by more than half of
  // `size`, or of its own size.
  [[nodiscard]] WEFT_HOST_DEVICE bool overlaps(unsigned num_kept, const near_stretch& certain,
                                               std::uint32_t size) const {
    for (unsigned i = 0; i < num_kept; ++i) {
      const near_stretch& kept = found_[i];
      const std::uint32_t begin = kept.begin > certain.begin ? kept.begin : certain.begin,
                          end = kept.end < certain.end ? kept.end : certain.end;
      const auto kept_size = static_cast<std::uint32_t>(kept.end - kept.begin);
      const std::uint32_t shorter = size < kept_size ? size : kept_size;
      if (begin < end && 2 * (end - begin) > shorter) return true;
    }
    return false;
  }

  // Sorts stretches [first, last) by begin and end.
  WEFT_HOST_DEVICE void sort_stretches(unsigned first, unsigned last) {
    for (unsigned i = first + 1; i < last; ++i) {
      const near_stretch each = found_[i];
      unsigned to = i;
      for (; to > first; --to) {
        const near_stretch& other = found_[to - 1];
        if (other.begin < each.begin || (other.begin == each.begin && other.end <= each.end)) break;
        found_[to] = other;
      }
      found_[to] = each;
    }
  }

  // Keeps the stretches that are hits: greedily by distance, begin and end, those that overlap none that is
  // kept by more than half of the shorter one.
  WEFT_HOST_DEVICE void drop_overlapping() {
    unsigned num_kept = 0;
    near_stretch all[max_region_stretches];
    const unsigned num_all = count_;
    for (unsigned i = 0; i < num_all; ++i) all[i] = found_[i];
    for (unsigned distance = 0; distance <= batch_.max_distance; ++distance) {
      unsigned last = num_kept; // the stretches of this distance are found_[num_kept .. last - 1]
      for (unsigned i = 0; i < num_all; ++i) {
        if (all[i].distance != distance) continue;
        near_stretch each = all[i];
        // A stretch that overlaps others too much, whatever its begin, needs no begin.
        const auto size = static_cast<std::uint32_t>(strand_.size);
        each.begin = static_cast<std::uint16_t>(each.end - (size - distance));
        if (overlaps(num_kept, each, size + distance)) continue;
        each.begin = static_cast<std::uint16_t>(begin_of(each));
        found_[last++] = each;
      }
      sort_stretches(num_kept, last);
      for (unsigned i = num_kept; i < last; ++i)
        if (!overlaps(num_kept, found_[i], static_cast<std::uint32_t>(found_[i].end - found_[i].begin)))
          found_[num_kept++] = found_[i];
    }
    count_ = num_kept;
  }

  const near_batch& batch_;
  const near_region_task& task_;
  const near_letters strand_;
  record_letters text_;
  unsigned count_ = 0;
  near_stretch found_[max_region_stretches];
};

} // namespace weft::bwt_detail
