#include <weft/bwt/cuda/lcp/lcp.hpp>

#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/api_steps.hpp>

namespace weft::bwt_detail {

namespace {

using gpu::device_buffer;

// The capacities of the two lists of long comparisons: 0 if no comparison can be that long.
struct lcp_plan {
  lcp_plan(std::uint64_t n, const lcp_options& options)
      : by_blocks(n > options.thread_limit), by_all(n > options.thread_limit + options.block_limit),
        longer(by_blocks ? bwt_detail::lcp_list_capacity(n, options.thread_limit) : 0),
        longest(by_all ? bwt_detail::lcp_list_capacity(n, options.block_limit) : 0) {
    bwt_detail::for_each_level(n, [&](const lcp_level&) { ++levels; });
  }
  [[nodiscard]] std::uint64_t counters() const { return 1 + 2 * levels; } // and one flag: d_sa is wrong
  bool by_blocks, by_all;
  std::uint64_t longer, longest, levels = 0;
};

template <class Index> void check_memory(std::uint64_t n, const lcp_options& options) {
  require_device_memory(lcp_memory<Index>(n, options), gpu::device_memory_allowed(options.device_memory),
                        "computing the LCP array, besides its arrays,");
}

} // namespace

template <class Index> std::uint64_t lcp_memory(std::uint64_t n, const lcp_options& options) {
  const lcp_plan plan(n, options);
  return n * sizeof(Index) + (plan.longer + plan.longest) * sizeof(lcp_item<Index>) +
         plan.counters() * sizeof(unsigned long long);
}

template <class Index>
void lcp_array(const unsigned char* d_text, std::uint64_t n, const Index* d_sa, Index* d_lcp,
               const lcp_options& options, cudaStream_t stream) {
  if (options.monitor != nullptr) options.monitor->check();
  check_memory<Index>(n, options);
  const lcp_plan plan(n, options);
  const device_buffer<Index> plcp(n, stream);
  const device_buffer<lcp_item<Index>> longer(plan.longer, stream), longest(plan.longest, stream);
  const device_buffer<unsigned long long> counters(plan.counters(), stream);
  gpu::check(cudaMemsetAsync(counters.data(), 0, counters.bytes(), stream), "clear counters");
  write_predecessors(d_sa, n, plcp.data(), counters.data(), stream);
  require(gpu::downloaded(counters.data(), stream, "wait for the GPU") == 0,
          "lcp_array: d_sa is not a suffix array: an entry is not a position in the text");
  if (options.monitor != nullptr) options.monitor->check();
  const readable_letters text{d_text, d_text + n};
  unsigned long long* counter = counters.data() + 1;
  bwt_detail::for_each_level(n, [&](const lcp_level& level) {
    const lcp_list<Index> to_blocks{longer.data(), plan.longer, counter++},
        to_all{longest.data(), plan.longest, counter++};
    compare_by_threads(text, level, plcp.data(), options.thread_limit, to_blocks, stream);
    if (plan.by_blocks) compare_by_blocks(text, plcp.data(), to_blocks, options.block_limit, to_all, stream);
    if (plan.by_all) compare_by_all(text, plcp.data(), to_all, stream);
  });
  permute_back(plcp.data(), d_sa, n, d_lcp, stream);
}

template std::uint64_t lcp_memory<std::uint32_t>(std::uint64_t, const lcp_options&);
template std::uint64_t lcp_memory<std::uint64_t>(std::uint64_t, const lcp_options&);
template void lcp_array(const unsigned char*, std::uint64_t, const std::uint32_t*, std::uint32_t*,
                        const lcp_options&, cudaStream_t);
template void lcp_array(const unsigned char*, std::uint64_t, const std::uint64_t*, std::uint64_t*,
                        const lcp_options&, cudaStream_t);

} // namespace weft::bwt_detail

namespace weft::gpu {

template <class Index>
void lcp_array(const unsigned char* d_text, std::uint64_t n, const Index* d_sa, Index* d_lcp,
               const bwt_options& options, cudaStream_t stream) {
  weft::bwt_detail::check_index<Index>(n);
  device_call call("weft::gpu::lcp_array", options.run, "symbols");
  call.begin("permuted-lcp", n);
  if (n == 0) return;
  bwt_detail::require(d_text != nullptr && d_sa != nullptr && d_lcp != nullptr,
                      "lcp_array: a pointer to a non-empty array is null");
  bwt_detail::lcp_array(d_text, n, d_sa, d_lcp,
                        {.device_memory = options.run.device_memory, .monitor = options.run.monitor}, stream);
}

template void lcp_array(const unsigned char*, std::uint64_t, const std::uint32_t*, std::uint32_t*,
                        const bwt_options&, cudaStream_t);
template void lcp_array(const unsigned char*, std::uint64_t, const std::uint64_t*, std::uint64_t*,
                        const bwt_options&, cudaStream_t);

} // namespace weft::gpu
