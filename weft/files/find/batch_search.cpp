#include <weft/files/find/batch_search.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
constexpr std::size_t text_bytes = mebi;     // size of formatted rows from which they are written
constexpr std::uint64_t min_first_hits = 64; // see max_first_hits_

// Upper bound of the memory that an occurrence takes while its pattern is located.
constexpr std::uint64_t bytes_of_hit = 32;

} // namespace

memory_shares::memory_shares(const find_options& options) {
  const std::uint64_t memory = memory_limit(options.memory);
  const bool on_gpu = options.search.run.device.kind == device_kind::gpu;
  const auto available = static_cast<std::uint64_t>(on_gpu ? 2 : thread_count(options.search.run.threads));
  const std::uint64_t members = std::clamp<std::uint64_t>(memory / (32 * mebi), 1, available);
  threads = static_cast<int>(members);
  batch_bytes = on_gpu ? 4 * mebi : std::clamp<std::uint64_t>(memory / members / 64, mebi / 16, mebi / 2);
  if (options.near && !on_gpu) batch_bytes = mebi / 16; // with differences, a pattern takes more time
  block_hits = std::clamp<std::uint64_t>(memory / members / 256, 1 << 12, 1 << 18);
  thread_hits = memory / 2 / members / bytes_of_hit;
  large_hits = memory / 2 / bytes_of_hit;
}

int shared_search::free_threads() const {
  return std::max(1, thread_count(options.search.run.threads) - num_busy.load() + 1);
}

batch_search::batch_search(shared_search& shared)
    : shared_(shared), index_(shared.index), options_(shared.options), search_(shared.options.search),
      writer_(shared.options.format, shared.index, shared.options.circular), max_first_hits_(min_first_hits) {
  search_.run.info = &found_.used;
  search_.run.monitor = nullptr; // progress counts each pattern once, even if it is located twice
  if (search_.run.device.kind != device_kind::gpu) {
    search_.run.device = {device_kind::cpu}; // auto: batches are too small for copying the index to a GPU
    search_.run.threads = 1;                 // the other threads search other batches
  }
}

find_totals batch_search::run(const io::pattern_chunk& chunk, std::uint64_t number) {
  chunk_ = &chunk;
  number_ = number;
  found_ = {};
  found_.patterns = chunk.count();
  text_.clear();
  for (std::uint64_t p = 0; options_.strict && p < chunk.count(); ++p) check_letters(p);
  prepare_strands();
  if (options_.count)
    count_patterns();
  else
    for (std::uint64_t first = 0, last = 0; first < chunk.count(); first = last) {
      last = std::min(chunk.count(),
                      first + std::max<std::uint64_t>(1, shared_.shares.block_hits / max_first_hits_));
      list_block(first, last);
    }
  shared_.output.finish(number, text_);
  return found_;
}

void batch_search::check_letters(std::uint64_t p) {
  const std::string why = why_impossible(index_.alphabet(), chunk_->pattern(p));
  if (why.empty()) return;
  if (options_.strict)
    throw error(errc::invalid_input,
                fmt::format("{}: the pattern can never match: {}", chunk_->location(p), why));
  if (found_.impossible++ == 0) found_.first_impossible = fmt::format("{}: {}", chunk_->location(p), why);
}

void batch_search::prepare_strands() {
  letters_[0] = chunk_->text;
  if (index_.alphabet() == fm_alphabet::dna && has_u(chunk_->text)) {
    as_dna_ = chunk_->text;
    replace_u_by_t(as_dna_, 1);
    letters_[0] = as_dna_;
  }
  if (!options_.both_strands) return;
  reversed_.resize(chunk_->text.size());
  for (std::uint64_t p = 0; p < chunk_->count(); ++p)
    reverse_complement(letters(0, p, p + 1), reversed_.data() + chunk_->offsets[p]);
  letters_[1] = reversed_;
}

std::vector<std::uint64_t> batch_search::offsets(std::uint64_t first, std::uint64_t last) const {
  std::vector<std::uint64_t> result(last - first + 1);
  for (std::uint64_t p = first; p <= last; ++p)
    result[p - first] = chunk_->offsets[p] - chunk_->offsets[first];
  return result;
}

