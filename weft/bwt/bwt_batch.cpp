#include <weft/bwt/bwt_batch.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/transform.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/engine_choice.hpp>
#include <weft/bwt/entry/gpu_batch.hpp>
#include <weft/bwt/published/ternary_quicksort.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft {

namespace {

// Returns how many threads the texts keep busy.
std::uint64_t threads_for(std::span<const std::uint64_t> offsets, const bwt_options& options) {
  return std::min(static_cast<std::uint64_t>(thread_count(options.threads)),
                  std::uint64_t{offsets.size() - 1});
}

// Calls handle_text(i) for each text that is not empty, one thread for each text.
template <class One>
void for_each_text(std::span<const std::uint64_t> offsets, const bwt_options& options,
                   const One& handle_text) {
  const std::uint64_t texts = offsets.size() - 1, threads = threads_for(offsets, options);
  parallel_for(0, texts, texts / (64 * threads) + 1, static_cast<int>(threads),
               [&](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last; ++i) {
                   if (offsets[i] == offsets[i + 1]) continue;
                   if (options.monitor != nullptr) options.monitor->check();
                   handle_text(i);
                   if (options.monitor != nullptr) options.monitor->add(offsets[i + 1] - offsets[i]);
                 }
               });
}

bwt_options on_one_thread(const bwt_options& options) {
  return {.engine = options.engine, .device = {device_kind::cpu}, .threads = 1};
}

} // namespace

bwt_batch_text bwt_batch(std::string_view text, std::span<const std::uint64_t> offsets, bwt_form form,
                         const bwt_options& options) {
  (void)detail::is_quicksort(options.engine, "bwt_batch"); // throws if the engine is unknown
  detail::check_offsets(text.size(), offsets, "bwt_batch");
  const std::uint64_t texts = offsets.size() - 1, result_bytes = text.size() + 8 * texts;
  if (options.used != nullptr) *options.used = {detail::engine_name(options), -1};
  if (text.empty()) return {"", std::vector<std::uint64_t>(texts), form};
  detail::require_memory(result_bytes, options.memory, "the transforms");
  if (options.monitor != nullptr) options.monitor->check();
  if (auto of_gpu = detail::bwt_batch_on_gpu(text, offsets, form, options)) return *std::move(of_gpu);
  const std::uint64_t each = detail::transform_memory(detail::largest_text_size(offsets), form, options);
  detail::require_memory(result_bytes + threads_for(offsets, options) * each, options.memory,
                         "the transforms");
  bwt_batch_text result{std::string(text.size(), '\0'), std::vector<std::uint64_t>(texts), form};
  for_each_text(offsets, options, [&](std::uint64_t i) {
    const std::uint64_t begin = offsets[i];
    const bwt_text transformed =
        detail::transform(text.substr(begin, offsets[i + 1] - begin), form, on_one_thread(options));
    std::copy(transformed.bytes.begin(), transformed.bytes.end(),
              result.bytes.begin() + static_cast<std::string::difference_type>(begin));
    result.primary_indexes[i] = transformed.primary_index;
  });
  return result;
}

template <class Index>
std::vector<Index> suffix_array_batch(std::string_view text, std::span<const std::uint64_t> offsets,
                                      const bwt_options& options) {
  const bool quicksort = detail::is_quicksort(options.engine, "suffix_array_batch");
  detail::check_offsets(text.size(), offsets, "suffix_array_batch");
  const std::uint64_t largest = detail::largest_text_size(offsets);
  detail::check_index<Index>(largest);
  if (options.used != nullptr) *options.used = {detail::engine_name(options), -1};
  if (text.empty()) return {};
  detail::require_memory(text.size() * sizeof(Index), options.memory, "the suffix arrays");
  if (options.monitor != nullptr) options.monitor->check();
  if (auto of_gpu = detail::suffix_array_batch_on_gpu<Index>(text, offsets, options))
    return *std::move(of_gpu);
  const std::uint64_t workspace = quicksort ? threads_for(offsets, options) * largest * 2 : 0;
  detail::require_memory((text.size() + workspace) * sizeof(Index), options.memory, "the suffix arrays");
  std::vector<Index> sa(text.size());
  for_each_text(offsets, options, [&](std::uint64_t i) {
    const std::string_view part = text.substr(offsets[i], offsets[i + 1] - offsets[i]);
    const std::span<Index> rows = std::span(sa).subspan(offsets[i], part.size());
    if (quicksort)
      detail::ternary_quicksort<Index>(part, false, part.size(), rows, on_one_thread(options));
    else
      suffix_array_into(part, rows);
  });
  return sa;
}

template std::vector<std::uint32_t> suffix_array_batch(std::string_view, std::span<const std::uint64_t>,
                                                       const bwt_options&);
template std::vector<std::uint64_t> suffix_array_batch(std::string_view, std::span<const std::uint64_t>,
                                                       const bwt_options&);

} // namespace weft
