#include <weft/scan/cuda/resident_scan.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <weft/base/cuda/kernel_limits.hpp>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cuda/occurrence_search.hpp>
#include <weft/scan/cuda/resolve/sort_occurrences.hpp>

namespace weft::scan_detail {

namespace {

// Device memory for the smallest buffer of occurrences, lists, and temporary storage of sorts.
constexpr std::uint64_t fixed_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t max_scratch = std::uint64_t{64} << 20, scratch_threads_each = 128;
constexpr std::uint32_t max_deferred = 1U << 16; // capacity of the list of deferred items
constexpr const char* sort_step = "sort the occurrences";

std::uint64_t saturating_subtract(std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); }

[[noreturn]] void throw_over_limit(std::uint64_t found, std::uint64_t allowed) {
  if (found > max_codes_at_once)
    throw memory_error(fmt::format("scanning on the GPU: {} occurrences are too many at once", found));
  throw memory_error(fmt::format("scanning on the GPU: {} occurrences do not fit in {} of device memory",
                                 found, format_size(allowed)));
}

// Returns the bytes of device memory for one occurrence. Without overlap, the running maximum of ends needs
// an array of its own.
std::uint64_t bytes_per_resolved_code(const resolve_job& job) {
  return job.rule == match_rule::ps_scan && !job.overlap ? bytes_per_code + 8 : bytes_per_code;
}

} // namespace

resident_scan::resident_scan(const motif_set::compiled& motifs, searcher_context& context,
                             const gpu::sequences_view& text, const scan_options& options,
                             cudaStream_t stream, std::uint32_t first_sequence)
    : context_(context), source_(text), options_(options), stream_(stream), first_sequence_(first_sequence),
      num_motifs_(motifs.motifs.size()),
      allowed_(options.run.device_memory != 0 ? options.run.device_memory : ~std::uint64_t{0}) {
  count_memory(resident_text::bytes(text.size));
  text_.emplace(text, stream);
  job_.rule = options.rule;
  job_.overlap = options.overlap;
  job_.limit = unknown_limit::of(options, motifs.syntax.alphabet);
}

void resident_scan::count_memory(std::uint64_t bytes) {
  if (bytes > allowed_ - counted_bytes_)
    throw memory_error(
        fmt::format("scanning {} residues on the GPU needs at least {} of device memory, but only {} is "
                    "allowed",
                    source_.size, format_size(counted_bytes_ + bytes), format_size(allowed_)));
  counted_bytes_ += bytes;
}

gpu::scan_matches resident_scan::run() {
  const resident_text::offset_check offsets = text_->read_offset_check();
  if (!offsets.valid)
    throw std::invalid_argument("weft::gpu::scan: offsets must ascend from 0 to the number of residues");
  if (offsets.longest == 0) return {};
  count_memory(fixed_bytes + context_.searcher->limit_memory(allowed_) +
               context_.searcher->text_bytes(source_.size));
  prepare_job(offsets.longest);
  allocate_scratch(offsets.longest);
  std::optional<occurrence_search> search(std::in_place, context_, allowed_, stream_);
  std::vector<strand_matches> strands;
  for (const bool reverse : {false, true})
    if (options_.strands == strand_choice::both || (options_.strands == strand_choice::reverse) == reverse)
      strands.push_back(scan_strand(*search, reverse));
  search.reset(); // frees memory that count_memory() no longer counts
  gpu::scan_matches matches = options_.rule != match_rule::ends && options_.strands == strand_choice::forward
                                  ? gpu::scan_matches(std::move(strands.front().matches))
                                  : sort_matches(strands);
  gpu::check(cudaStreamSynchronize(stream_), "wait for the GPU");
  return matches;
}

void resident_scan::prepare_job(std::uint64_t longest) {
  const resolve_tables& tables = *context_.tables;
  job_.motifs = tables.motifs();
  job_.automata = tables.automata();
  job_.residues = text_->text().residues;
  job_.sequences = text_->sequences();
  job_.unknown = text_->unknown();
  job_.has_unknown = text_->has_unknown();
  job_.keys = match_keys::made_for(num_motifs_, longest);
  if (edge_of(options_.rule) == edge::starts)
    optional_start_motifs_ = {tables.optional_start(), tables.host().optional_start.size(), source_.count};
  if (job_.keys.bits(source_.count) > match_keys::max_bits)
    throw std::invalid_argument(
        fmt::format("weft::gpu::scan: {} sequences of up to {} residues and {} motifs are too many: the "
                    "key of a match has at most 63 bits",
                    source_.count, longest, num_motifs_));
}

