#include <weft/bwt/fm_index.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/build_index.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft {

fm_index fm_index::build(const sequences_view& references, const fm_build_options& options) {
  const sequences_view records = bwt_detail::checked_batch(references, "fm_index::build");
  if (options.sa_sample_rate > 1024)
    throw std::invalid_argument("fm_index::build: sa_sample_rate must be at most 1024");
  base_detail::run_record record(options.run, "symbols");
  record.set_work(records.data.size());
  const bwt_detail::fm_writer::block block = bwt_detail::build_fm_index(records, options, record);
  base_detail::check_cancelled(options.run);
  return {bwt_detail::open_built_fm_index(block.bytes, block.owner),
          std::make_shared<bwt_detail::fm_device_cache>()};
}

namespace {

void run_search(bwt_detail::fm_search_problem problem) {
  const run_options& run = problem.options.run;
  const std::uint64_t count = problem.patterns.count();
  base_detail::run_record record(run, "patterns");
  record.set_work(count);
  bwt_detail::solve(bwt_detail::fm_search_engine_list(), problem, run, count == 0, record);
  if (problem.gpu >= 0) record.set_engine("batch", {device_kind::gpu, problem.gpu});
}

} // namespace

fm_index fm_index::from_bytes(std::span<const char> bytes, std::shared_ptr<const void> owner) {
  return {bwt_detail::open_fm_index(bytes, std::move(owner)),
          std::make_shared<bwt_detail::fm_device_cache>()};
}

const bwt_detail::fm_parts& fm_index::parts() const noexcept { return *view_; }

std::span<const char> fm_index::bytes() const noexcept { return view_->bytes; }
fm_alphabet fm_index::alphabet() const noexcept { return static_cast<fm_alphabet>(view_->header.alphabet); }
std::uint64_t fm_index::num_records() const noexcept { return view_->header.num_records; }
std::uint64_t fm_index::num_symbols() const noexcept { return view_->record_offsets.back(); }

std::uint32_t fm_index::sa_sample_rate() const noexcept { return view_->header.sample_rate; }

bool fm_index::has_contexts() const noexcept { return view_->contexts != nullptr; }

std::string_view fm_index::name(std::uint64_t record) const {
  if (record >= num_records()) throw std::invalid_argument("fm_index::name: there is no such record");
  const std::uint64_t begin = view_->name_offsets[record];
  return {view_->names.data() + begin, view_->name_offsets[record + 1] - begin};
}

std::uint64_t fm_index::length(std::uint64_t record) const {
  if (record >= num_records()) throw std::invalid_argument("fm_index::length: there is no such record");
  return view_->record_offsets[record + 1] - view_->record_offsets[record];
}

std::vector<std::uint64_t> fm_index::count(const sequences_view& patterns,
                                           const fm_search_options& options) const {
  std::vector<std::uint64_t> counts;
  run_search({*this, *device_cache_, bwt_detail::checked_batch(patterns, "fm_index::count"), options, &counts,
              nullptr});
  return counts;
}

fm_hits fm_index::locate(const sequences_view& patterns, const fm_search_options& options) const {
  fm_hits hits;
  run_search({*this, *device_cache_, bwt_detail::checked_batch(patterns, "fm_index::locate"), options,
              nullptr, &hits});
  return hits;
}

std::uint64_t fm_index::count(std::string_view pattern, const fm_search_options& options) const {
  const std::uint64_t offsets[] = {0, pattern.size()};
  return count(sequences_view{pattern, offsets}, options).front();
}

fm_hits fm_index::locate(std::string_view pattern, const fm_search_options& options) const {
  const std::uint64_t offsets[] = {0, pattern.size()};
  return locate(sequences_view{pattern, offsets}, options);
}

void fm_index::visit_matches(const sequences_view& queries, const match_options& options,
                             const std::function<void(const fm_matches& part)>& take) const {
  const sequences_view records = bwt_detail::checked_batch(queries, "fm_index::matches");
  if (options.min_length == 0 || options.min_occurrences == 0)
    throw std::invalid_argument("fm_index::matches: min_length and min_occurrences must be at least 1");
  if (alphabet() != fm_alphabet::dna)
    throw std::invalid_argument("fm_index::matches: the index must be of DNA");
  base_detail::run_record record(options.run, "letters");
  bwt_detail::fm_match_problem problem{*this, *device_cache_, records, options, take};
  record.set_work(problem.letters());
  bwt_detail::require_memory(records.data.size() / 4 * 3, options.run.memory, "packing the queries");
  try {
    bwt_detail::solve(bwt_detail::fm_match_engine_list(), problem, options.run,
                      records.data.empty() || num_symbols() == 0, record);
  } catch (const error& fault) { // of a GPU, after the first matches
    if (fault.code() == errc::out_of_memory) throw memory_error(fault.what());
    throw;
  }
  if (problem.gpu >= 0) record.set_engine("seeds", {device_kind::gpu, problem.gpu});
}

fm_matches fm_index::matches(const sequences_view& queries, const match_options& options) const {
  fm_matches all;
  visit_matches(queries, options,
                [&](const fm_matches& part) { bwt_detail::append_matches(all, part, options.run); });
  return all;
}

std::string fm_index::extract(std::uint64_t record, std::uint64_t begin, std::uint64_t end) const {
  const view& v = *view_;
  if (record >= num_records() || begin > end || end > length(record))
    throw std::invalid_argument("fm_index::extract: there are no such symbols");
  const std::uint64_t first = v.record_offsets[record] + begin, last = v.record_offsets[record] + end;
  std::string result(last - first, 'N');
  // Finds the segments of the record that overlap [begin, end), from the last one that begins at or before
  // `begin` on.
  auto segment = std::upper_bound(
      v.segments.begin(), v.segments.end(), std::pair(record, begin),
      [](const auto& at, const bwt_detail::fm_segment& s) { return at < std::pair(s.record, s.begin); });
  if (segment != v.segments.begin()) --segment;
  for (; segment != v.segments.end() && segment->record <= record; ++segment) {
    if (segment->record < record) continue;
    const std::uint64_t size =
        (segment + 1 != v.segments.end() ? (segment + 1)->start : v.header.num_rows) - 1 - segment->start;
    for (std::uint64_t i = std::max(begin, segment->begin); i < std::min(end, segment->begin + size); ++i) {
      const std::uint64_t at = segment->start + (i - segment->begin);
      result[i - begin] = v.dna() ? "ACGT"[v.packed_text[at / 32] >> (2 * (at % 32)) & 3] : v.byte_text[at];
    }
    if (segment->begin >= end) break;
  }
  auto run = std::upper_bound(
      v.other_letters.begin(), v.other_letters.end(), first,
      [](std::uint64_t at, const bwt_detail::fm_run& r) { return at < r.position + r.length; });
  for (; run != v.other_letters.end() && run->position < last; ++run)
    for (std::uint64_t i = std::max(first, run->position); i < std::min(last, run->position + run->length);
         ++i)
      result[i - first] = static_cast<char>(run->letter);
  return result;
}

} // namespace weft
