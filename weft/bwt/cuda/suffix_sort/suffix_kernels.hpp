// Host functions that launch the kernels of the suffix sort (suffix_sort.hpp). Each function only enqueues
// its work; parameters named d_... point to device memory. Index is uint32_t or uint64_t and holds a position
// in the text. Text is bit_text or part_text. The last functions are the sorts and sums of the suffix sort,
// by this library's sort engine and CUB (suffix_key_sorts.cu).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/suffix_keys.hpp>

namespace weft::bwt_detail {

// A group of suffixes that no key so far distinguishes. They occupy the slots [begin, begin + size) of the
// array of sorted suffixes.
struct group {
  std::uint32_t begin, size;
};

// Groups are classified by size, because different numbers of threads sort them. Groups of kind k <
// large_groups have at most 2^(k + 1) suffixes: one thread sorts a group of two, lanes of one warp a group of
// up to 32 (kinds below block_groups), one block a larger one. The last kind, large_groups, has no limit.
inline constexpr int group_kinds = 9, block_groups = 5, large_groups = 8;
WEFT_HOST_DEVICE constexpr std::uint32_t width_of(int kind) { return 2U << kind; }
WEFT_HOST_DEVICE constexpr int kind_of(std::uint32_t size) {
  int kind = 0;
  while (kind < large_groups && size > width_of(kind)) ++kind;
  return kind;
}

// The lists of groups of each kind, in unspecified order. `counts` points to their lengths in device memory.
struct group_lists {
  group* items[group_kinds];
  std::uint32_t* counts;
};

// Sets d_counts[b], for 0 <= b < 256, to the number of occurrences of byte b in the text.
void count_bytes(const unsigned char* d_text, std::uint64_t n, unsigned long long* d_counts,
                 cudaStream_t stream);
// Numbers the bytes that occur in the text 0, 1, ... in ascending order. d_codes[byte] becomes the code of a
// byte, d_bytes[code] the byte of a code (0 for codes that are not used), and *d_letters the number of codes.
void number_bytes(const unsigned long long* d_counts, std::uint8_t* d_codes, unsigned char* d_bytes,
                  std::uint32_t* d_letters, cudaStream_t stream);
// Writes the text as a string of bits, words_of_text() words. d_codes[0 .. 255] are the codes of the bytes.
void pack_text(const unsigned char* d_text, const std::uint8_t* d_codes, std::uint64_t* d_words,
               const bit_text& text, cudaStream_t stream);
// Writes the first keys of `count` suffixes at pseudo-random positions, with the bits of the symbol before
// the suffix cleared. With d_chosen, takes selected suffixes, but gives up after 32 trials for each if
// selected suffixes are rare (see suffix_sort_options).
template <class Text>
void sample_keys(const Text& text, const std::uint64_t* d_chosen, std::uint64_t* d_keys, std::uint32_t count,
                 cudaStream_t stream);

// Writes the keys and positions of the suffixes (all, or the selected ones) whose first key is in [low,
// high], in unspecified order. *d_count becomes the number of such suffixes; only the first `capacity` of
// them are written.
template <class Text, class Index>
void select_suffixes(const Text& text, const std::uint64_t* d_chosen, std::uint64_t low, std::uint64_t high,
                     std::uint64_t* d_keys, Index* d_suffixes, std::uint64_t capacity,
                     unsigned long long* d_count, cudaStream_t stream);
// Writes the first keys and the positions of the first `count` suffixes that are in the difference cover.
template <class Text, class Index>
void select_cover(const Text& text, std::uint64_t* d_keys, Index* d_suffixes, std::uint64_t count,
                  cudaStream_t stream);

// Sets d_slots[i] = i, and d_to[i] = d_from[d_slots[i]], respectively, for i < count.
void number_slots(std::uint32_t* d_slots, std::uint64_t count, cudaStream_t stream);
void permute(const std::uint64_t* d_from, const std::uint32_t* d_slots, std::uint64_t* d_to,
             std::uint64_t count, cudaStream_t stream);

// Marks the groups of a sorted array of first keys, in all levels of `heads`: a group begins where a key
// differs from the one before it. The bits of the symbol before the suffix do not count.
void mark_groups(const bit_text& text, const std::uint64_t* d_keys, const head_bits& heads,
                 cudaStream_t stream);
// Sets d_before[i], for i < count, to the byte before suffix i, taken from the suffix's first key. d_bytes[0
// .. 255] are the bytes of the codes.
void unpack_before(const bit_text& text, const unsigned char* d_bytes, const std::uint64_t* d_keys,
                   std::uint64_t count, unsigned char* d_before, cudaStream_t stream);
// Does the same from the text instead of from keys, for the suffixes in groups of two and more only. Those
// suffixes have moved since unpack_before().
template <class Index>
void read_before(const bit_text& text, const unsigned char* d_bytes, const Index* d_suffixes,
                 const head_bits& heads, unsigned char* d_before, cudaStream_t stream);
// Writes the higher levels of `heads` from the lowest one.
void mark_levels(const head_bits& heads, cudaStream_t stream);
// Lists the groups of two and more slots. Clears the lists' counts first.
void list_groups(const head_bits& heads, const group_lists& lists, cudaStream_t stream);

// Does the same for the slots of d_groups only, which are the large groups of an earlier list in other
// memory. Groups of the smaller kinds are appended to the lists; the list of large groups is made anew.
void list_groups_of_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                          std::uint64_t num_items, const head_bits& heads, const group_lists& lists,
                          cudaStream_t stream);

