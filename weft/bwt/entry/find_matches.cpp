// Finds exact matches: cuts the queries into blocks, which threads search, and passes the matches on in
// order.
//
// A round of blocks is searched at a time. If the matches of a round exceed the memory, they are dropped, and
// a smaller round is searched; a single block is cut into two.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <stdexcept>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/fm_match.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/match_blocks.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t block_letters = std::uint64_t{1} << 15;
constexpr std::uint64_t blocks_of_thread = 64; // in a round

// The memory that a match takes: as found, in a column, and in a copy of either while a vector grows.
constexpr std::uint64_t bytes_of_match = 2 * sizeof(found_match) + 48;

// The matches of a block on the forward and the reverse strand, each in the order of the strand.
using block_matches = std::array<std::vector<found_match>, 2>;

// Removes matches whose letters occur more than once in the query. The matches are all those of one strand of
// a record whose letters occur once in the text. So the letters of a match occur again in the query exactly
// if the match lies, in the text, within another one.
void keep_unique_in_query(std::vector<found_match>& matches) {
  std::sort(matches.begin(), matches.end(), [](const found_match& a, const found_match& b) {
    return a.text != b.text ? a.text < b.text : a.length > b.length;
  });
  const auto same = [&](std::uint64_t i, std::uint64_t k) {
    return k < matches.size() && matches[i].text == matches[k].text && matches[i].length == matches[k].length;
  };
  std::uint64_t text_end = 0;
  std::vector<found_match> unique;
  for (std::uint64_t i = 0; i < matches.size(); ++i) {
    const std::uint64_t end = matches[i].text + matches[i].length;
    if (end > text_end && !same(i, i + 1)) unique.push_back(matches[i]);
    text_end = std::max(text_end, end);
  }
  std::sort(unique.begin(), unique.end());
  matches = std::move(unique);
}

class match_search {
public:
  explicit match_search(const fm_match_problem& problem)
      : index_(static_cast<const fm_index::view&>(problem.index.parts())), problem_(problem),
        options_(problem.options), queries_(problem.queries, options_.both_strands, options_.run),
        plan_(index_.num_rows, options_.min_length,
              options_.kind == match_kind::smem ? options_.min_occurrences : 1,
              options_.kind != match_kind::mem),
        rule_{options_.kind != match_kind::mem,
              options_.kind == match_kind::smem ? ~std::uint64_t{0} : std::uint64_t{1}},
        max_matches_(std::max<std::uint64_t>(memory_limit(options_.run.memory) / 2 / bytes_of_match, 1024)),
        blocks_(problem.queries, options_.both_strands, block_letters) {}

  void run() {
    const auto max_round = blocks_of_thread * static_cast<std::uint64_t>(thread_count(options_.run.threads));
    std::uint64_t size = max_round;
    while (!blocks_.empty()) {
      const std::uint64_t count = std::min<std::uint64_t>(size, blocks_.size());
      if (!search_round(count)) {
        if (count == 1 && !blocks_.cut_first()) refuse_first_block();
        size = std::max<std::uint64_t>(1, count / 2);
        continue;
      }
      blocks_.drop_first(count);
      size = std::min(2 * size, max_round);
    }
  }

private:
  [[noreturn]] void refuse_first_block() const {
    throw memory_error(fmt::format("the matches of record {} of the queries do not fit in {} of memory: "
                                   "ask for longer matches, or allow more memory",
                                   blocks_[0].first_record + 1,
                                   format_size(memory_limit(options_.run.memory))));
  }

  // Searches the first `count` blocks and passes on their matches; returns false if they exceed the memory.
  bool search_round(std::uint64_t count) {
    match_limit limit{.max_matches = max_matches_ - std::min(max_matches_, pending_.size())};
    std::vector<block_matches> found(count);
    try {
      parallel_for(0, count, 1, options_.run,
                   [&](std::uint64_t b, std::uint64_t) { search_block(blocks_[b], limit, found[b]); });
    } catch (const match_limit::exceeded&) {
      return false;
    }
    std::uint64_t letters = 0;
    for (std::uint64_t b = 0; b < count; ++b) {
      if (options_.kind == match_kind::mum) keep_unique(blocks_[b], found[b]);
      letters += blocks_.letters_of(blocks_[b]);
    }
    pass_on(found);
    base_detail::add_work(options_.run, letters);
    return true;
  }

  void search_block(const match_block& block, match_limit& limit, block_matches& found) const {
    match_finder finder(index_, queries_, plan_, rule_, limit);
    blocks_.for_each_range(
        block, [&](const match_range& range) { finder.find(range, found[range.reverse ? 1 : 0]); });
  }

