// A search by plans on the host: what the kernels of a search with differences do, thread after thread.
#pragma once

#include <algorithm>
#include <array>
#include <vector>
#include <weft/bwt/core/near_region_steps.hpp>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/entry/near_plans.hpp>

namespace weft::test {

// Searches pieces of `piece` patterns, with the contexts of rows or without them. Counts the hits in
// *num_hits.
class plans_on_host {
public:
  plans_on_host(std::uint64_t piece, bool with_contexts, std::uint64_t& num_hits)
      : piece_(piece), with_contexts_(with_contexts), num_hits_(num_hits) {}

  int operator()(const bwt_detail::near_device_problem& problem) {
    const std::vector<std::uint64_t> contexts = contexts_of(problem);
    std::array<std::uint8_t, 256> sets{};
    for (unsigned c = 0; c < 256; ++c) sets[c] = near_letter_set(static_cast<char>(c), problem.options.iupac);
    const std::uint64_t count = problem.patterns.count();
    for (std::uint64_t first = 0; first < count; first += piece_) {
      const std::uint64_t last = std::min(count, first + piece_);
      const auto* const letters = reinterpret_cast<const unsigned char*>(problem.patterns.data.data());
      bwt_detail::near_batch batch;
      batch.index = problem.index.parts();
      batch.record_offsets = problem.record_offsets.data();
      batch.num_records = problem.record_offsets.size() - 1;
      batch.contexts = with_contexts_ ? contexts.data() : nullptr;
      batch.offsets = problem.patterns.offsets.data() + first;
      batch.base = batch.offsets[0];
      batch.text = {letters + batch.offsets[0], letters + batch.offsets[last - first]};
      batch.num_patterns = last - first;
      batch.num_strands = problem.options.both_strands ? 2 : 1;
      batch.max_distance = problem.options.max_distance;
      batch.all_ends = problem.options.all_ends;
      batch.sets = sets.data();
      batch.plans = problem.plans.plans.data();
      batch.plan_of = problem.plans.plan_of.data() + first * batch.num_strands;
      batch.keys = problem.keys;
      search(batch, problem, first);
    }
    return 0;
  }

private:
  static std::vector<std::uint64_t> contexts_of(const bwt_detail::near_device_problem& problem) {
    const bwt_detail::fm_parts& index = problem.index.parts();
    std::vector<std::uint64_t> contexts;
    for (std::uint64_t row = 0; row < index.num_rows; ++row) {
      const std::uint64_t position = bwt_detail::position_of<true>(index, row);
      const bwt_detail::fm_segment& segment = index.segment_of(position);
      const auto number = static_cast<std::uint64_t>(&segment - index.segments.begin());
      contexts.push_back(bwt_detail::make_context(index.packed_text, position, segment.start,
                                                  segment.start + bwt_detail::segment_size(index, number)));
    }
    return contexts;
  }

  void search(bwt_detail::near_batch& batch, const bwt_detail::near_device_problem& problem,
              std::uint64_t first) {
    const std::uint64_t strands = batch.num_patterns * batch.num_strands;
    const auto num_letters = static_cast<std::uint64_t>(batch.text.end - batch.text.begin);
    std::vector<bwt_detail::near_word> words(
        bwt_detail::near_batch::num_words(num_letters, batch.num_patterns, batch.num_strands));
    batch.words = words.data();
    for (std::uint64_t s = 0; s < strands; ++s) bwt_detail::write_words(batch, s);
    std::vector<std::uint64_t> keys, regions;
    std::vector<std::uint8_t> is_left(batch.num_patterns);
    for (std::uint64_t s = 0; s < strands; ++s)
      for (std::uint32_t i = 0; i < batch.plan(s).num_strings; ++i)
        search_string(batch, problem.options.metric, s, i, keys, regions);
    std::sort(regions.begin(), regions.end());
    for (std::uint64_t i = 0; i < regions.size(); ++i) {
      bool is_large = false;
      const bwt_detail::near_region_task task =
          bwt_detail::merged_region(batch, regions.data(), regions.size(), i, is_large);
      if (is_large || (task.size > 0 && !search_region(batch, task, keys)))
        is_left[task.strand / batch.num_strands] = 1;
    }
    std::sort(keys.begin(), keys.end());
    num_hits_ += keys.size();
    problem.take(first, keys, is_left);
  }

  static void search_string(const bwt_detail::near_batch& batch, near_metric metric, std::uint64_t strand,
                            std::uint32_t number, std::vector<std::uint64_t>& keys,
                            std::vector<std::uint64_t>& regions) {
    bwt_detail::near_string string;
    const bwt_detail::fm_interval rows = bwt_detail::rows_of_string(batch, strand, number, string);
    const bwt_detail::near_plan& plan = batch.plan(strand);
    const bwt_detail::near_row_filter filter =
        bwt_detail::make_row_filter(batch.letters(strand), plan.windows[string.window]);
    for (std::uint64_t row = rows.low; row < rows.high; ++row) {
      if (plan.has_changes && batch.contexts != nullptr &&
          !filter.passes(batch.contexts[row], batch.max_distance - string.changes))
        continue;
      const std::uint64_t position = bwt_detail::position_of<true>(batch.index, row);
      const bool errors = metric == near_metric::errors;
      const std::uint64_t key = errors ? bwt_detail::region_at(batch, string, rows.unmatched, position)
                                       : bwt_detail::hit_at(batch, string, rows.unmatched, position);
      (errors ? regions : keys).push_back(key);
      if (!errors && key == bwt_detail::no_near_key) keys.pop_back();
    }
  }

  static bool search_region(const bwt_detail::near_batch& batch, const bwt_detail::near_region_task& task,
                            std::vector<std::uint64_t>& keys) {
    const auto add = [&](std::uint64_t key) { keys.push_back(key); };
    const std::uint64_t size = batch.size_of(task.strand);
    if (size <= 64) return bwt_detail::region_search<1>(batch, task).run(add);
    if (size <= 192) return bwt_detail::region_search<3>(batch, task).run(add);
    return bwt_detail::region_search<bwt_detail::max_error_letters / 64>(batch, task).run(add);
  }

  std::uint64_t piece_;
  bool with_contexts_;
  std::uint64_t& num_hits_;
};

} // namespace weft::test
