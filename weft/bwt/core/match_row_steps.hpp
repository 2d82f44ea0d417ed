// The work of one thread of a GPU that finds maximal matches (cuda/fm/fm_match_kernels.cu), and the order of
// the matches. fm_match_steps.hpp has the plain version of the search.
//
// A seed or a window is the task of one thread, and so is each of their rows. Each row yields one match at
// most. Matches are then sorted by keys of 64 bits: the order number of the match, and its text position.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/fm_match_steps.hpp>
#include <weft/bwt/core/fm_steps.hpp>

namespace weft::bwt_detail {

// A search for the maximal matches that begin in a range of a strand, and in a range of the text.
struct match_row_job {
  fm_parts index;
  match_strand strand;
  match_plan plan;
  match_range range;
  std::uint64_t text_first, text_last; // the text positions at which matches begin
  std::uint64_t max_right; // letters that one thread compares to the right of a row; at least min_length
};

// Returns the number of the first seed that can report a match of the range, and the number of seeds that
// can. Seed j begins at letter j * step. The range is not empty.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t first_seed_of(const match_plan& plan,
                                                                  const match_range& range) {
  return (range.first + plan.step - 1) / plan.step;
}
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t num_seeds_of(const match_plan& plan,
                                                                 const match_range& range) {
  return (range.last - 1 + plan.step - 1) / plan.step + 1 - first_seed_of(plan, range);
}

// Narrows an anchor, given as its stretch of the query with min_left 0, to its rows, as narrow_anchors() does
// (cpu/fm_match.hpp). An anchor that does not occur gets no rows.
WEFT_HOST_DEVICE inline void narrow_anchor(const fm_parts& index, const std::uint64_t* words,
                                           match_anchor& anchor) {
  fm_narrowing state{0, index.num_rows, anchor.length};
  if (const std::uint64_t k = index.kmer_size; k > 0 && anchor.length >= k) {
    const std::uint64_t entry = 2 * kmer_at(words, anchor.begin + anchor.length - k, k);
    state = {index.kmers[entry], index.kmers[entry + 1], anchor.length - k};
  }
  for (const std::uint64_t cost = fm_narrowing::row_cost(index.sample_rate); state.should_narrow(cost);)
    state.step<true>(index, code_at(words, anchor.begin + state.unmatched - 1));
  anchor.low = anchor.high = 0;
  if (state.low >= state.high) return;
  anchor.begin += state.unmatched;
  anchor.length -= state.unmatched;
  anchor.min_left += state.unmatched;
  anchor.max_left += state.unmatched;
  anchor.low = state.low;
  anchor.high = state.high;
}

// The numbers of rows to look up for a seed, and of windows that replace it; one of them is 0.
struct seed_tasks {
  std::uint64_t rows, windows;
};

// Sets `seed` to the seed that begins at letter `at`, with its rows, and returns its tasks. The seed gets no
// rows if the letters from `at` on belong to no stretch that can have a match.
[[nodiscard]] WEFT_HOST_DEVICE inline seed_tasks make_seed(const match_row_job& job, std::uint64_t at,
                                                           match_anchor& seed) {
  seed = {at, job.plan.seed, 0, job.plan.step, 0, 0};
  const std::uint64_t s = job.strand.first_stretch(at);
  if (s == job.strand.num_stretches) return {0, 0};
  const query_stretch within = job.strand.stretch(s);
  if (at < within.begin || within.end - at < job.plan.seed || within.end - within.begin < job.plan.min_length)
    return {0, 0};
  narrow_anchor(job.index, job.strand.words, seed);
  if (!job.plan.needs_windows(seed)) return {seed.high - seed.low, 0};
  return {0, windows_of(job.plan, seed, within, job.range).count};
}

// Returns window `number` of those that replace a seed, with its rows.
[[nodiscard]] WEFT_HOST_DEVICE inline match_anchor
make_window(const match_row_job& job, const match_anchor& seed, std::uint64_t number) {
  const query_stretch within = job.strand.stretch(job.strand.first_stretch(seed.begin));
  const std::uint64_t begin = windows_of(job.plan, seed, within, job.range).first + number;
  match_anchor window{begin, job.plan.min_length, 0, 1, 0, 0};
  narrow_anchor(job.index, job.strand.words, window);
  return window;
}