// Allocates the memory of the threads that resolve deferred items. Uses fewer threads if each of them needs
// much memory.
void resident_scan::allocate_scratch(std::uint64_t longest) {
  const resolve_tables& tables = *context_.tables;
  if (options_.rule == match_rule::ends) {
    scratch_.states = tables.max_words();
  } else {
    scratch_.choices = std::max(tables.host().max_flexible, 1U);
    scratch_.failures = noted_failures::words_for(tables.host().failure_bits(longest));
  }
  const std::uint64_t bytes_per_thread = scratch_.choices * sizeof(walk_choice) +
                                         scratch_.failures * sizeof(std::uint32_t) +
                                         scratch_.states * sizeof(std::uint64_t);
  int multiprocessors = 0;
  gpu::check(base_detail::count_multiprocessors(multiprocessors), "query the attributes of the GPU");
  const std::uint64_t fair_share = std::min(max_scratch, saturating_subtract(allowed_, counted_bytes_) / 16);
  const std::uint64_t threads = std::clamp<std::uint64_t>(
      fair_share / bytes_per_thread, 1, static_cast<std::uint64_t>(multiprocessors) * scratch_threads_each);
  count_memory(threads * bytes_per_thread);
  scratch_.threads = static_cast<std::uint32_t>(threads);
  choices_ = {threads * scratch_.choices, stream_};
  failures_ = {threads * scratch_.failures, stream_};
  states_ = {threads * scratch_.states, stream_};
  scratch_.all_choices = choices_.data();
  scratch_.all_failures = failures_.data();
  scratch_.all_states = states_.data();
}

resident_scan::strand_matches resident_scan::scan_strand(occurrence_search& search, bool reverse) {
  text_->load(reverse);
  const std::uint64_t n = find(search), before = counted_bytes_;
  if (n == 0) return {};
  const std::uint64_t bytes =
      search.capacity() * sizeof(std::uint64_t) + n * (bytes_per_resolved_code(job_) - sizeof(std::uint64_t));
  count_memory(
      // The first min_code_capacity occurrences are part of fixed_bytes.
      saturating_subtract(bytes, min_code_capacity * bytes_per_resolved_code(job_)));
  make_keys(job_, search.codes(), n, stream_);
  const gpu::device_buffer<std::uint64_t> other(n, stream_);
  std::uint64_t* sorted = nullptr;
  const int bits = job_.keys.bits(source_.count);
  gpu::in_two_phases(stream_, sort_step, [&](void* temp, std::size_t& temp_bytes) {
    return sort_keys(temp, temp_bytes, search.codes(), other.data(), n, 0, bits, sorted, stream_);
  });
  const item_buffers items{sorted, sorted == other.data() ? search.codes() : other.data(), n};
  resolve_items(items);
  strand_matches matches = extract_matches(items, apply_rule(items), reverse);
  counted_bytes_ = before + matches.matches.bytes() + matches.begins.bytes() + matches.ends.bytes();
  return matches;
}

// Finds all occurrences in the text and returns their number. Repeats the search with a larger buffer until
// all of them fit.
std::uint64_t resident_scan::find(occurrence_search& search) {
  const std::uint64_t max_codes =
      min_code_capacity + saturating_subtract(allowed_, counted_bytes_) / bytes_per_resolved_code(job_);
  search.set_max_found(std::min(max_codes_at_once, max_codes));
  const auto more = [this](const code_buffer& to) {
    if (optional_start_motifs_.count != 0)
      find_optional_start_motifs(job_, optional_start_motifs_, scratch_, to, stream_);
  };
  for (;;) {
    const std::uint64_t count = search(text_->text(), 0, source_.size, more);
    if (count <= search.capacity()) return count;
    if (count > search.max_codes()) throw_over_limit(count, allowed_);
  }
}

void resident_scan::resolve_items(const item_buffers& items) {
  const gpu::device_buffer<unsigned long long> count(1, stream_);
  const gpu::device_buffer<std::uint32_t> list(max_deferred, stream_);
  gpu::check(cudaMemsetAsync(count.data(), 0, count.bytes(), stream_), "clear a counter");
  const deferred_list left{count.data(), list.data(), max_deferred};
  resolve(job_, items.keys, items.values, items.count, left, stream_);
  resolve_deferred(job_, items.keys, items.values, items.count, left, scratch_, stream_);
  if (optional_start_motifs_.count != 0)
    fill_optional_start_values(job_, optional_start_motifs_, scratch_, items.keys, items.values, items.count,
                               stream_);
}

