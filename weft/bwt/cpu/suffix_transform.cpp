// Transforms of texts from their sorted suffixes.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/bwt/cpu/suffix_sort.hpp>
#include <weft/bwt/cpu/text_algorithms.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t range_rows = std::uint64_t{1} << 16; // that a thread takes at a time
constexpr std::uint64_t ahead = 32;                          // rows whose symbols are asked for in advance

std::span<const unsigned char> symbols_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// Writes the bytes before the suffixes of the rows [first_row, first_row + count); the last byte of the text
// is before the whole text. suffix(k) is the suffix of row first_row + k. If one of them is suffix `wanted`,
// sets `row` to its row.
template <class Suffix>
void write_bytes(std::string_view text, std::uint64_t first_row, std::uint64_t count, const Suffix& suffix,
                 char* bytes, std::uint64_t wanted, std::atomic<std::uint64_t>& row, const run_options& run) {
  parallel_for(0, count, range_rows, run, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t k = first; k < last; ++k) {
      __builtin_prefetch(text.data() + suffix(std::min(k + ahead, count - 1)));
      const std::uint64_t i = suffix(k);
      if (i == wanted) row = first_row + k;
      bytes[first_row + k] = text[(i == 0 ? text.size() : i) - 1];
    }
  });
}

// Makes the sentinel form of the bytes of all rows: the byte before the end mark goes first, and the byte of
// the whole text, in row `whole`, goes away.
bwt_text sentinel_form(std::string_view text, std::string&& bytes, std::uint64_t whole) {
  std::memmove(bytes.data() + 1, bytes.data(), whole);
  bytes[0] = text.back();
  return {std::move(bytes), whole + 1, bwt_form::sentinel};
}

// Transforms a text together with the helpers, which return codes of the packed text.
bwt_text transform_by_helpers(std::string_view text, const suffix_string& packed, const range_limits& limits,
                              const run_options& run, suffix_helpers& helpers) {
  std::string bytes(text.size(), '\0');
  std::uint64_t whole = 0;
  helpers.transform(packed, limits, run, [&](const preceding_range& range) {
    if (range.whole_row) whole = *range.whole_row;
    parallel_for(0, range.codes.size(), range_rows, run, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t k = first; k < last; ++k)
        bytes[range.first_row + k] = static_cast<char>(packed.symbols()[range.codes[k]]);
    });
  });
  return sentinel_form(text, std::move(bytes), whole);
}

} // namespace

template <class Index>
bwt_text transform_by_suffix_sort(std::string_view text, const run_options& run, suffix_helpers* helpers) {
  const std::uint64_t n = text.size();
  std::atomic<std::uint64_t> whole = 0;
  std::string bytes;
  if (!are_shared(helpers, n) && fits_memory(n * (1 + sizeof(Index)) + memory_to_induce(n), run.memory)) {
    unwritten_vector<Index> sa;
    allocate(sa, n);
    sort_suffixes<Index>(symbols_of(text), sa, run);
    bytes.resize(n);
    write_bytes(
        text, 0, n, [&](std::uint64_t k) { return std::uint64_t{sa[k]}; }, bytes.data(), 0, whole, run);
    return sentinel_form(text, std::move(bytes), whole);
  }
  const suffix_string packed(symbols_of(text), run);
  const std::uint64_t held = n + suffix_string::memory_for(n, packed.bits());
  require_memory(held + range_limits::min_bytes(n), run.memory, "the transform");
  const range_limits limits(n, memory_limit(run.memory) - held);
  if (are_shared(helpers, n)) return transform_by_helpers(text, packed, limits, run, *helpers);
  bytes.resize(n);
  sort_in_ranges(packed, limits, run, nullptr, [&](const sorted_range& range) {
    write_bytes(
        text, range.first_row, range.items.size(),
        [&](std::uint64_t k) { return range.layout.position(range.items[k]); }, bytes.data(), 0, whole, run);
  });
  return sentinel_form(text, std::move(bytes), whole);
}

template bwt_text transform_by_suffix_sort<std::uint32_t>(std::string_view, const run_options&,
                                                          suffix_helpers*);
template bwt_text transform_by_suffix_sort<std::uint64_t>(std::string_view, const run_options&,
                                                          suffix_helpers*);

template <class Index>
bwt_text transform_rotations(std::string_view text, const run_options& run,
                             const std::function<void(std::string_view, std::span<Index>)>& sort_suffixes) {
  const std::uint64_t n = text.size(), period = shortest_root(text), times = n / period;
  const std::uint64_t start = min_rotation(text.substr(0, period));
  std::string rotated(text.substr(start, period - start));
  rotated += text.substr(0, start);
  unwritten_vector<Index> sa;
  allocate(sa, period);
  base_detail::check_cancelled(run);
  sort_suffixes(rotated, sa);
  // The bytes of the root are written to the front, and then repeated from the last one on.
  std::string bytes(n, '\0');
  const std::uint64_t text_start = start == 0 ? 0 : period - start; // the begin of the text in `rotated`
  std::atomic<std::uint64_t> row_of_text = 0;
  write_bytes(
      rotated, 0, period, [&](std::uint64_t k) { return std::uint64_t{sa[k]}; }, bytes.data(), text_start,
      row_of_text, run);
  for (std::uint64_t row = times == 1 ? 0 : period; row-- > 0;)
    std::memset(bytes.data() + row * times, static_cast<unsigned char>(bytes[row]), times);
  return {std::move(bytes), row_of_text * times, bwt_form::rotation};
}

template bwt_text transform_rotations(std::string_view, const run_options&,
                                      const std::function<void(std::string_view, std::span<std::uint32_t>)>&);
template bwt_text transform_rotations(std::string_view, const run_options&,
                                      const std::function<void(std::string_view, std::span<std::uint64_t>)>&);

} // namespace weft::bwt_detail
