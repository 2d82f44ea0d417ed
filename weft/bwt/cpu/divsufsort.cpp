// Suffix arrays and transforms of texts of bytes by libdivsufsort.
#include <algorithm>
#include <array>
#include <divsufsort.h>
#include <divsufsort64.h>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <weft/bwt/cpu/text_algorithms.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft::bwt_detail {

namespace {

// Suffix arrays of short texts are sorted by comparisons, because libdivsufsort clears 65,536 buckets for
// each text, which takes longer.
constexpr std::size_t min_divsufsort_size = 1000; // libdivsufsort is as fast or faster from this size on

// Sets sa[0 .. n-1] to the suffix array of text[0 .. n-1]. O(n log n) comparisons.
template <class Index> void sort_small_text(std::string_view text, std::span<Index> sa) {
  std::iota(sa.begin(), sa.end(), Index{0});
  std::sort(sa.begin(), sa.end(), [&](Index a, Index b) { return text.substr(a) < text.substr(b); });
}

} // namespace

// Uses divbwt, which needs no second pass over a suffix array.
template <class Index> bwt_text transform_by_divsufsort(std::string_view text) {
  const std::uint64_t n = text.size();
  bwt_text result{std::string(n, '\0'), 0, bwt_form::sentinel};
  if (n > 0 && n < min_divsufsort_size) {
    std::array<std::uint32_t, min_divsufsort_size> sa{};
    sort_small_text(text, std::span(sa).first(n));
    std::size_t to = 0;
    result.bytes[to++] = text.back(); // the byte before the end mark
    for (std::size_t row = 0; row < n; ++row)
      if (sa[row] == 0)
        result.primary_index = row + 1;
      else
        result.bytes[to++] = text[sa[row] - 1];
    return result;
  }
  const auto* from = reinterpret_cast<const sauchar_t*>(text.data());
  auto* to = reinterpret_cast<sauchar_t*>(result.bytes.data());
  std::int64_t index = 0;
  if constexpr (sizeof(Index) == 4) {
    const auto workspace = std::make_unique_for_overwrite<saidx_t[]>(n + 1);
    index = ::divbwt(from, to, workspace.get(), static_cast<saidx_t>(n));
  } else {
    const auto workspace = std::make_unique_for_overwrite<saidx64_t[]>(n + 1);
    index = ::divbwt64(from, to, workspace.get(), static_cast<saidx64_t>(n));
  }
  if (index < 0) throw std::bad_alloc();
  result.primary_index = static_cast<std::uint64_t>(index);
  return result;
}

template bwt_text transform_by_divsufsort<std::uint32_t>(std::string_view);
template bwt_text transform_by_divsufsort<std::uint64_t>(std::string_view);

} // namespace weft::bwt_detail

namespace weft {

namespace {

const sauchar_t* bytes_of(std::string_view text) { return reinterpret_cast<const sauchar_t*>(text.data()); }

// Throws bad_alloc if libdivsufsort failed: its only other failure, bad arguments, is excluded here.
void throw_if_failed(int status) {
  if (status != 0) throw std::bad_alloc();
}

} // namespace

void suffix_array_into(std::string_view text, std::span<std::uint32_t> sa) {
  bwt_detail::check_index<std::uint32_t>(text.size());
  if (sa.size() != text.size())
    throw std::invalid_argument("suffix_array_into: sa must have one entry per symbol");
  if (text.size() < bwt_detail::min_divsufsort_size) return bwt_detail::sort_small_text(text, sa);
  throw_if_failed(
      ::divsufsort(bytes_of(text), reinterpret_cast<saidx_t*>(sa.data()), static_cast<saidx_t>(text.size())));
}

void suffix_array_into(std::string_view text, std::span<std::uint64_t> sa) {
  if (sa.size() != text.size())
    throw std::invalid_argument("suffix_array_into: sa must have one entry per symbol");
  if (text.size() < bwt_detail::min_divsufsort_size) return bwt_detail::sort_small_text(text, sa);
  throw_if_failed(::divsufsort64(bytes_of(text), reinterpret_cast<saidx64_t*>(sa.data()),
                                 static_cast<saidx64_t>(text.size())));
}

} // namespace weft