std::string_view batch_search::letters(unsigned strand, std::uint64_t first, std::uint64_t last) const {
  return letters_[strand].substr(chunk_->offsets[first], chunk_->offsets[last] - chunk_->offsets[first]);
}

void batch_search::count_patterns() {
  std::vector<std::uint64_t> counts(chunk_->count());
  for (unsigned strand = 0; strand < num_strands(); ++strand) {
    const std::vector<std::uint64_t> found =
        index_.count(sequences_view{letters_[strand], chunk_->offsets}, search_);
    for (std::size_t p = 0; p < counts.size(); ++p) counts[p] += found[p];
  }
  if (options_.circular)
    each_origin_block(0, chunk_->count(), [&](std::uint64_t first, std::uint64_t last) {
      for (unsigned strand = 0; strand < num_strands(); ++strand) {
        const fm_hits over = index_.locate_over_origins(letters(strand, first, last), offsets(first, last));
        for (std::uint64_t p = first; p < last; ++p) counts[p] += over.totals[p - first];
      }
    });
  for (std::uint64_t p = 0; p < chunk_->count(); ++p) {
    found_.occurrences += counts[p];
    if (counts[p] == 0) check_letters(p);
    writer_.append_count(text_, {chunk_->name(p), chunk_->pattern(p), counts[p], 0});
    write_if_long();
  }
}

template <class Each>
void batch_search::each_origin_block(std::uint64_t first, std::uint64_t last, const Each& each) {
  std::vector<std::uint64_t> candidates(last - first);
  for (unsigned strand = 0; strand < num_strands(); ++strand) {
    const std::vector<std::uint64_t> found =
        index_.count_over_origins(letters(strand, first, last), offsets(first, last));
    for (std::size_t i = 0; i < found.size(); ++i) candidates[i] += found[i];
  }
  for (std::uint64_t p = first; p < last;) {
    check_memory(p, candidates[p - first], shared_.shares.thread_hits);
    std::uint64_t end = p, hits = 0;
    while (end < last && (end == p || hits + candidates[end - first] <= shared_.shares.thread_hits))
      hits += candidates[end++ - first];
    each(p, end);
    p = end;
  }
}

void batch_search::list_block(std::uint64_t first, std::uint64_t last) {
  if (!options_.circular) return list_patterns(first, last, {});
  each_origin_block(first, last, [&](std::uint64_t begin, std::uint64_t end) {
    std::array<fm_hits, 2> over;
    for (unsigned strand = 0; strand < num_strands(); ++strand)
      over[strand] = index_.locate_over_origins(letters(strand, begin, end), offsets(begin, end));
    list_patterns(begin, end, over);
  });
}

void batch_search::list_patterns(std::uint64_t first, std::uint64_t last,
                                 const std::array<fm_hits, 2>& over) {
  const located first_round = locate(first, last, std::min(max_first_hits_, search_limit()));
  std::uint64_t num_repeated = 0;
  for (std::uint64_t p = first; p < last;) {
    if (is_complete(first_round, p)) {
      append_pattern(first_round, over, first, p++);
      continue;
    }
    std::uint64_t hits = num_to_list(first_round, p), end = p + 1;
    while (end < last && !is_complete(first_round, end) &&
           hits + num_to_list(first_round, end) <= shared_.shares.thread_hits)
      hits += num_to_list(first_round, end++);
    num_repeated += end - p;
    if (hits > shared_.shares.thread_hits)
      list_large(p, hits, over, first);
    else
      for (const located repeated = locate(p, end, search_limit()); p < end; ++p)
        append_pattern(repeated, over, first, p);
    p = end;
  }
  if (4 * num_repeated > last - first)
    max_first_hits_ = std::min(4 * max_first_hits_, std::max(min_first_hits, shared_.shares.block_hits / 64));
  else if (8 * num_repeated < last - first)
    max_first_hits_ = std::max(max_first_hits_ / 4, min_first_hits);
}

