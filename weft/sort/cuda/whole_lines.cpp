#include <weft/sort/cuda/whole_lines.hpp>

#include <weft/base/cuda/device_call.hpp>
#include <weft/base/memory.hpp>

namespace weft::sort_detail {

namespace {

constexpr std::uint64_t read_behind = 16; // bytes that comes_before() may read behind a string

// Text in device memory, as aligned words.
gpu::device_buffer<std::uint64_t> words_for(std::string_view text, cudaStream_t stream) {
  gpu::device_buffer<std::uint64_t> words((text.size() + read_behind + 7) / 8, stream);
  auto* const end = reinterpret_cast<std::byte*>(words.data()) + text.size();
  gpu::check(cudaMemsetAsync(end, 0, words.bytes() - text.size(), stream), "clear memory");
  return words;
}

} // namespace

bool sort_lines_on_gpu(const line_sort_problem& problem, const gpu_options& options) {
  const gpu::device_scope scope(options.device);
  auto& context = gpu::context_of<gpu_context>(options.device);
  const cudaStream_t stream = context.work.get();
  const std::uint64_t n = problem.entries.size();
  line_memory memory{nullptr, nullptr, problem.by_lines, problem.reversed};
  std::size_t temp_bytes = 0;
  gpu::check(sort_whole_lines(nullptr, temp_bytes, nullptr, n, memory, nullptr, stream), "plan a sort");
  const bool needs_text = problem.codes.empty() || problem.by_lines;
  const std::string_view text = needs_text ? problem.text : std::string_view();
  const std::uint64_t needed =
      n * sizeof(uint128) + temp_bytes + text.size() + problem.codes.size() + 4 * read_behind;
  base_detail::require_device_memory(needed, gpu::device_memory_allowed(options.device_memory),
                                     "sorting lines on the GPU");
  const gpu::device_buffer<std::uint64_t> d_text = words_for(text, stream),
                                          d_codes = words_for(problem.codes, stream);
  const gpu::device_buffer<uint128> d_entries(n, stream);
  const gpu::device_buffer<std::byte> temp(temp_bytes, stream);
  const gpu::device_buffer<std::uint32_t> d_gave_up(1, stream);
  gpu::check(cudaMemsetAsync(d_gave_up.data(), 0, d_gave_up.bytes(), stream), "clear memory");
  const auto send = [&](void* d_to, const void* from, std::uint64_t bytes) {
    context.staging.to_device(d_to, from, bytes, stream, options.threads, [&](std::uint64_t) {
      if (options.monitor != nullptr) options.monitor->check();
    });
  };
  if (!text.empty()) send(d_text.data(), text.data(), text.size());
  if (!problem.codes.empty()) send(d_codes.data(), problem.codes.data(), problem.codes.size());
  send(d_entries.data(), problem.entries.data(), problem.entries.size_bytes());
  memory.text = d_text.data();
  if (!problem.codes.empty()) memory.codes = d_codes.data();
  gpu::check(sort_whole_lines(temp.data(), temp_bytes, d_entries.data(), n, memory, d_gave_up.data(), stream),
             "sort lines");
  if (gpu::downloaded(d_gave_up.data(), stream, "sort lines") != 0) return false;
  context.staging.from_device(problem.entries.data(), d_entries.data(), problem.entries.size_bytes(), stream,
                              options.threads);
  if (options.monitor != nullptr) options.monitor->add(n);
  return true;
}

} // namespace weft::sort_detail
