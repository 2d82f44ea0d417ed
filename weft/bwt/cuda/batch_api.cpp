// Implements weft/bwt/bwt_batch.cuh: batches and collections.
//
// The plain version of a batch:
//     for each text: transform it
//
// Texts are processed in runs of up to 2^25 symbols. The texts of a run become the parts of one text, whose
// suffixes are sorted by the number of the part and then by their symbols up to the end of the part
// (core/part_text.hpp). Rows therefore come in the order of the parts, and each part has as many rows as
// symbols.
#include <weft/bwt/bwt_batch.cuh>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/cuda/api_steps.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>
#include <weft/bwt/cuda/text/text_kernels.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft::gpu {

namespace {

using namespace bwt_detail;

void check_offsets(std::span<const std::uint64_t> offsets) {
  require(!offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()),
          "offsets must ascend from 0");
}

// Returns the offsets of texts in host memory. Throws std::invalid_argument unless there are pointers and the
// last offset is the number of bytes. Waits for the stream.
std::vector<std::uint64_t> offsets_of(const sequences_view& texts, cudaStream_t stream) {
  if (texts.count == 0 && texts.size == 0) return {0};
  require(texts.d_offsets != nullptr && (texts.size == 0 || texts.d_data != nullptr),
          "a pointer to a non-empty array is null");
  std::vector<std::uint64_t> offsets =
      downloaded(texts.d_offsets, texts.count + 1, stream, "read the offsets of the texts");
  require(offsets.back() == texts.size, "the last offset must be the number of bytes");
  return offsets;
}

const unsigned char* bytes_of(const sequences_view& texts) {
  return reinterpret_cast<const unsigned char*>(texts.d_data);
}

// A run is a sequence of consecutive texts that are sorted together, without the empty ones.
struct text_run {
  std::uint64_t begin = 0;            // offset of the first text among all bytes
  std::vector<std::uint64_t> numbers; // of the texts, among all
  std::vector<std::uint64_t> begins;  // offsets of the texts from `begin`, and the end of the last text

  [[nodiscard]] std::uint64_t size() const { return begins.back(); }
};

// Returns the run that begins with text `first`: as many texts as have at most max_symbols symbols together,
// but at least one. `first` becomes the number of the next text.
text_run take_run(std::span<const std::uint64_t> offsets, std::uint64_t max_symbols, std::uint64_t& first) {
  text_run run{offsets[first], {}, {}};
  const std::uint64_t texts = offsets.size() - 1;
  do {
    if (offsets[first] < offsets[first + 1]) {
      run.numbers.push_back(first);
      run.begins.push_back(offsets[first] - run.begin);
    }
    ++first;
  } while (first < texts && offsets[first + 1] - run.begin <= max_symbols);
  run.begins.push_back(offsets[first] - run.begin);
  return run;
}

// For each part the row of one of its suffixes, filled in while blocks of rows arrive; until then a number
// greater than every row.
class part_rows {
public:
  part_rows(std::uint64_t parts, cudaStream_t stream) : rows_(parts, stream) {
    check(cudaMemsetAsync(rows_.data(), 0xff, rows_.bytes(), stream), "clear rows");
  }
  [[nodiscard]] std::uint64_t* data() const noexcept { return rows_.data(); }
  [[nodiscard]] std::uint64_t memory() const noexcept { return rows_.bytes(); }
  // `to` must have one entry per part.
  void read(std::span<std::uint64_t> to, cudaStream_t stream) const {
    gpu::copy(to.data(), rows_.data(), to.size(), stream, "read rows");
    check(cudaStreamSynchronize(stream), "transform");
  }
  [[nodiscard]] std::vector<std::uint64_t> values(cudaStream_t stream) const {
    return downloaded(rows_.data(), rows_.size(), stream, "transform");
  }

private:
  device_buffer<std::uint64_t> rows_;
};

