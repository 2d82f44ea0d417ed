#include <weft/files/find/near_batch_search.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::files {

namespace {

constexpr std::size_t text_bytes = std::size_t{1} << 20; // size of formatted rows from which they are written
constexpr std::uint64_t max_block = 1 << 16;             // patterns

} // namespace

near_batch_search::near_batch_search(shared_search& shared)
    : shared_(shared), options_(shared.options), near_(*shared.options.near),
      writer_(shared.options.format, shared.index, shared.options.circular, &*shared.options.near) {
  near_.both_strands = options_.both_strands;
  near_.max_hits = options_.count ? 0 : options_.search.max_hits;
  near_.run.device = {device_kind::cpu}; // auto: batches are too small for copying the index to a GPU
  if (options_.search.run.device.kind != device_kind::gpu) return;
  near_.run.device = options_.search.run.device;
  near_.run.device_memory = options_.search.run.device_memory;
  near_.run.info = &found_.used;
  block_ = max_block; // a GPU takes little more time for many patterns than for a few
}

find_totals near_batch_search::run(const io::pattern_chunk& chunk, std::uint64_t number) {
  chunk_ = &chunk;
  number_ = number;
  found_ = {};
  found_.patterns = chunk.count();
  text_.clear();
  for (std::uint64_t p = 0; p < chunk.count(); ++p) {
    check_pattern(p);
    if (!near_.iupac && has_other_letters(chunk.pattern(p))) ++found_.with_other_letters;
    if (is_for_contexts(chunk.pattern(p).size())) ++found_.without_contexts;
    if (options_.strict) check_letters(p);
  }
  letters_ = chunk.text;
  if (has_u(chunk.text)) {
    as_dna_ = chunk.text;
    replace_u_by_t(as_dna_, 1);
    letters_ = as_dna_;
  }
  for (std::uint64_t first = 0; first < chunk.count();)
    first = list(first, std::min(chunk.count(), first + block_));
  shared_.output.finish(number, text_);
  return found_;
}

bool near_batch_search::is_for_contexts(std::uint64_t size) const {
  constexpr std::uint64_t long_seed = 11; // letters, which occur rarely
  if (near_.metric != near_metric::mismatches || near_.max_distance == 0 || shared_.index.has_contexts() ||
      near_.run.device.kind == device_kind::gpu) // which makes contexts itself
    return false;
  const std::uint64_t seed =
      std::max({size / (near_.max_distance + 1), near_.exact_prefix, near_.exact_suffix});
  return size > 8 && size <= 32 && seed < long_seed;
}

void near_batch_search::check_pattern(std::uint64_t p) const {
  if (const std::string why = why_not_dna(chunk_->pattern(p)); !why.empty())
    throw error(errc::invalid_input, fmt::format("{}: {}", chunk_->location(p), why));
  if (const std::string why = why_too_short(chunk_->pattern(p), near_); !why.empty())
    throw error(errc::invalid_input, fmt::format("{}: {}", chunk_->location(p), why));
}

void near_batch_search::check_letters(std::uint64_t p) {
  const std::string why = why_impossible(chunk_->pattern(p), near_);
  if (why.empty()) return;
  if (options_.strict)
    throw error(errc::invalid_input,
                fmt::format("{}: the pattern can never match: {}", chunk_->location(p), why));
  if (found_.impossible++ == 0) found_.first_impossible = fmt::format("{}: {}", chunk_->location(p), why);
}

near_rows near_batch_search::locate(std::uint64_t first, std::uint64_t last, std::uint64_t memory) {
  near_.run.threads = shared_.free_threads();
  near_.run.memory = memory;
  std::vector<std::uint64_t> offsets(last - first + 1);
  const std::uint64_t begin = chunk_->offsets[first];
  for (std::uint64_t p = first; p <= last; ++p) offsets[p - first] = chunk_->offsets[p] - begin;
  const sequences_view patterns{letters_.substr(begin, offsets.back()), offsets};
  return shared_.index.locate_near(patterns, near_, writer_.needs_letters() && !options_.count);
}

std::uint64_t near_batch_search::list(std::uint64_t first, std::uint64_t last) {
  const std::uint64_t memory = memory_limit(options_.memory) / 2;
  near_rows rows;
  try {
    rows = locate(first, last, memory / static_cast<std::uint64_t>(shared_.shares.threads));
    if (last - first == block_) block_ = std::min(2 * block_, max_block);
  } catch (const memory_error&) {
    if (last - first > 1) {
      block_ = (last - first) / 2;
      return first;
    }
    shared_.output.write(number_, text_); // waits until the earlier batches are written
    text_.clear();
    rows = locate_large(first, memory);
  }
  append(rows, first);
  return last;
}

near_rows near_batch_search::locate_large(std::uint64_t p, std::uint64_t memory) {
  try {
    return locate(p, p + 1, memory);
  } catch (const memory_error&) {
    if (near_.run.device.kind == device_kind::gpu) throw; // it may be the memory of the GPU
    throw memory_error(fmt::format(
        "the occurrences of '{}' with differences do not fit in {} of memory: {}allow more memory",
        chunk_->name(p).substr(0, 80), format_size(memory_limit(options_.memory)),
        options_.circular ? "" : "list only the first ones, or "));
  }
}

void near_batch_search::append(const near_rows& rows, std::uint64_t first) {
  const near_hits& hits = rows.hits;
  const std::uint64_t num_patterns = hits.offsets.size() - 1, distances = near_.max_distance + 1;
  for (std::uint64_t i = 0; i < num_patterns; ++i) {
    const std::span totals = std::span(hits.totals).subspan(i * distances, distances);
    const std::uint64_t p = first + i;
    if (options_.count) {
      found_pattern pattern{chunk_->name(p), chunk_->pattern(p), 0, 0};
      pattern.total = std::accumulate(totals.begin(), totals.end(), std::uint64_t{0});
      found_.occurrences += pattern.total;
      if (pattern.total == 0) check_letters(p);
      writer_.append_count(text_, pattern, totals);
    } else {
      append_hits(rows, i, p);
    }
    write_if_long();
  }
}

void near_batch_search::append_hits(const near_rows& rows, std::uint64_t i, std::uint64_t p) {
  const near_hits& hits = rows.hits;
  const std::uint64_t distances = near_.max_distance + 1;
  const auto totals = hits.totals.begin() + static_cast<std::ptrdiff_t>(i * distances);
  std::uint64_t total = 0;
  for (std::uint64_t d = 0; d < distances && !(near_.best && total > 0); ++d)
    total += totals[static_cast<std::ptrdiff_t>(d)];
  const std::uint64_t listed = hits.offsets[i + 1] - hits.offsets[i];
  found_.occurrences += total;
  if (listed < total) ++found_.cut;
  if (total == 0) check_letters(p);
  if (near_.both_strands) {
    reversed_.resize(chunk_->pattern(p).size());
    reverse_complement_iupac(letters_.substr(chunk_->offsets[p], reversed_.size()), reversed_.data());
  }
  writer_.begin({chunk_->name(p), chunk_->pattern(p), total, listed}, reversed_);
  for (std::uint64_t h = hits.offsets[i]; h < hits.offsets[i + 1]; ++h) {
    writer_.append_near(text_, hits, h,
                        writer_.needs_letters() ? shared_.index.letters_of(rows, h) : std::string());
    write_if_long();
  }
  writer_.end(text_);
}

void near_batch_search::write_if_long() {
  if (text_.size() < text_bytes) return;
  shared_.output.write(number_, text_);
  text_.clear();
}

} // namespace weft::files