match_filter resident_scan::apply_rule(const item_buffers& items) {
  if (job_.rule != match_rule::ps_scan || (job_.overlap && options_.included)) return match_filter::present;
  const auto reach = [&](std::uint64_t* values) {
    gpu::in_two_phases(stream_, sort_step, [&](void* temp, std::size_t& bytes) {
      return running_maximum(temp, bytes, values, items.count, stream_);
    });
  };
  if (job_.overlap) {
    reach(items.values);
    return match_filter::rising;
  }
  const gpu::device_buffer<std::uint64_t> reached(items.count, stream_);
  copy_without_flag(items.values, reached.data(), items.count, stream_);
  reach(reached.data());
  select_without_overlap(items.keys, reached.data(), items.values, items.count, stream_);
  return match_filter::present;
}

resident_scan::strand_matches resident_scan::extract_matches(const item_buffers& items, match_filter which,
                                                             bool reverse) {
  const std::uint64_t num_tiles = tiles(items.count);
  const gpu::device_buffer<std::uint64_t> tile_offsets(num_tiles + 1, stream_);
  gpu::check(cudaMemsetAsync(tile_offsets.data() + num_tiles, 0, sizeof(std::uint64_t), stream_),
             "clear a counter");
  count_matches(which, items.values, items.count, tile_offsets.data(), stream_);
  gpu::in_two_phases(stream_, sort_step, [&](void* temp, std::size_t& bytes) {
    return exclusive_sum(temp, bytes, tile_offsets.data(), num_tiles + 1, stream_);
  });
  const std::uint64_t count = gpu::downloaded(tile_offsets.data() + num_tiles, stream_, "wait for the GPU");
  if (count == 0) return {};
  strand_matches taken;
  if (options_.rule != match_rule::ends && options_.strands == strand_choice::forward) {
    count_memory(count * sizeof(scan_match));
    taken.matches = {count, stream_};
  } else {
    count_memory(2 * count * sizeof(std::uint64_t));
    taken.begins = {count, stream_};
    taken.ends = {count, stream_};
  }
  write_matches(job_, which, items.keys, items.values, items.count, tile_offsets.data(),
                {taken.matches.data(), taken.begins.data(), taken.ends.data(), reverse, first_sequence_},
                stream_);
  return taken;
}

// Joins the matches of the strands and sorts them twice: first by end and strand, then, stably, by sequence,
// motif and begin. The first sort is skipped if only the forward strand was scanned, because its matches come
// ordered by their ends.
gpu::scan_matches resident_scan::sort_matches(const std::vector<strand_matches>& strands) {
  std::uint64_t n = 0;
  for (const strand_matches& strand : strands) n += strand.begins.size();
  if (n == 0) return {};
  if (n > max_codes_at_once) throw_over_limit(n, allowed_);
  count_memory(4 * n * sizeof(std::uint64_t) + n + n * sizeof(scan_match));
  const gpu::device_buffer<std::uint64_t> numbers(4 * n, stream_);
  number_pairs pairs{numbers.data(), numbers.data() + n, numbers.data() + 2 * n, numbers.data() + 3 * n};
  std::uint64_t at = 0;
  for (const strand_matches& strand : strands) {
    gpu::copy(pairs.first + at, strand.ends.data(), strand.ends.size(), stream_, "join matches");
    gpu::copy(pairs.second + at, strand.begins.data(), strand.begins.size(), stream_, "join matches");
    at += strand.begins.size();
  }
  const auto sort = [&](int bits) {
    gpu::in_two_phases(stream_, sort_step, [&](void* temp, std::size_t& temp_bytes) {
      return sort_pairs(temp, temp_bytes, pairs, n, bits, stream_);
    });
  };
  if (options_.strands != strand_choice::forward) sort(job_.keys.offset_bits + 1);
  std::swap(pairs.first, pairs.second);
  std::swap(pairs.other_first, pairs.other_second);
  sort(job_.keys.bits(source_.count));
  gpu::device_buffer<scan_match> matches(n, stream_);
  write_sorted(job_.keys, pairs.first, pairs.second, n, first_sequence_, matches.data(), stream_);
  return gpu::scan_matches(std::move(matches));
}

} // namespace weft::scan_detail
