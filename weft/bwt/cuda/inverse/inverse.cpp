// Computes the inverse transform. Two sets of arrays follow one another in memory: first links and sums of
// counts, then links and the pool of text pieces with its tables.
#include <weft/bwt/cuda/inverse/inverse.hpp>

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/api_steps.hpp>
#include <weft/bwt/cuda/byte_ranks.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft::bwt_detail {

namespace {

// Indexes of 32 bits must also number the bytes of the pool, which has one chunk per lane in addition to the
// n bytes.
constexpr std::uint64_t max_lanes = std::uint64_t{1} << 20, max_chunk_bytes = 512, min_chunk_bytes = 64;
constexpr std::uint64_t max_narrow_bytes = (std::uint64_t{1} << 32) - 2 * max_lanes * max_chunk_bytes;
constexpr std::uint64_t lanes_of_a_block = 256;

// Returns the logarithm to base 2 of the distance, in rows, between starts of chains. About two million
// chains keep all lanes busy until near the end, when only the longest chains, about twelve times the
// average, are left. Shorter chains would only add to the cost of ordering them.
int stretch_bits_for(std::uint64_t n) {
  return std::clamp(static_cast<int>(std::bit_width((n - 1) >> 21)), 6, 10);
}

template <class Links> struct plan {
  using index = typename Links::index;

  plan(std::uint64_t rows, const inverse_options& options)
      : n(rows), tiles(rank_tiles(n)), num_words(Links::num_words(tiles * rank_tile_size)),
        stretch_bits(options.stretch_bits < 0
                         ? stretch_bits_for(n)
                         : std::min(options.stretch_bits, static_cast<int>(sizeof(index) * 8 - 1))),
        chains(((n - 1) >> stretch_bits) + 1) {
    lanes = std::min({lanes_at_once<Links>(), chains, max_lanes});
    lanes = (lanes + lanes_of_a_block - 1) / lanes_of_a_block * lanes_of_a_block;
    chunk_bytes = std::clamp(std::bit_floor(n / lanes / 4 + 1), min_chunk_bytes, max_chunk_bytes);
    chunks = n / chunk_bytes + lanes;
    gpu::check(sum_counts<index>(nullptr, scan_bytes, nullptr, tiles, nullptr), "plan a sum");
  }

  [[nodiscard]] std::uint64_t bytes() const {
    const std::uint64_t links = num_words * sizeof(std::uint32_t) + sizeof(first_bytes<index>),
                        sums = 256 * tiles * sizeof(index) + scan_bytes,
                        pool = chunks * (chunk_bytes + sizeof(chunk_owner<index>)),
                        of_chains = chains * (sizeof(chain_bytes<index>) + 2 * sizeof(chain_sum<index>));
    return links + std::max(sums, pool + of_chains + sizeof(walk_counters));
  }

  std::uint64_t n, tiles, num_words;
  int stretch_bits;
  std::uint64_t chains, lanes = 0, chunk_bytes = 0, chunks = 0;
  std::size_t scan_bytes = 0;
};

template <class Links> class inverter {
public:
  using index = typename Links::index;

  inverter(const unsigned char* d_bytes, std::uint64_t n, const inverse_options& options, cudaStream_t stream)
      : d_bytes_(d_bytes), options_(options), stream_(stream), plan_(n, options) {
    const std::uint64_t allowed = gpu::device_memory_allowed(options.device_memory), needed = plan_.bytes();
    if (needed > allowed)
      throw memory_error(
          fmt::format("the inverse transform needs {} of device memory besides its bytes, but only {} is "
                      "allowed",
                      format_size(needed), format_size(allowed)));
  }

  void run(std::uint64_t primary_index, bwt_form form, unsigned char* d_text) {
    check_cancelled();
    make_links();
    check_cancelled();
    const bool sentinel = form == bwt_form::sentinel;
    walk_from(static_cast<index>(sentinel ? 0 : primary_index),
              static_cast<index>(sentinel ? primary_index : 0));
    const std::uint64_t period = length_of_cycle();
    check_cancelled();
    if (period != plan_.n) require_power(primary_index, form, period);
    copy_pieces(*walk_, plan_.chunks, d_text, stream_);
    if (period != plan_.n) repeat_period(d_text, plan_.n, period, stream_);
  }

private:
  void check_cancelled() const {
    if (options_.monitor != nullptr) options_.monitor->check();
  }

  void make_links() {
    words_ = {plan_.num_words, stream_};
    first_bytes_ = {1, stream_};
    const gpu::device_buffer<index> sums(256 * plan_.tiles, stream_);
    count_tiles(d_bytes_, plan_.n, plan_.tiles, sums.data(), stream_);
    gpu::in_two_phases(stream_, "sum counts", [&](void* d_temp, std::size_t& bytes) {
      return sum_counts(d_temp, bytes, sums.data(), plan_.tiles, stream_);
    });
    bwt_detail::make_links<Links>(d_bytes_, plan_.n, plan_.tiles, sums.data(), words_.data(),
                                  first_bytes_.data(), stream_);
  }

  void walk_from(index first_row, index primary) {
    const chain_starts<index> starts(static_cast<index>(plan_.n), first_row, plan_.stretch_bits);
    pool_ = {plan_.chunks * plan_.chunk_bytes, stream_};
    owners_ = {plan_.chunks, stream_};
    chains_ = {plan_.chains, stream_};
    sums_ = {plan_.chains, stream_};
    other_sums_ = {plan_.chains, stream_};
    counters_ = {1, stream_};
    gpu::check(cudaMemsetAsync(counters_.data(), 0, counters_.bytes(), stream_), "clear memory of the GPU");
    walk_.emplace(chain_walk<Links>{{words_.data()},
                                    starts,
                                    primary,
                                    static_cast<index>(plan_.chunk_bytes),
                                    starts.chain_of(first_row),
                                    pool_.data(),
                                    chains_.data(),
                                    sums_.data(),
                                    owners_.data(),
                                    counters_.data()});
    follow_all_chains(*walk_, plan_.lanes, first_bytes_.data(), stream_);
    walk_->sums = order_chains(*walk_, other_sums_.data(), stream_);
  }

  // Returns the length of the cycle of links that contains the first row.
  [[nodiscard]] std::uint64_t length_of_cycle() const {
    return gpu::downloaded(walk_->sums + walk_->first_chain, stream_, "wait for the GPU").sum;
  }

  // Throws if the transform is not that of a power of a shorter text u, which is the only valid reason for a
  // cycle of links shorter than n. In the rotation form of u^k, |u| = period, the k equal rotations have
  // adjacent rows, so that bytes come in groups of k equal ones, and primary_index is the first row of its
  // group. A cycle of links then has one row of each group and spells u; the transform of u, which is every
  // k-th byte, has this cycle as its only one.
  void require_power(std::uint64_t primary_index, bwt_form form, std::uint64_t period) {
    if (form == bwt_form::sentinel || plan_.n % period != 0) bwt_detail::refuse_transform();
    const std::uint64_t times = plan_.n / period;
    if (primary_index % times != 0) bwt_detail::refuse_transform();
    const gpu::device_buffer<std::uint32_t> differ(1, stream_);
    compare_groups(d_bytes_, plan_.n, times, differ.data(), stream_);
    if (gpu::downloaded(differ.data(), stream_, "wait for the GPU") != 0) bwt_detail::refuse_transform();
  }

  const unsigned char* d_bytes_;
  const inverse_options& options_;
  cudaStream_t stream_;
  plan<Links> plan_;
  gpu::device_buffer<std::uint32_t> words_;
  gpu::device_buffer<first_bytes<index>> first_bytes_;
  gpu::device_buffer<unsigned char> pool_;
  gpu::device_buffer<chunk_owner<index>> owners_;
  gpu::device_buffer<chain_bytes<index>> chains_;
  gpu::device_buffer<chain_sum<index>> sums_, other_sums_;
  gpu::device_buffer<walk_counters> counters_;
  std::optional<chain_walk<Links>> walk_;
};

bool is_wide(std::uint64_t n, const inverse_options& options) { return options.wide || n > max_narrow_bytes; }

} // namespace