// Passes the rows of the parts to the sink in the order of `view`, a member function of text_parts, with the
// bytes before them if `before` is true. held: bytes of device memory that are taken already.
template <class Index>
void sort_parts(const unsigned char* d_text, const text_parts& parts,
                bwt_detail::part_text (text_parts::*view)(const packed_text&) const, bool before,
                std::uint64_t held, const row_sink<Index>& sink, const bwt_options& options,
                cudaStream_t stream) {
  const packed_text text(d_text, parts.size(), stream);
  sort_suffixes_in_blocks<Index>(
      text, (parts.*view)(text), sink,
      {.monitor = options.run.monitor,
       .memory = memory_left(options.run.device_memory, held + text.memory() + parts.memory()),
       .bytes_before = before},
      stream);
}

// Calls work(run) for the runs of the texts, in order. If the engine is ternary-quicksort, each run is a
// single text.
template <class Work>
void for_each_run(std::span<const std::uint64_t> offsets, bool quicksort, const Work& work) {
  // A run has at most the symbols of one block of the suffix sort; ternary-quicksort takes single texts.
  const std::uint64_t max_symbols = quicksort ? 0 : std::uint64_t{1} << 25;
  for (std::uint64_t first = 0; first + 1 < offsets.size();)
    if (const text_run run = take_run(offsets, max_symbols, first); !run.numbers.empty()) work(run);
}

// Transforms the texts of a run. d_text and d_bwt point to the run's first byte.
void transform_to_sentinel_forms(const text_run& run, const unsigned char* d_text, unsigned char* d_bwt,
                                 std::span<std::uint64_t> primary_indexes, const bwt_options& options,
                                 cudaStream_t stream) {
  const text_parts parts(run.begins, stream);
  const part_rows whole(parts.count(), stream);
  sort_parts<std::uint32_t>(
      d_text, parts, &text_parts::batch, true, whole.memory(),
      [&](const row_block<std::uint32_t>& rows) {
        find_whole_parts(rows.d_suffixes, rows.count, rows.first, parts.layout(), nullptr, whole.data(),
                         stream);
        write_part_sentinel_rows(d_text, rows.d_before, rows.count, rows.first, parts.layout(), whole.data(),
                                 d_bwt, stream);
      },
      options, stream);
  const std::vector<std::uint64_t> rows = whole.values(stream);
  for (std::uint64_t p = 0; p < rows.size(); ++p)
    primary_indexes[run.numbers[p]] = rows[p] - run.begins[p] + 1;
}

// The least rotations of the roots of all texts of a run.
struct min_rotations {
  std::vector<part_rotation> of_parts;
  std::vector<std::uint64_t> begins;      // offsets of the roots, concatenated, and the end of the last
  std::vector<std::uint64_t> text_starts; // where the rotation that is the text itself begins, by text
};
min_rotations find_rotations(const text_run& run, const unsigned char* d_text, cudaStream_t stream) {
  std::string text(run.size(), '\0');
  gpu::copy(reinterpret_cast<unsigned char*>(text.data()), d_text, text.size(), stream, "read the texts");
  check(cudaStreamSynchronize(stream), "read the texts");
  const std::uint64_t parts = run.numbers.size();
  min_rotations found{std::vector<part_rotation>(parts), {0}, {}};
  parallel_for(0, parts, parts / 512 + 1, 0, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t p = first; p < last; ++p) {
      const std::uint64_t begin = run.begins[p];
      const auto part = std::string_view(text).substr(begin, run.begins[p + 1] - begin);
      const std::uint64_t period = weft::bwt_detail::shortest_root(part);
      found.of_parts[p] = {begin, weft::bwt_detail::min_rotation(part.substr(0, period)), period};
    }
  });
  for (const part_rotation& each : found.of_parts) {
    const std::uint64_t begin = found.begins.back();
    found.text_starts.push_back(begin + (each.start == 0 ? 0 : each.period - each.start));
    found.begins.push_back(begin + each.period);
  }
  return found;
}

