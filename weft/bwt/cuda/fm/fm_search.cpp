#include <weft/bwt/cuda/fm/fm_search.hpp>

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cuda/api_steps.hpp>
#include <weft/bwt/cuda/fm/fm_kernels.hpp>

namespace weft::bwt_detail {

using gpu::device_buffer;

void sum_before(device_buffer<std::uint64_t>& items, cudaStream_t stream) {
  gpu::in_two_phases(stream, "sum numbers", [&](void* d_temp, std::size_t& bytes) {
    return bwt_detail::sum_before(d_temp, bytes, items.data(), items.size(), stream);
  });
}

namespace {

constexpr std::uint64_t max_rows = std::uint64_t{1} << 38; // so that their bytes can be counted in 64 bits
constexpr std::string_view locating = "locating the patterns";

} // namespace

void count(const fm_job& job, std::uint64_t* d_counts, std::uint32_t* d_damaged, cudaStream_t stream) {
  if (job.patterns == 0) return;
  const device_buffer<fm_interval> intervals(job.patterns, stream);
  find_intervals(job, intervals.data(), d_counts, stream);
  count_by_comparing(job, intervals.data(), d_counts, d_damaged, stream);
}

gpu::fm_device_hits locate(const fm_job& job, const fm_search_options& options, cudaStream_t stream) {
  constexpr std::uint64_t bytes_per_pattern = 48, bytes_per_row = 16, bytes_per_hit = 34;
  const std::uint64_t n = job.patterns;
  const std::uint64_t allowed = gpu::device_memory_allowed(options.run.device_memory);
  require_device_memory(bytes_per_pattern * n, allowed, locating);
  gpu::fm_device_hits result{
      {}, device_buffer<std::uint64_t>(n + 1, stream), device_buffer<std::uint64_t>(n, stream)};
  if (n == 0) {
    gpu::check(cudaMemsetAsync(result.offsets.data(), 0, result.offsets.bytes(), stream), "clear memory");
    return result;
  }
  const device_buffer<fm_interval> intervals(n, stream);
  device_buffer<std::uint64_t> starts(n + 1, stream);
  find_intervals(job, intervals.data(), result.totals.data(), stream);
  count_candidates(intervals.data(), n, options.max_hits, starts.data(), stream);
  sum_before(starts, stream);
  const fm_candidates rows{intervals.data(), starts.data(),
                           gpu::downloaded(starts.data() + n, stream, "wait for the GPU")};
  if (rows.count > max_rows)
    throw memory_error(fmt::format("there are {} rows to look up, but at most 2^38 can be looked up at a "
                                   "time",
                                   rows.count));
  require_device_memory(bytes_per_pattern * n + bytes_per_row * rows.count, allowed, locating);

  device_buffer<std::uint64_t> occurrences(rows.count, stream), found(rows.count + 1, stream);
  const device_buffer<std::uint32_t> damaged(1, stream);
  gpu::check(cudaMemsetAsync(damaged.data(), 0, damaged.bytes(), stream), "clear memory");
  if (rows.count > 0) {
    find_positions(job, rows, occurrences.data(), found.data(), damaged.data(), stream);
    sum_before(found, stream);
  } else {
    gpu::check(cudaMemsetAsync(found.data(), 0, found.bytes(), stream), "clear memory");
  }
  count_hits(rows, n, found.data(), options.max_hits, result.totals.data(), result.offsets.data(), stream);
  sum_before(result.offsets, stream);
  const std::uint64_t hits = gpu::downloaded(result.offsets.data() + n, stream, "wait for the GPU");
  if (gpu::downloaded(damaged.data(), stream, "wait for the GPU") != 0) refuse_damaged_index();
  require_device_memory(bytes_per_pattern * n + bytes_per_row * rows.count + bytes_per_hit * hits, allowed,
                        locating);
  if (hits == 0) return result;

  const device_buffer<std::uint64_t> positions(hits, stream);
  gather_positions(rows, n, occurrences.data(), found.data(), result.offsets.data(), positions.data(),
                   stream);
  occurrences = {};
  found = {};
  gpu::in_two_phases(stream, "sort positions", [&](void* d_temp, std::size_t& bytes) {
    return sort_segments(d_temp, bytes, positions.data(), hits, result.offsets.data(), n, stream);
  });
  result.hits = device_buffer<fm_hit>(hits, stream);
  write_hits(job.index, positions.data(), hits, result.hits.data(), stream);
  return result;
}

} // namespace weft::bwt_detail

