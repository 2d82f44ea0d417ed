// How the strips of a table hang together: tickets, and the differences that one hands to the next.
//
// Warps take strips in order, by a counter; strip s hands its lower differences to strip s + 1 through
// `link`, an array of n bits that all strips share: each 32 columns are one 64-bit word, the differences in
// its low half and in its high half the number of the strip that may read it. Strip s waits until word g has
// tag s, and later replaces it by its own differences with tag s + 1. A word is loaded and stored as a whole,
// so it needs no fence; strip s overwrites only what it has read, and strip s + 1 reads only what strip s has
// written: one array suffices.
//
// No deadlock. A warp that takes strip s is running, and strips are taken in order, so every strip before s
// is finished or belongs to a warp that is resident, and stays so until it is done. Of the unfinished strips
// the first waits for none, so it proceeds; by induction all do. Nothing depends on how many blocks are
// resident, nor on their order.
#pragma once

#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_cuda {

inline constexpr unsigned all_lanes = 0xffffffffU;

// The next number of a counter, for the whole warp.
__device__ inline int take_ticket(unsigned* counter, int lane) {
  const int ticket = lane == 0 ? static_cast<int>(atomicAdd(counter, 1U)) : 0;
  return __shfl_sync(all_lanes, ticket, 0);
}

__device__ inline unsigned long long load_link(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ inline void store_link(unsigned long long* word, unsigned long long value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}

// A strip's two ends of the link. Vectors: of differences, 32 columns a word each.
template <int Vectors> struct link_port {
  static constexpr int slack = 1; // in words
  const table_job& job;
  int strip, lane;
  std::uint32_t* kept_tops;          // of this strip, for lane 0; null: not kept
  unsigned long long ahead[Vectors]; // the next word, as it was when it was looked at

  __device__ link_port(const table_job& the_job, int the_strip, int the_lane)
      : job(the_job), strip(the_strip), lane(the_lane),
        kept_tops(job.kept_tops == nullptr || strip % job.kept_every != 0 || lane != 0
                      ? nullptr
                      : job.kept_tops + std::int64_t{strip / job.kept_every} * Vectors * job.words) {
    look_ahead(0);
  }

  [[nodiscard]] __device__ unsigned long long* link(int x, int word) const {
    return job.link + std::int64_t{x} * job.words + word;
  }
  [[nodiscard]] __device__ bool ready(unsigned long long value) const {
    return __all_sync(all_lanes, value >> 32 == strip);
  }
  [[nodiscard]] __device__ bool stopped() const {
    return job.stop != nullptr && __any_sync(all_lanes, *job.stop != 0);
  }
  __device__ unsigned long long await(const unsigned long long* word) const {
    unsigned long long value = load_link(word);
    for (int tries = 1; !ready(value); value = load_link(word), ++tries) {
      __nanosleep(20);
      if (tries % 1024 == 0 && stopped()) break;
    }
    return value;
  }

  // Looks at a word before it is asked for: a trip to memory earlier, and not beside top(), where a wait for
  // another load would be one for this, too.
  __device__ void look_ahead(int group) {
#pragma unroll
    for (int x = 0; x < Vectors; ++x) ahead[x] = load_link(link(x, min(group, job.words - 1)));
  }

  // The differences above the columns of word `group`, asked for in order; false: the sweep is stopped.
  //
  // A strip that has caught up with the one above lets it get `slack` words ahead: right behind it, every
  // word would be looked for just before it is there, and each would cost a whole trip to memory.
  __device__ bool top(int group, std::uint32_t (&word)[Vectors]) {
    if (group % 512 == 511 && stopped()) return false;
#pragma unroll
    for (int x = 0; x < Vectors; ++x) {
      if (group >= job.words) {
        word[x] = 0;
        continue;
      }
      unsigned long long value = ahead[x];
      if (!ready(value)) {
        await(link(x, min(group + slack, job.words - 1)));
        value = await(link(x, group));
        if (!ready(value)) return false;
      }
      word[x] = static_cast<std::uint32_t>(value);
      if (kept_tops != nullptr) kept_tops[std::int64_t{x} * job.words + group] = word[x];
    }
    return true;
  }

  // Hands over those below the columns of a word, which lane 31 has; words before the first are dropped.
  __device__ void bottom(int word, const std::uint32_t (&out)[Vectors]) const {
    if (lane != warp_lanes - 1 || word < 0) return;
#pragma unroll
    for (int x = 0; x < Vectors; ++x)
      store_link(link(x, word), static_cast<unsigned long long>(strip + 1) << 32 | out[x]);
  }
};

} // namespace weft::lcs_cuda