// Transforms the texts of a run to the rotation form; see transform_to_rotation_form() of device_api.cpp.
void transform_to_rotation_forms(const text_run& run, const unsigned char* d_text, unsigned char* d_bwt,
                                 std::span<std::uint64_t> primary_indexes, const bwt_options& options,
                                 cudaStream_t stream) {
  const min_rotations rotations = find_rotations(run, d_text, stream);
  const text_parts parts(run.begins, stream), roots(rotations.begins, stream);
  const auto d_rotations =
      gpu::uploaded(std::span<const part_rotation>(rotations.of_parts), stream, "upload rotations");
  const auto d_texts =
      gpu::uploaded(std::span<const std::uint64_t>(rotations.text_starts), stream, "upload rotations");
  const device_buffer<unsigned char> rotated(roots.size(), stream);
  rotate_parts(d_text, d_rotations.data(), roots.layout(), roots.size(), rotated.data(), stream);
  const part_rows whole(parts.count(), stream), texts(parts.count(), stream);
  sort_parts<std::uint32_t>(
      rotated.data(), roots, &text_parts::batch, true,
      parts.memory() + d_rotations.bytes() + d_texts.bytes() + rotated.bytes() + 2 * whole.memory(),
      [&](const row_block<std::uint32_t>& rows) {
        find_whole_parts(rows.d_suffixes, rows.count, rows.first, roots.layout(), nullptr, whole.data(),
                         stream);
        find_part_rows(rows.d_suffixes, rows.count, rows.first, roots.layout(), d_texts.data(), texts.data(),
                       stream);
        write_part_rotation_rows(rotated.data(), rows.d_before, rows.count, rows.first, roots.layout(),
                                 whole.data(), parts.layout(), parts.size(), d_bwt, stream);
      },
      options, stream);
  if (options.run.monitor != nullptr) options.run.monitor->add(parts.size() - roots.size());
  const std::vector<std::uint64_t> rows = texts.values(stream);
  for (std::uint64_t p = 0; p < rows.size(); ++p)
    primary_indexes[run.numbers[p]] = (rows[p] - rotations.begins[p]) *
                                      ((run.begins[p + 1] - run.begins[p]) / rotations.of_parts[p].period);
}

// Returns the offsets of the records that are not empty, and the end of the last: `offsets` without
// repetitions. Uses `kept` as memory if there are repetitions.
std::span<const std::uint64_t> nonempty_begins(std::span<const std::uint64_t> offsets,
                                               std::vector<std::uint64_t>& kept) {
  std::span<const std::uint64_t> begins = offsets;
  if (std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end()) {
    kept.reserve(offsets.size());
    std::unique_copy(offsets.begin(), offsets.end(), std::back_inserter(kept));
    begins = kept;
  }
  require(begins.size() - 1 < std::uint64_t{1} << 32,
          "there must be fewer than 2^32 records that are not empty");
  return begins;
}

// Writes the bytes before the rows to d_to, except for rows that are a whole part, whose numbers go to
// `whole`. Returns the number of bytes.
template <class Index>
std::uint64_t write_inside(const row_block<Index>& rows, const text_parts& parts, const part_rows& whole,
                           unsigned char* d_to, cudaStream_t stream) {
  const device_buffer<std::uint8_t> inside(rows.count, stream);
  const device_buffer<std::uint64_t> d_kept(1, stream);
  find_whole_parts(rows.d_suffixes, rows.count, rows.first, parts.layout(), inside.data(), whole.data(),
                   stream);
  in_two_phases(stream, "write rows", [&](void* d_temp, std::size_t& bytes) {
    return select_inside(d_temp, bytes, rows.d_before, inside.data(), rows.count, d_to, d_kept.data(),
                         stream);
  });
  return downloaded(d_kept.data(), stream, "count rows");
}

} // namespace

