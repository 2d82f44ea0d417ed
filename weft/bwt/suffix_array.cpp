#include <weft/bwt/suffix_array.hpp>

#include <algorithm>
#include <divsufsort.h>
#include <divsufsort64.h>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/prefix_doubling.hpp>
#include <weft/bwt/cpu/small_suffix_array.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/engine_choice.hpp>
#include <weft/bwt/entry/gpu_batch.hpp>
#include <weft/bwt/entry/gpu_transform.hpp>
#include <weft/bwt/published/ternary_quicksort.hpp>

namespace weft {

namespace {

const sauchar_t* bytes_of(std::string_view text) { return reinterpret_cast<const sauchar_t*>(text.data()); }

// Throws bad_alloc if libdivsufsort failed: its only other failure, bad arguments, is excluded here.
void throw_if_failed(int status) {
  if (status != 0) throw std::bad_alloc();
}

template <class Index>
std::vector<Index> sort_by_prefix_doubling(std::uint64_t n,
                                           const std::function<std::uint64_t(std::uint64_t)>& symbol,
                                           const bwt_options& options) {
  detail::check_index<Index>(n);
  detail::require_memory(48 * n, options.memory, "the suffix array");
  const std::vector<std::uint64_t> sa = detail::prefix_doubling(n, symbol, options);
  return {sa.begin(), sa.end()};
}

template <class Index, class Symbol>
std::vector<Index> sort_symbols(std::span<const Symbol> text, const bwt_options& options) {
  const std::uint64_t n = text.size();
  detail::check_index<Index>(n);
  if (detail::is_quicksort(options.engine, "suffix_array"))
    throw error(errc::invalid_input, "suffix_array: ternary-quicksort is for texts of bytes");
  detail::require_memory(n * sizeof(Index), options.memory, "the suffix array");
  if (options.monitor != nullptr) options.monitor->check();
  if (options.used != nullptr) *options.used = {detail::engine_name(options), -1};
  if (std::vector<Index> sa(n); n == 0 || detail::symbols_sorted_on_gpu<Index>(text, sa, options)) return sa;
  if (options.used != nullptr) *options.used = {"prefix-doubling", -1};
  return sort_by_prefix_doubling<Index>(
      n, [&](std::uint64_t i) { return text[i]; }, options);
}

} // namespace

void suffix_array_into(std::string_view text, std::span<std::uint32_t> sa) {
  detail::check_index<std::uint32_t>(text.size());
  if (sa.size() != text.size()) throw std::invalid_argument("suffix_array: as many entries as symbols");
  if (text.size() < detail::min_divsufsort_size) return detail::sort_small_text(text, sa);
  throw_if_failed(
      ::divsufsort(bytes_of(text), reinterpret_cast<saidx_t*>(sa.data()), static_cast<saidx_t>(text.size())));
}

void suffix_array_into(std::string_view text, std::span<std::uint64_t> sa) {
  if (sa.size() != text.size()) throw std::invalid_argument("suffix_array: as many entries as symbols");
  if (text.size() < detail::min_divsufsort_size) return detail::sort_small_text(text, sa);
  throw_if_failed(::divsufsort64(bytes_of(text), reinterpret_cast<saidx64_t*>(sa.data()),
                                 static_cast<saidx64_t>(text.size())));
}

namespace {

// Returns the suffix array. `lcp` may be null; otherwise it becomes the LCP array if a GPU computes it, and
// stays empty if not.
template <class Index>
std::vector<Index> sort_suffixes(std::string_view text, std::vector<Index>* lcp, const bwt_options& options) {
  detail::check_index<Index>(text.size());
  const bool quicksort = detail::is_quicksort(options.engine, "suffix_array");
  const std::uint64_t n = text.size();
  detail::require_memory(n * sizeof(Index) * (lcp != nullptr ? 2 : 1), options.memory, "the suffix array");
  if (options.monitor != nullptr) options.monitor->check();
  if (options.used != nullptr) *options.used = {detail::engine_name(options), -1};
  std::vector<Index> sa(n);
  if (n == 0 || detail::suffix_array_on_gpu<Index>(text, sa, lcp, options)) return sa;
  detail::require_memory(n * sizeof(Index) * (quicksort ? 3 : 1), options.memory, "the suffix array");
  if (quicksort)
    detail::ternary_quicksort<Index>(text, false, text.size(), sa, options);
  else
    suffix_array_into(text, sa);
  if (options.monitor != nullptr) options.monitor->add(n);
  return sa;
}

} // namespace

template <class Index> std::vector<Index> suffix_array(std::string_view text, const bwt_options& options) {
  return sort_suffixes<Index>(text, nullptr, options);
}

template <class Index>
suffix_and_lcp_arrays<Index> suffix_and_lcp_array(std::string_view text, const bwt_options& options) {
  suffix_and_lcp_arrays<Index> both;
  both.sa = sort_suffixes<Index>(text, &both.lcp, options);
  if (both.lcp.size() == both.sa.size()) return both;
  bwt_options rest = options;
  rest.device = {device_kind::cpu, 0};
  rest.memory = memory_left(options.memory, both.sa.size() * sizeof(Index));
  rest.used = nullptr; // the caller is told what computed the suffix array
  both.lcp = lcp_array<Index>(text, both.sa, rest);
  return both;
}

template <class Index>
std::vector<Index> suffix_array(std::span<const std::uint16_t> text, const bwt_options& options) {
  return sort_symbols<Index>(text, options);
}

template <class Index>
std::vector<Index> suffix_array(std::span<const std::uint32_t> text, const bwt_options& options) {
  return sort_symbols<Index>(text, options);
}

// A collection with its sentinels is a text over the symbols 0 .. records - 1, which are the sentinels, and
// records + byte.
template <class Index>
std::vector<Index> collection_suffix_array(std::string_view text, std::span<const std::uint64_t> offsets,
                                           const bwt_options& options) {
  detail::check_offsets(text.size(), offsets, "collection_suffix_array");
  detail::check_index<Index>(text.size());
  const std::uint64_t records = offsets.size() - 1;
  detail::require_memory(text.size() * sizeof(Index), options.memory, "the suffix array");
  if (options.used != nullptr) *options.used = {"prefix-doubling", -1};
  if (text.empty()) return {};
  if (auto of_gpu = detail::collection_suffix_array_on_gpu<Index>(text, offsets, options))
    return *std::move(of_gpu);
  detail::require_memory(56 * (text.size() + records), options.memory, "the suffix array");
  std::vector<std::uint64_t> symbols;
  symbols.reserve(text.size() + records);
  for (std::uint64_t r = 0; r < records; ++r) {
    for (std::uint64_t i = offsets[r]; i < offsets[r + 1]; ++i)
      symbols.push_back(records + static_cast<unsigned char>(text[i]));
    symbols.push_back(r);
  }
  const auto order = sort_by_prefix_doubling<std::uint64_t>(
      symbols.size(), [&](std::uint64_t i) { return symbols[i]; }, options);
  std::vector<std::uint64_t> ends; // where each record ends in the text with sentinels
  for (std::uint64_t r = 0; r < records; ++r) ends.push_back(offsets[r + 1] + r);
  std::vector<Index> sa;
  sa.reserve(text.size());
  for (const std::uint64_t at : order)
    if (symbols[at] >= records)
      sa.push_back(static_cast<Index>(
          at - static_cast<std::uint64_t>(std::lower_bound(ends.begin(), ends.end(), at) - ends.begin())));
  return sa;
}

// Computes plcp(i), the LCP of suffix i and the suffix before it in the suffix array, for ascending i,
// because plcp(i) >= plcp(i - 1) - 1.
template <class Index>
std::vector<Index> lcp_array(std::string_view text, std::span<const Index> sa, const bwt_options& options) {
  const std::uint64_t n = text.size();
  if (sa.size() != n) throw std::invalid_argument("lcp_array: as many entries as symbols");
  detail::require_memory(n * sizeof(Index), options.memory, "the LCP array");
  if (options.monitor != nullptr) options.monitor->check();
  if (options.used != nullptr) *options.used = {detail::lcp_engine, -1};
  std::vector<Index> lcp(n);
  if (n == 0 || detail::lcp_array_on_gpu<Index>(text, sa, lcp, options)) return lcp;
  detail::require_memory(2 * n * sizeof(Index), options.memory, "the LCP array");
  const auto slices = static_cast<std::uint64_t>(thread_count(options.threads));
  const std::uint64_t grain = n / slices + 1;
  std::vector<Index> plcp(n);
  constexpr Index none = std::numeric_limits<Index>::max();
  plcp[sa[0]] = none;
  parallel_for(1, n, grain, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) plcp[sa[i]] = sa[i - 1]; // the suffix before, for now
  });
  parallel_for(0, n, grain, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t common = 0;
    for (std::uint64_t i = first; i < last; ++i) {
      const Index before = plcp[i];
      if (before == none) {
        common = 0;
      } else {
        const std::uint64_t max_common = n - std::max<std::uint64_t>(i, before);
        while (common < max_common && text[i + common] == text[before + common]) ++common;
      }
      plcp[i] = static_cast<Index>(common);
      if (common > 0) --common;
    }
  });
  parallel_for(0, n, grain, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) lcp[i] = plcp[sa[i]];
  });
  return lcp;
}