// Sorts the suffixes of each of `count` groups (not large ones) by their keys of the rounds [first, end), or
// until all keys differ, and marks the groups that result in the lowest level of `heads`.
template <class Index, class Keys>
void refine_groups(int kind, const group* d_groups, std::uint32_t count, Index* d_suffixes, const Keys& keys,
                   std::uint32_t first, std::uint32_t end, const head_bits& heads, cudaStream_t stream);

// The large groups are sorted together. Their suffixes form one sequence of items, group after group:
// d_offsets[0 .. count] are the indexes at which the groups begin in that sequence. An item is a 128-bit
// number, the key above the suffix. make_items() writes the items; take_items() writes the suffixes of sorted
// items back to their slots and marks the groups that result.
template <class Index, class Keys>
void make_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                std::uint64_t num_items, const Index* d_suffixes, const Keys& keys, std::uint32_t round,
                void* d_items, cudaStream_t stream);
template <class Index>
void take_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                std::uint64_t num_items, const void* d_items, Index* d_suffixes, const head_bits& heads,
                cudaStream_t stream);

// Writes the rank of every suffix in the cover: the slot at which its group begins.
template <class Index>
void write_ranks(const Index* d_suffixes, const head_bits& heads, std::uint32_t* d_ranks,
                 cudaStream_t stream);

// Do the same for the suffixes of these groups only. On entry the rank of each is the slot at which its group
// in d_groups begins.
template <class Index>
void write_ranks_of_groups(int kind, const group* d_groups, std::uint32_t count, const Index* d_suffixes,
                           const head_bits& heads, std::uint32_t* d_ranks, cudaStream_t stream);
template <class Index>
void write_ranks_of_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                          std::uint64_t num_items, const Index* d_suffixes, const head_bits& heads,
                          std::uint32_t* d_ranks, cudaStream_t stream);

// Sorts groups (not large ones) whose suffixes agree in at least one period of the cover, by the ranks of the
// cover.
template <class Index>
void finish_groups(int kind, const group* d_groups, std::uint32_t count, Index* d_suffixes,
                   const cover_ranks& ranks, cudaStream_t stream);

// For large groups, which a sort with a comparator finishes: make_grouped() writes the suffixes of all these
// groups, each with the number of its group, and take_grouped() writes the sorted suffixes back to their
// slots.
template <class Index> struct grouped_suffix { Index group, suffix; };
template <class Index>
void make_grouped(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                  std::uint64_t num_items, const Index* d_suffixes, grouped_suffix<Index>* d_items,
                  cudaStream_t stream);
template <class Index>
void take_grouped(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                  std::uint64_t num_items, const grouped_suffix<Index>* d_items, Index* d_suffixes,
                  cudaStream_t stream);

// Looks for rows whose suffix is congruent to `wanted` modulo `period`. The rows given are [first_row,
// first_row + count) of all. *d_row becomes the minimum of itself and the rows found.
template <class Index>
void find_row(const Index* d_suffixes, std::uint64_t count, std::uint64_t first_row, std::uint64_t wanted,
              std::uint64_t period, unsigned long long* d_row, cudaStream_t stream);
// Sets d_before[i], for i < count, to the byte before row i, in a text whose rows are rotations.
template <class Index>
void write_bytes_before(const unsigned char* d_text, std::uint64_t n, const Index* d_rows,
                        std::uint64_t count, unsigned char* d_before, cudaStream_t stream);
// Writes the bytes before the suffixes of rows [first_row, first_row + count) to d_bwt, the whole transform
// in the sentinel form. Skips the byte before suffix 0, whose row (the number among rows of suffixes, so
// without the row of the sentinel) is *d_row. Rows behind that row keep their number, rows before it move up
// by one, because the row of the sentinel comes first.
void write_sentinel_rows(const unsigned char* d_before, std::uint64_t count, std::uint64_t first_row,
                         const unsigned long long* d_row, unsigned char* d_bwt, cudaStream_t stream);
// Does the same in the rotation form. Writes each byte `times` times.
void write_rotation_rows(const unsigned char* d_before, std::uint64_t count, std::uint64_t first_row,
                         std::uint64_t times, unsigned char* d_bwt, cudaStream_t stream);

[[nodiscard]] cudaError_t sort_by_keys(void* d_temp, std::size_t& bytes, std::uint64_t* d_keys,
                                       std::uint32_t* d_values, std::uint64_t n, cudaStream_t stream);

// Sorts numbers of 128 bits within each segment.
[[nodiscard]] cudaError_t sort_items(void* d_temp, std::size_t& bytes, void* d_items, std::uint64_t n,
                                     const std::uint64_t* d_offsets, std::uint32_t segments,
                                     cudaStream_t stream);

// Sets d_offsets[i], for 0 <= i <= count, to the total size of the groups before group i.
[[nodiscard]] cudaError_t sum_sizes(void* d_temp, std::size_t& bytes, const group* d_groups,
                                    std::uint32_t count, std::uint64_t* d_offsets, cudaStream_t stream);

// Sorts all suffixes of the large groups (see make_items) by group, and within a group by the ranks of the
// cover.
template <class Index>
[[nodiscard]] cudaError_t sort_by_cover(void* d_temp, std::size_t& bytes, grouped_suffix<Index>* d_items,
                                        std::uint64_t n, const cover_ranks& ranks, cudaStream_t stream);

} // namespace weft::bwt_detail