void bwt_batch(const unsigned char* d_texts, std::span<const std::uint64_t> offsets, bwt_form form,
               unsigned char* d_bwt, std::span<std::uint64_t> primary_indexes, const bwt_options& options,
               cudaStream_t stream) {
  const bool quicksort = weft::bwt_detail::is_ternary_quicksort(options.run.engine);
  check_offsets(offsets);
  device_call call("weft::gpu::bwt_batch", options.run, "symbols");
  call.begin(engine_of(options), offsets.back());
  require(primary_indexes.size() == offsets.size() - 1, "there must be as many primary indexes as texts");
  require(offsets.back() == 0 || (d_texts != nullptr && d_bwt != nullptr),
          "a pointer to a non-empty array is null");
  const quiet_at_end quiet(stream);
  std::fill(primary_indexes.begin(), primary_indexes.end(), 0);
  for_each_run(offsets, quicksort, [&](const text_run& run) {
    const unsigned char* const d_text = d_texts + run.begin;
    unsigned char* const d_to = d_bwt + run.begin;
    if (run.numbers.size() == 1)
      primary_indexes[run.numbers.front()] = bwt(d_text, run.size(), form, d_to, options, stream);
    else if (form == bwt_form::sentinel)
      transform_to_sentinel_forms(run, d_text, d_to, primary_indexes, options, stream);
    else
      transform_to_rotation_forms(run, d_text, d_to, primary_indexes, options, stream);
  });
}

template <class Index>
void suffix_array_batch(const unsigned char* d_texts, std::span<const std::uint64_t> offsets, Index* d_sa,
                        const bwt_options& options, cudaStream_t stream) {
  const bool quicksort = weft::bwt_detail::is_ternary_quicksort(options.run.engine);
  check_offsets(offsets);
  device_call call("weft::gpu::suffix_array_batch", options.run, "symbols");
  call.begin(engine_of(options), offsets.back());
  for (std::uint64_t i = 0; i + 1 < offsets.size(); ++i)
    weft::bwt_detail::check_index<Index>(offsets[i + 1] - offsets[i]);
  require(offsets.back() == 0 || (d_texts != nullptr && d_sa != nullptr),
          "a pointer to a non-empty array is null");
  const quiet_at_end quiet(stream);
  for_each_run(offsets, quicksort, [&](const text_run& run) {
    const unsigned char* const d_text = d_texts + run.begin;
    Index* const d_to = d_sa + run.begin;
    if (run.numbers.size() == 1) return suffix_array(d_text, run.size(), d_to, options, stream);
    const text_parts parts(run.begins, stream);
    sort_parts<std::uint32_t>(
        d_text, parts, &text_parts::batch, false, 0,
        [&](const row_block<std::uint32_t>& rows) {
          write_positions_in_parts(rows.d_suffixes, rows.count, rows.first, parts.layout(), d_to + rows.first,
                                   stream);
        },
        options, stream);
  });
}

template <class Index>
void collection_suffix_array(const unsigned char* d_text, std::span<const std::uint64_t> offsets, Index* d_sa,
                             const bwt_options& options, cudaStream_t stream) {
  check_offsets(offsets);
  device_call call("weft::gpu::collection_suffix_array", options.run, "symbols");
  call.begin("suffix-sort", offsets.back());
  weft::bwt_detail::check_index<Index>(offsets.back());
  require(offsets.back() == 0 || (d_text != nullptr && d_sa != nullptr),
          "a pointer to a non-empty array is null");
  if (offsets.back() == 0) return;
  const quiet_at_end quiet(stream);
  std::vector<std::uint64_t> kept;
  const text_parts parts(nonempty_begins(offsets, kept), stream);
  sort_parts<Index>(
      d_text, parts, &text_parts::collection, false, 0,
      [&](const row_block<Index>& rows) {
        gpu::copy(d_sa + rows.first, rows.d_suffixes, rows.count, stream, "copy suffixes");
      },
      options, stream);
}