template std::vector<std::uint32_t> suffix_array(std::string_view, const bwt_options&);
template std::vector<std::uint64_t> suffix_array(std::string_view, const bwt_options&);
template std::vector<std::uint32_t> suffix_array(std::span<const std::uint16_t>, const bwt_options&);
template std::vector<std::uint64_t> suffix_array(std::span<const std::uint16_t>, const bwt_options&);
template std::vector<std::uint32_t> suffix_array(std::span<const std::uint32_t>, const bwt_options&);
template std::vector<std::uint64_t> suffix_array(std::span<const std::uint32_t>, const bwt_options&);
template std::vector<std::uint32_t> collection_suffix_array(std::string_view, std::span<const std::uint64_t>,
                                                            const bwt_options&);
template std::vector<std::uint64_t> collection_suffix_array(std::string_view, std::span<const std::uint64_t>,
                                                            const bwt_options&);
template suffix_and_lcp_arrays<std::uint32_t> suffix_and_lcp_array(std::string_view, const bwt_options&);
template suffix_and_lcp_arrays<std::uint64_t> suffix_and_lcp_array(std::string_view, const bwt_options&);
template std::vector<std::uint32_t> lcp_array(std::string_view, std::span<const std::uint32_t>,
                                              const bwt_options&);
template std::vector<std::uint64_t> lcp_array(std::string_view, std::span<const std::uint64_t>,
                                              const bwt_options&);

} // namespace weft