void batch_search::list_large(std::uint64_t p, std::uint64_t hits, const std::array<fm_hits, 2>& over,
                              std::uint64_t first) {
  check_memory(p, hits, shared_.shares.large_hits);
  shared_.output.write(number_, text_);
  text_.clear();
  const int threads = search_.run.threads;
  if (threads == 1) search_.run.threads = shared_.free_threads();
  append_pattern(locate(p, p + 1, search_limit()), over, first, p);
  search_.run.threads = threads;
}

void batch_search::check_memory(std::uint64_t p, std::uint64_t hits, std::uint64_t limit) const {
  if (hits <= limit) return;
  throw memory_error(fmt::format("the {} occurrences of '{}' do not fit in {} of memory, because "
                                 "listing them takes {}: count them, list only the first ones, or "
                                 "allow more memory",
                                 hits, chunk_->name(p).substr(0, 80),
                                 format_size(memory_limit(options_.memory)),
                                 format_size(2 * hits * bytes_of_hit)));
}

batch_search::located batch_search::locate(std::uint64_t first, std::uint64_t last, std::uint64_t max_hits) {
  search_.max_hits = max_hits;
  located result;
  result.first = first;
  for (unsigned strand = 0; strand < num_strands(); ++strand)
    result.within[strand] = index_.locate(sequences_view{letters(strand, first, last), offsets(first, last)},
                                          search_, max_hits < search_limit());
  return result;
}

std::uint64_t batch_search::num_to_list(const located& hits, std::uint64_t p) const {
  std::uint64_t sum = 0;
  for (unsigned strand = 0; strand < num_strands(); ++strand)
    sum += std::min(hits.within[strand].totals[p - hits.first], search_limit());
  return sum;
}

bool batch_search::is_complete(const located& hits, std::uint64_t p) const {
  std::uint64_t present = 0;
  for (unsigned strand = 0; strand < num_strands(); ++strand)
    present += hits.within[strand].offsets[p - hits.first + 1] - hits.within[strand].offsets[p - hits.first];
  return present == num_to_list(hits, p);
}

void batch_search::append_pattern(const located& from, const std::array<fm_hits, 2>& over,
                                  std::uint64_t first_over, std::uint64_t p) {
  std::array<sorted_hits, 4> lists;
  std::size_t num_lists = 0;
  std::uint64_t total = 0, present = 0;
  const auto add = [&](const fm_hits& list, std::uint64_t i, bool reverse) {
    total += list.totals[i];
    if (list.offsets[i] == list.offsets[i + 1]) return;
    lists[num_lists++] = {list.hits.data() + list.offsets[i], list.hits.data() + list.offsets[i + 1],
                          reverse};
    present += list.offsets[i + 1] - list.offsets[i];
  };
  for (unsigned strand = 0; strand < num_strands(); ++strand) {
    add(from.within[strand], p - from.first, strand == 1);
    if (options_.circular) add(over[strand], p - first_over, strand == 1);
  }
  const std::uint64_t listed = std::min(present, search_limit());
  found_.occurrences += total;
  if (listed < total) ++found_.cut;
  if (total == 0) check_letters(p);
  const auto begin = chunk_->offsets[p], size = chunk_->offsets[p + 1] - begin;
  writer_.begin({chunk_->name(p), chunk_->pattern(p), total, listed},
                options_.both_strands ? letters_[1].substr(begin, size) : std::string_view());
  write_rows(std::span(lists).first(num_lists), listed);
  writer_.end(text_);
  write_if_long();
}

void batch_search::write_rows(std::span<sorted_hits> lists, std::uint64_t count) {
  for (; count > 0; --count) {
    std::size_t smallest = 0;
    for (std::size_t i = 1; i < lists.size(); ++i)
      if (lists[smallest].at == lists[smallest].end ||
          (lists[i].at != lists[i].end && *lists[i].at < *lists[smallest].at))
        smallest = i;
    writer_.append(text_, *lists[smallest].at++, lists[smallest].reverse);
    write_if_long();
  }
}

void batch_search::write_if_long() {
  if (text_.size() < text_bytes) return;
  shared_.output.write(number_, text_);
  text_.clear();
}

} // namespace weft::files