void collection_bwt(const unsigned char* d_text, std::span<const std::uint64_t> offsets, unsigned char* d_bwt,
                    std::span<std::uint64_t> starts, const bwt_options& options, cudaStream_t stream) {
  check_offsets(offsets);
  const std::uint64_t all = offsets.size() - 1, n = offsets.back();
  device_call call("weft::gpu::collection_bwt", options.run, "symbols");
  call.begin("suffix-sort", n);
  require(starts.size() == all, "there must be as many starts as records");
  require(n == 0 || (d_text != nullptr && d_bwt != nullptr), "a pointer to a non-empty array is null");
  if (n == 0) return std::iota(starts.begin(), starts.end(), std::uint64_t{0});
  const quiet_at_end quiet(stream);
  std::vector<std::uint64_t> kept;
  const text_parts parts(nonempty_begins(offsets, kept), stream);
  const part_rows whole(parts.count(), stream);
  read_last_bytes(d_text, parts.layout().begins, parts.count(), d_bwt, stream); // rows of the sentinels
  std::uint64_t written = parts.count();
  with_index(n, [&](auto* type_tag) {
    using index = std::remove_pointer_t<decltype(type_tag)>;
    sort_parts<index>(
        d_text, parts, &text_parts::collection, true, whole.memory(),
        [&](const row_block<index>& rows) {
          written += write_inside(rows, parts, whole, d_bwt + written, stream);
        },
        options, stream);
  });
  const std::span<std::uint64_t> rows = starts.last(parts.count()); // each is read before it is overwritten
  whole.read(rows, stream);
  for (std::uint64_t r = 0, p = 0; r < all; ++r)
    starts[r] = offsets[r] == offsets[r + 1] ? r : all + rows[p++];
}

void bwt_batch(const sequences_view& texts, bwt_form form, unsigned char* d_bwt,
               std::span<std::uint64_t> primary_indexes, const bwt_options& options, cudaStream_t stream) {
  bwt_batch(bytes_of(texts), offsets_of(texts, stream), form, d_bwt, primary_indexes, options, stream);
}

template <class Index>
void suffix_array_batch(const sequences_view& texts, Index* d_sa, const bwt_options& options,
                        cudaStream_t stream) {
  suffix_array_batch(bytes_of(texts), offsets_of(texts, stream), d_sa, options, stream);
}

template <class Index>
void collection_suffix_array(const sequences_view& records, Index* d_sa, const bwt_options& options,
                             cudaStream_t stream) {
  collection_suffix_array(bytes_of(records), offsets_of(records, stream), d_sa, options, stream);
}

void collection_bwt(const sequences_view& records, unsigned char* d_bwt, std::span<std::uint64_t> starts,
                    const bwt_options& options, cudaStream_t stream) {
  collection_bwt(bytes_of(records), offsets_of(records, stream), d_bwt, starts, options, stream);
}

template void suffix_array_batch(const sequences_view&, std::uint32_t*, const bwt_options&, cudaStream_t);
template void suffix_array_batch(const sequences_view&, std::uint64_t*, const bwt_options&, cudaStream_t);
template void collection_suffix_array(const sequences_view&, std::uint32_t*, const bwt_options&,
                                      cudaStream_t);
template void collection_suffix_array(const sequences_view&, std::uint64_t*, const bwt_options&,
                                      cudaStream_t);
template void suffix_array_batch(const unsigned char*, std::span<const std::uint64_t>, std::uint32_t*,
                                 const bwt_options&, cudaStream_t);
template void suffix_array_batch(const unsigned char*, std::span<const std::uint64_t>, std::uint64_t*,
                                 const bwt_options&, cudaStream_t);
template void collection_suffix_array(const unsigned char*, std::span<const std::uint64_t>, std::uint32_t*,
                                      const bwt_options&, cudaStream_t);
template void collection_suffix_array(const unsigned char*, std::span<const std::uint64_t>, std::uint64_t*,
                                      const bwt_options&, cudaStream_t);

} // namespace weft::gpu
