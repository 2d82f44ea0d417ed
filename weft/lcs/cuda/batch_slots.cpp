#include <weft/lcs/cuda/batch_slots.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/base/parallel.hpp>

namespace weft::lcs_detail {

void batch_slots::plan_memory(const batch_needs& needs, std::uint64_t allowed) {
  std::int64_t row = 1;
  for (const int cut : plan_.cuts) row = std::max<std::int64_t>(row, cut);
  count_ = max_slots;
  capacity_ = std::max(row, std::min(needs.max_values, plan_.begins.back()));
  link_blocks_ = needs.max_link_blocks;
  link_block_bytes_ = needs.link_block_bytes;
  const auto needed = [&] {
    return needs.fixed_bytes + count() * (to_size(capacity_) * 4 + to_size(link_blocks_) * link_block_bytes_);
  };
  while (needed() > allowed) {
    if (count_ > 2)
      --count_;
    else if (link_blocks_ > needs.min_link_blocks)
      link_blocks_ /= 2;
    else if (capacity_ > row)
      capacity_ = std::max(row, capacity_ / 2);
    else if (count_ > 1)
      --count_;
    else if (link_blocks_ > 1)
      link_blocks_ /= 2;
    else
      throw memory_error(
          fmt::format("lcs: engine {} needs {} of device memory for these sequences, but only {} is allowed",
                      needs.engine, format_size(needed()), format_size(allowed)));
  }
}

void batch_slots::allocate(cudaStream_t stream, bool on_host) {
  values_ = {count() * to_size(capacity_), stream};
  tickets_ = {count(), stream};
  links_ = {std::max<std::size_t>(count() * link_words(), 1), stream};
  for (std::size_t slot = 0; on_host && slot < count(); ++slot) (void)pinned_values(slot);
}

void batch_slots::download(std::size_t index, const batch_piece& piece) const {
  gpu::copy(pinned_values(index % count()), values(index),
            plan_.begins[to_size(piece.last)] - plan_.begins[to_size(piece.first)], stream(index),
            "copy the values of a batch from the GPU");
}

void batch_slots::store(std::size_t index, const batch_piece& piece, std::uint64_t unit, int threads,
                        std::vector<std::uint64_t>& all) const {
  const std::uint32_t* const from = pinned_values(index % count());
  const auto first = static_cast<std::uint64_t>(piece.first), last = static_cast<std::uint64_t>(piece.last);
  parallel_for(first, last, 16, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t p = begin; p < end; ++p) {
      const std::uint32_t* const row = from + (plan_.begins[p] - plan_.begins[first]);
      const std::uint32_t i = plan_.order[p];
      for (std::size_t q = 0; q < to_size(plan_.cuts[p]); ++q)
        all[pair_index(i, plan_.order[q])] = unit * row[q];
    }
  });
}

std::uint32_t* batch_slots::pinned_values(std::size_t slot) const {
  thread_local std::array<gpu::pinned_buffer<std::uint32_t>, max_slots> kept;
  if (kept[slot].size() < to_size(capacity_))
    kept[slot] = gpu::pinned_buffer<std::uint32_t>(to_size(capacity_));
  return kept[slot].data();
}

void resize_values(std::vector<std::uint64_t>& values, std::uint64_t pairs, int threads) {
  constexpr std::uint64_t page = 4096;
  values.reserve(pairs);
  auto* const bytes = reinterpret_cast<volatile unsigned char*>(values.data());
  parallel_for(0, (pairs * sizeof(std::uint64_t) + page - 1) / page, 1024, threads,
               [&](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last; ++i) bytes[i * page] = 0;
               });
  values.resize(pairs);
}

} // namespace weft::lcs_detail
