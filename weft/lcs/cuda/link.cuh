// Connects the strips of a table: tickets, and the differences that a strip passes to the next strip.
//
// Warps take strips in order, by a counter. Strip s passes the differences at its lower edge to strip s + 1
// through `link`, an array of n bits that all strips share. Each 32 columns are one 64-bit word: the low
// half holds the differences, and the high half, the tag, is the number of the strip that may read them.
// Strip s waits until word g has tag s, and later replaces the word by its own differences with tag s + 1.
// A word is loaded and stored as a whole, so it needs no fence. Strip s overwrites only words that it has
// read, and strip s + 1 reads only words that strip s has written, so one array suffices.
//
// There is no deadlock. A warp that takes strip s is running, and strips are taken in order. So every strip
// before s either is finished or belongs to a resident warp, which stays resident until it is done. The
// first of the unfinished strips waits for nothing, so it proceeds; by induction all strips do. Nothing
// depends on the number of resident blocks or on their order.
#pragma once

#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_detail {

inline constexpr unsigned all_lanes = 0xffffffffU;

// Returns the next number of a counter to the whole warp.
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

// A strip's two ends of the link. Vectors is the number of vectors of differences; a word of a vector
// covers 32 columns.
template <int Vectors> struct link_port {
  static constexpr int slack = 1; // in words
  const table_job& job;
  int strip, lane;
  std::uint32_t* kept_tops;          // receives the tops of this strip, for lane 0; null: not kept
  unsigned long long ahead[Vectors]; // the next word, as it was when it was read ahead

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

  // Reads a word before it is needed, which saves a trip to memory. It is not done within top(), because a
  // wait for another load would then be a wait for this load, too.
  __device__ void look_ahead(int group) {
#pragma unroll
    for (int x = 0; x < Vectors; ++x) ahead[x] = load_link(link(x, min(group, job.words - 1)));
  }

  // Returns the differences above the columns of word `group`; calls must be in order. Returns false if the
  // sweep is stopped.
  //
  // A strip that has caught up with the one above lets that strip get `slack` words ahead. Right behind it,
  // each word would be requested just before it exists, and would cost a whole trip to memory.
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

  // Passes on the differences below the columns of a word, which lane 31 holds. Words before the first are
  // dropped.
  __device__ void bottom(int word, const std::uint32_t (&out)[Vectors]) const {
    if (lane != warp_lanes - 1 || word < 0) return;
#pragma unroll
    for (int x = 0; x < Vectors; ++x)
      store_link(link(x, word), static_cast<unsigned long long>(strip + 1) << 32 | out[x]);
  }
};

} // namespace weft::lcs_detail
