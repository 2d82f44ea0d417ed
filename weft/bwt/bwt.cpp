#include <weft/bwt/bwt.hpp>

#include <algorithm>
#include <array>
#include <divsufsort.h>
#include <divsufsort64.h>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <weft/base/error.hpp>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/cpu/inverse.hpp>
#include <weft/bwt/cpu/small_suffix_array.hpp>
#include <weft/bwt/cpu/transform.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/engine_choice.hpp>
#include <weft/bwt/entry/gpu_choice.hpp>
#include <weft/bwt/entry/gpu_inverse.hpp>
#include <weft/bwt/entry/gpu_transform.hpp>
#include <weft/bwt/published/ternary_quicksort.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft {

namespace {

// Returns the sentinel form. Uses divbwt, which needs no second pass over a suffix array.
template <class Index> bwt_text transform_to_sentinel_form(std::string_view text) {
  const std::uint64_t n = text.size();
  bwt_text result{std::string(n, '\0'), 0, bwt_form::sentinel};
  if (n > 0 && n < detail::min_divsufsort_size) {
    std::array<std::uint32_t, detail::min_divsufsort_size> sa{};
    detail::sort_small_text(text, std::span(sa).first(n));
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

// Returns the rotation form, by sorting the suffixes of the least rotation of the text's root. The rotations
// of a root are all different, and those of its least rotation have the order of its suffixes.
template <class Index> bwt_text transform_to_rotation_form(std::string_view text) {
  const std::uint64_t n = text.size(), period = detail::shortest_root(text), times = n / period;
  const std::uint64_t start = detail::min_rotation(text.substr(0, period));
  std::string rotated(text.substr(start, period - start));
  rotated += text.substr(0, start);
  std::vector<Index> sa(period);
  suffix_array_into(rotated, sa);
  bwt_text result{std::string(n, '\0'), 0, bwt_form::rotation};
  const std::uint64_t text_start =
      start == 0 ? 0 : period - start; // where the text itself begins in `rotated`
  for (std::uint64_t row = 0; row < period; ++row) {
    const std::uint64_t at = sa[row];
    std::fill_n(result.bytes.begin() + static_cast<std::ptrdiff_t>(row * times), times,
                rotated[at == 0 ? period - 1 : at - 1]);
    if (at == text_start) result.primary_index = row * times;
  }
  return result;
}

// Returns either form, by ternary quicksort. Equal rotations begin at positions whose distance is a multiple
// of the root's length.
template <class Index>
bwt_text transform_by_quicksort(std::string_view text, bwt_form form, const bwt_options& options) {
  const bool sentinel = form == bwt_form::sentinel;
  const std::uint64_t n = text.size(), period = sentinel ? n : detail::shortest_root(text);
  std::vector<Index> rows(n);
  detail::ternary_quicksort<Index>(text, !sentinel, period, rows, options);
  bwt_text result{"", n, form};
  result.bytes.reserve(n);
  if (sentinel) result.bytes += text.back(); // the byte before the end mark
  for (std::uint64_t row = 0; row < n; ++row) {
    const std::uint64_t at = rows[row];
    if (at != 0 || !sentinel) result.bytes += text[at == 0 ? n - 1 : at - 1];
    if (at % period == 0) result.primary_index = std::min(result.primary_index, row + (sentinel ? 1 : 0));
  }
  return result;
}

} // namespace

template <class Index>
bwt_text detail::transform(std::string_view text, bwt_form form, const bwt_options& options) {
  if (is_quicksort(options.engine)) return transform_by_quicksort<Index>(text, form, options);
  return form == bwt_form::sentinel ? transform_to_sentinel_form<Index>(text)
                                    : transform_to_rotation_form<Index>(text);
}

template bwt_text detail::transform<std::uint32_t>(std::string_view, bwt_form, const bwt_options&);
template bwt_text detail::transform<std::uint64_t>(std::string_view, bwt_form, const bwt_options&);

bwt_text detail::transform(std::string_view text, bwt_form form, const bwt_options& options) {
  return text.size() < index_32_limit ? transform<std::uint32_t>(text, form, options)
                                      : transform<std::uint64_t>(text, form, options);
}

bwt_text bwt(std::string_view text, bwt_form form, const bwt_options& options) {
  (void)detail::is_quicksort(options.engine); // throws if the engine is unknown
  const std::uint64_t n = text.size();
  if (options.used != nullptr) *options.used = {detail::engine_name(options), -1};
  if (n == 0) return {"", 0, form};
  detail::require_memory(n, options.memory, "the transform");
  if (options.monitor != nullptr) options.monitor->check();
  if (std::optional<bwt_text> of_gpu = detail::bwt_on_gpu(text, form, options)) return *std::move(of_gpu);
  detail::require_memory(detail::transform_memory(n, form, options), options.memory, "the transform");
  bwt_text result = detail::transform(text, form, options);
  if (options.monitor != nullptr) options.monitor->add(n);
  return result;
}

std::string inverse_bwt(std::string_view bytes, std::uint64_t primary_index, bwt_form form,
                        const bwt_options& options) {
  const std::uint64_t n = bytes.size();
  detail::check_primary_index(n, primary_index, form);
  const int gpu = detail::gpu_for(options, n, detail::gpu_inverse_bytes);
  if (options.used != nullptr) *options.used = {"chains", -1};
  if (n == 0) return {};
  if (gpu >= 0) {
    detail::require_memory(n, options.memory, "the inverse transform");
    if (auto text = detail::inverse_on_gpu(gpu, bytes, primary_index, form, options)) {
      if (options.used != nullptr) options.used->gpu = gpu;
      return std::move(*text);
    }
  }
  const bool small = n + 1 < detail::index_32_limit;
  detail::require_memory(n * (small ? 6 : 10), options.memory, "the inverse transform");
  const std::uint64_t chains = std::clamp<std::uint64_t>(n / 256, 1, 8192);
  return small ? detail::inverse_by_chains<std::uint32_t>(bytes, primary_index, form, chains, options)
               : detail::inverse_by_chains<std::uint64_t>(bytes, primary_index, form, chains, options);
}

std::string inverse_bwt(const bwt_text& transformed, const bwt_options& options) {
  return inverse_bwt(transformed.bytes, transformed.primary_index, transformed.form, options);
}

} // namespace weft
