#include <weft/bwt/bwt_batch.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/transform.hpp>
#include <weft/bwt/gpu_batch.hpp>
#include <weft/bwt/memory_need.hpp>

namespace weft {

namespace {

constexpr std::uint64_t small_text = std::uint64_t{1} << 31;

// One text, on the caller's thread.
void transform_one(std::string_view text, const bwt_options& options, std::uint64_t i, std::uint64_t begin,
                   bwt_batch_text& to) {
  const bwt_text one = text.size() < small_text ? detail::transform<std::uint32_t>(text, to.form, options)
                                                : detail::transform<std::uint64_t>(text, to.form, options);
  std::copy(one.bytes.begin(), one.bytes.end(), to.bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  to.primary_indexes[i] = one.primary_index;
}

} // namespace

bwt_batch_text bwt_batch(std::string_view text, std::span<const std::uint64_t> offsets, bwt_form form,
                         const bwt_options& options) {
  const bool quicksort = detail::is_quicksort(options.engine, "bwt_batch");
  detail::check_offsets(text.size(), offsets, "bwt_batch");
  const std::uint64_t texts = offsets.size() - 1, result_bytes = text.size() + 8 * texts;
  if (options.used != nullptr) *options.used = {quicksort ? "ternary-quicksort" : "suffix-sort", -1};
  if (text.empty()) return {"", std::vector<std::uint64_t>(texts), form};
  detail::need_memory(result_bytes + (form == bwt_form::rotation ? text.size() : 0), options.memory,
                      "the transforms");
  if (options.monitor != nullptr) options.monitor->check();
  if (auto of_gpu = detail::bwt_batch_on_gpu(text, offsets, form, options)) return *std::move(of_gpu);
  std::uint64_t largest = 0;
  for (std::uint64_t i = 0; i < texts; ++i) largest = std::max(largest, offsets[i + 1] - offsets[i]);
  const auto threads = std::min(static_cast<std::uint64_t>(thread_count(options.threads)), texts);
  const std::uint64_t width = largest < small_text ? 4 : 8, // as weft::bwt has it
      each = quicksort ? 3 * width + 1 : width + (form == bwt_form::rotation ? 2 : 1);
  detail::need_memory(result_bytes + threads * largest * each, options.memory, "the transforms");
  bwt_batch_text result{std::string(text.size(), '\0'), std::vector<std::uint64_t>(texts), form};
  const bwt_options of_one{.engine = options.engine, .device = {device_kind::cpu}, .threads = 1};
  parallel_for(0, texts, texts / (64 * threads) + 1, static_cast<int>(threads),
               [&](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last; ++i) {
                   const std::uint64_t size = offsets[i + 1] - offsets[i];
                   if (options.monitor != nullptr) options.monitor->check();
                   if (size > 0) transform_one(text.substr(offsets[i], size), of_one, i, offsets[i], result);
                   if (options.monitor != nullptr) options.monitor->add(size);
                 }
               });
  return result;
}

} // namespace weft