std::uint64_t inverse_memory(std::uint64_t n, const inverse_options& options) {
  return is_wide(n, options) ? plan<links_40>(n, options).bytes() : plan<links_32>(n, options).bytes();
}

void invert_transform(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t primary_index,
                      bwt_form form, unsigned char* d_text, const inverse_options& options,
                      cudaStream_t stream) {
  if (is_wide(n, options))
    inverter<links_40>(d_bytes, n, options, stream).run(primary_index, form, d_text);
  else
    inverter<links_32>(d_bytes, n, options, stream).run(primary_index, form, d_text);
}

} // namespace weft::bwt_detail

namespace weft::gpu {

void inverse_bwt(const unsigned char* d_bwt, std::uint64_t n, std::uint64_t primary_index, bwt_form form,
                 unsigned char* d_text, const bwt_options& options, cudaStream_t stream) {
  bwt_detail::require(n <= bwt_detail::max_inverse_bytes, "inverse_bwt: there must be at most 2^39 bytes");
  weft::bwt_detail::check_primary_index(n, primary_index, form);
  device_call call("weft::gpu::inverse_bwt", options.run, "symbols");
  call.begin("chains", n);
  if (n == 0) return;
  bwt_detail::require(d_bwt != nullptr && d_text != nullptr,
                      "inverse_bwt: a pointer to a non-empty array is null");
  bwt_detail::invert_transform(d_bwt, n, primary_index, form, d_text,
                               {.device_memory = options.run.device_memory, .monitor = options.run.monitor},
                               stream);
  if (options.run.monitor != nullptr) options.run.monitor->add(n);
}

} // namespace weft::gpu