// A row of an anchor leads to one of these. An unfinished match may extend further to the right.
enum class row_outcome { no_match, match, unfinished, damaged };

// Looks up the match of a row that the anchor reports.
[[nodiscard]] WEFT_HOST_DEVICE inline row_outcome
match_at_row(const match_row_job& job, const match_anchor& anchor, std::uint64_t row, found_match& match) {
  const fm_parts& index = job.index;
  const query_stretch within = job.strand.stretch(job.strand.first_stretch(anchor.begin));
  if (anchor.max_left == 1 && anchor.begin > within.begin) {
    std::uint64_t longer = row;
    if (index.step_back<true>(longer) == code_at(job.strand.words, anchor.begin - 1))
      return row_outcome::no_match; // without looking up the row
  }
  const std::uint64_t position = position_of<true>(index, row);
  if (position >= index.num_rows) return row_outcome::damaged;
  const match_extent extent = left_extent(index, job.strand.words, anchor, within, position);
  if (!extent.reported_by(anchor)) return row_outcome::no_match;
  match = {anchor.begin - extent.left, position - extent.left, 0};
  if (match.query < job.range.first || match.query >= job.range.last || match.text < job.text_first ||
      match.text >= job.text_last)
    return row_outcome::no_match;
  const std::uint64_t right = right_extent(index, job.strand.words, anchor, within, position, job.max_right);
  if (right == damaged_extent) return row_outcome::damaged;
  match.length = extent.left + anchor.length + right;
  if (right == job.max_right) return row_outcome::unfinished;
  return match.length >= job.plan.min_length ? row_outcome::match : row_outcome::no_match;
}

// The records of the queries, in the order of their letters.
struct match_records {
  const std::uint64_t* offsets; // count + 1 entries
  std::uint64_t count;

  // Returns the record that contains a letter of the forward strand.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t record_of(std::uint64_t letter) const {
    return count_leading(offsets, count, [&](std::uint64_t begin) { return begin <= letter; }) - 1;
  }
  // Returns the order number of matches that begin at `position` of a strand. The numbers ascend in the order
  // of fm_matches: for each record, they count the letters of the forward strand and then those of the
  // reverse strand.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t order_of(bool reverse, std::uint64_t position) const {
    const std::uint64_t letters = offsets[count];
    const std::uint64_t record = record_of(reverse ? letters - 1 - position : position);
    const std::uint64_t begin = offsets[record], end = offsets[record + 1];
    return reverse ? begin + end + (position - (letters - end)) : begin + position;
  }
};

// A match of a record: letters [position, position + length) of a strand, which are letters [begin, begin +
// length) of the forward strand of the record.
struct record_match {
  std::uint64_t record, position, begin, text, length;
  bool reverse;
};

// The keys by which the matches of a block are sorted: order numbers relative to the first one of the block,
// and text positions in the lowest text_bits bits.
struct match_keys {
  match_records records;
  std::uint64_t first_order;
  int text_bits;

  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t key_of(bool reverse, const found_match& match) const {
    return (records.order_of(reverse, match.query) - first_order) << text_bits | match.text;
  }
  // Returns the match of a key and a length.
  [[nodiscard]] WEFT_HOST_DEVICE record_match match_of(std::uint64_t key, std::uint64_t length) const {
    const std::uint64_t order = first_order + (key >> text_bits);
    const std::uint64_t record = records.record_of(order / 2);
    const std::uint64_t begin = records.offsets[record], end = records.offsets[record + 1],
                        letter = order - 2 * begin, size = end - begin;
    const std::uint64_t text = key & ((std::uint64_t{1} << text_bits) - 1);
    if (letter < size) return {record, begin + letter, letter, text, length, false};
    return {record,
            records.offsets[records.count] - end + (letter - size),
            2 * size - letter - length,
            text,
            length,
            true};
  }
};

// Returns how many letters the stretch of the strand and the segment of the text that contain an unfinished
// match have behind it, at most.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t letters_behind(const match_row_job& job,
                                                                   const record_match& match) {
  const query_stretch within = job.strand.stretch(job.strand.first_stretch(match.position));
  const std::uint64_t in_query = within.end - (match.position + match.length),
                      in_text = segment_end_of(job.index, match.text) - (match.text + match.length);
  return in_query < in_text ? in_query : in_text;
}

} // namespace weft::bwt_detail