  // Removes the matches that are not unique in the query. Those of a range are kept until the last range of
  // the record's strand has been searched.
  void keep_unique(const match_block& block, block_matches& found) {
    if (block.last_record == 0) {
      const bool reverse = block.range.reverse;
      std::vector<found_match>& matches = found[reverse ? 1 : 0];
      pending_.insert(pending_.end(), matches.begin(), matches.end());
      matches.clear();
      if (block.range.last < blocks_.range_of(block.first_record, block.first_record + 1, reverse).last)
        return;
      keep_unique_in_query(pending_);
      matches.swap(pending_);
      return;
    }
    for (const bool reverse : {false, true}) {
      std::vector<found_match> unique;
      auto at = found[reverse ? 1 : 0].cbegin();
      for (const auto end = found[reverse ? 1 : 0].cend(); at != end;) {
        const std::uint64_t record = queries_.record_of(reverse, at->query);
        const std::uint64_t last = blocks_.range_of(record, record + 1, reverse).last;
        std::vector<found_match> matches;
        while (at != end && at->query < last) matches.push_back(*at++);
        keep_unique_in_query(matches);
        unique.insert(unique.end(), matches.begin(), matches.end());
      }
      found[reverse ? 1 : 0].swap(unique);
    }
  }

  void pass_on(const std::vector<block_matches>& found) const {
    std::vector<std::uint64_t> begins{0};
    for (const block_matches& each : found) begins.push_back(begins.back() + each[0].size() + each[1].size());
    if (begins.back() == 0) return;
    fm_matches part;
    for (auto* const column : {&part.query, &part.query_begin, &part.record, &part.begin, &part.length})
      column->resize(begins.back());
    part.reverse.resize(begins.back());
    parallel_for(0, found.size(), 1, options_.run.threads,
                 [&](std::uint64_t b, std::uint64_t) { write_columns(found[b], part, begins[b]); });
    problem_.take(part);
  }

  // Writes the matches of a block to the columns from entry `at` on: for each record those of the forward
  // strand, and then those of the reverse strand, on which the records are in reverse order.
  void write_columns(const block_matches& found, fm_matches& part, std::uint64_t at) const {
    auto forward = found[0].begin();
    auto reverse_end = found[1].end();
    while (forward != found[0].end() || reverse_end != found[1].begin()) {
      std::uint64_t record = ~std::uint64_t{0};
      if (forward != found[0].end()) record = queries_.record_of(false, forward->query);
      if (reverse_end != found[1].begin())
        record = std::min(record, queries_.record_of(true, reverse_end[-1].query));
      const match_range on_forward = blocks_.range_of(record, record + 1, false),
                        on_reverse = blocks_.range_of(record, record + 1, true);
      for (; forward != found[0].end() && forward->query < on_forward.last; ++forward)
        write_match(*forward, record, forward->query - on_forward.first, false, part, at++);
      auto reverse = reverse_end;
      while (reverse != found[1].begin() && reverse[-1].query >= on_reverse.first) --reverse;
      for (auto each = reverse; each != reverse_end; ++each)
        write_match(*each, record, on_reverse.last - each->query - each->length, true, part, at++);
      reverse_end = reverse;
    }
  }
  void write_match(const found_match& match, std::uint64_t record, std::uint64_t query_begin, bool reverse,
                   fm_matches& part, std::uint64_t at) const {
    const fm_segment& segment = index_.segment_of(match.text);
    part.query[at] = record;
    part.query_begin[at] = query_begin;
    part.record[at] = segment.record;
    part.begin[at] = segment.begin + (match.text - segment.start);
    part.length[at] = match.length;
    part.reverse[at] = reverse ? 1 : 0;
  }

  const fm_index::view& index_;
  const fm_match_problem& problem_;
  const match_options& options_;
  const match_queries queries_;
  const match_plan plan_;
  const match_rule rule_;
  const std::uint64_t max_matches_; // in memory at once
  match_blocks blocks_;
  std::vector<found_match> pending_; // of kind mum: those of the ranges of the current strand
};

} // namespace

void find_matches(fm_match_problem& problem) { match_search(problem).run(); }

void append_matches(fm_matches& all, const fm_matches& part, const run_options& run) {
  const std::uint64_t limit = memory_limit(run.memory) / 2, count = all.size() + part.size();
  if (count > limit / bytes_of_match)
    throw memory_error(fmt::format("more than {} matches do not fit in {} of memory: ask for longer matches, "
                                   "or allow more memory",
                                   limit / bytes_of_match, format_size(memory_limit(run.memory))));
  const auto append = [&](auto& to, const auto& from) {
    const std::uint64_t before = to.size();
    if (count > to.capacity()) to.reserve(std::max<std::uint64_t>(count, 2 * to.capacity()));
    to.resize(count);
    parallel_copy(from.data(), from.size(), to.data() + before, run.threads);
  };
  append(all.query, part.query);
  append(all.query_begin, part.query_begin);
  append(all.record, part.record);
  append(all.begin, part.begin);
  append(all.length, part.length);
  append(all.reverse, part.reverse);
}

} // namespace weft::bwt_detail