namespace weft::gpu {

namespace {

constexpr std::uint64_t max_patterns = std::uint64_t{1} << 38;
constexpr std::uint64_t min_staged_bytes = std::uint64_t{1} << 26; // worth starting threads to copy

using bwt_detail::require;

bwt_detail::fm_job job_of(const fm_index_view& index, const sequences_view& patterns) {
  require(patterns.count <= max_patterns, "searching an index: there must be at most 2^38 patterns");
  require(patterns.count == 0 || patterns.d_offsets != nullptr, "search in an index: offsets are null");
  require(patterns.size == 0 || patterns.d_data != nullptr, "search in an index: letters are null");
  const auto* const d_letters = reinterpret_cast<const unsigned char*>(patterns.d_data);
  return {index.parts,
          {d_letters, patterns.size > 0 ? d_letters + patterns.size : d_letters},
          patterns.d_offsets,
          0,
          patterns.count};
}

// Returns the bytes of an index from its section of segments to the end of its text. Searches on a GPU read
// nothing else.
std::span<const char> searched_bytes(const fm_index& index) {
  const auto* const from = reinterpret_cast<const char*>(index.parts().segments.data());
  const std::uint64_t contexts =
      index.has_contexts() ? bwt_detail::bytes_of_contexts(index.parts().num_rows) : 0;
  const std::span<const char> bytes = index.bytes().first(index.bytes().size() - contexts);
  return bytes.subspan(static_cast<std::size_t>(from - bytes.data()));
}

std::span<const std::uint64_t> levels_of(const fm_index& index) {
  return {index.parts().matrix.zeros, static_cast<std::size_t>(index.parts().matrix.levels)};
}
std::span<const std::uint64_t> begins_of(const fm_index& index) {
  const bool any = index.parts().code_begin != nullptr;
  return {index.parts().code_begin, any ? index.parts().first_row.size() - 1 : 0};
}

// Returns the parts of a copy of an index. Pointers into the sections at `from` become pointers to the same
// offsets at `to`.
weft::bwt_detail::fm_parts relocate(weft::bwt_detail::fm_parts parts, const char* from, const char* to) {
  const auto move = [&]<class T>(const T*& pointer) {
    if (pointer != nullptr)
      pointer = reinterpret_cast<const T*>(to + (reinterpret_cast<const char*>(pointer) - from));
  };
  const auto move_numbers = [&](weft::bwt_detail::index_array& numbers) {
    const char* data = static_cast<const char*>(numbers.data);
    move(data);
    numbers.data = data;
  };
  move(parts.segments.items);
  move(parts.code_of_byte.items);
  move(parts.first_row.items);
  move(parts.open_rows.items);
  move(parts.open_positions.items);
  move(parts.blocks);
  move(parts.supers);
  move(parts.matrix.words);
  move(parts.matrix.counts);
  move_numbers(parts.kmers);
  move_numbers(parts.samples);
  move(parts.marks);
  move(parts.mark_counts);
  move(parts.packed_text);
  move(parts.byte_text);
  return parts;
}

} // namespace

std::uint64_t device_fm_index::bytes_of(const fm_index& index) {
  return searched_bytes(index).size() + levels_of(index).size_bytes() + begins_of(index).size_bytes();
}

device_fm_index::device_fm_index(const fm_index& index, cudaStream_t stream)
    : memory_(bytes_of(index), stream) {
  staged_copy staging(current_device()); // destroyed after `quiet`, which waits for the copies
  const quiet_at_end quiet(stream);
  const std::span<const char> bytes = searched_bytes(index);
  const std::span<const std::uint64_t> levels = levels_of(index), begins = begins_of(index);
  char* const d_levels = memory_.data() + bytes.size(); // aligned, because sections are padded to 64 bytes
  char* const d_begins = d_levels + levels.size_bytes();
  if (bytes.size() < min_staged_bytes)
    copy(memory_.data(), bytes.data(), bytes.size(), stream, "copy an index");
  else
    staging.to_device(memory_.data(), bytes.data(), bytes.size(), stream, 0);
  copy(d_levels, reinterpret_cast<const char*>(levels.data()), levels.size_bytes(), stream, "copy an index");
  copy(d_begins, reinterpret_cast<const char*>(begins.data()), begins.size_bytes(), stream, "copy an index");
  parts_ = relocate(index.parts(), bytes.data(), memory_.data());
  if (parts_.code_begin != nullptr) {
    parts_.matrix.zeros = reinterpret_cast<const std::uint64_t*>(d_levels);
    parts_.code_begin = reinterpret_cast<const std::uint64_t*>(d_begins);
  }
  check(cudaStreamSynchronize(stream), "copy an index");
}

void count(const fm_index_view& index, const sequences_view& patterns, std::uint64_t* d_counts,
           cudaStream_t stream) {
  require(patterns.count == 0 || d_counts != nullptr, "search in an index: counts are null");
  bwt_detail::count(job_of(index, patterns), d_counts, nullptr, stream);
}

fm_device_hits locate(const fm_index_view& index, const sequences_view& patterns,
                      const fm_search_options& options, cudaStream_t stream) {
  device_call call("weft::gpu::locate", options.run, "patterns");
  call.begin("batch", patterns.count);
  return bwt_detail::locate(job_of(index, patterns), options, stream);
}

} // namespace weft::gpu
