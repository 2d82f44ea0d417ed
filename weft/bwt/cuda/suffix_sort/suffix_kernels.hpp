// The kernels of the suffix sort (suffix_sort.hpp), as the host launches them. Each function enqueues its
// work; what is called d_... is device memory. Index: uint32_t or uint64_t, of a suffix in the text. Text:
// bit_text or part_text.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/head_bits.hpp>
#include <weft/bwt/core/suffix_keys.hpp>

namespace weft::bwt_cuda {

using bwt_core::bit_text;
using bwt_core::cover_ranks;
using bwt_core::further_ranks;
using bwt_core::head_bits;
using bwt_core::part_keys;
using bwt_core::part_text;
using bwt_core::text_keys;

// Slots [begin, begin + size) hold suffixes that the keys so far do not tell apart.
struct group {
  std::uint32_t begin, size;
};

// Groups by size: those of kind k have up to 2^(k + 1) suffixes, as many as threads sort them: one two, lanes
// of a warp up to 32, a block more. The last kind has no limit.
inline constexpr int group_kinds = 9, block_groups = 5, large_groups = 8;
WEFT_HOST_DEVICE constexpr std::uint32_t width_of(int kind) { return 2U << kind; }
WEFT_HOST_DEVICE constexpr int kind_of(std::uint32_t size) {
  int kind = 0;
  while (kind < large_groups && size > width_of(kind)) ++kind;
  return kind;
}

// Groups of each kind in no stated order; counts is device memory.
struct group_lists {
  group* items[group_kinds];
  std::uint32_t* counts;
};

// d_counts[0 .. 255]: how often each byte stands in the text.
void count_bytes(const unsigned char* d_text, std::uint64_t n, unsigned long long* d_counts,
                 cudaStream_t stream);
// Bytes that stand in the text get codes 0, 1 ... in their order: d_codes[byte], and back, d_bytes[code] (of
// codes for none: 0). *d_letters: how many they are.
void number_bytes(const unsigned long long* d_counts, std::uint8_t* d_codes, unsigned char* d_bytes,
                  std::uint32_t* d_letters, cudaStream_t stream);
// d_codes[0 .. 255]: the codes of the bytes. Writes words_of_text() words.
void pack_text(const unsigned char* d_text, const std::uint8_t* d_codes, std::uint64_t* d_words,
               const bit_text& text, cudaStream_t stream);
// First keys of `count` suffixes here and there, of those chosen unless they are few, without the symbols
// before them (see suffix_sort_options).
template <class Text>
void sample_keys(const Text& text, const std::uint64_t* d_chosen, std::uint64_t* d_keys, std::uint32_t count,
                 cudaStream_t stream);

// Suffixes (all, or those chosen) whose first key is in [low, high], in no stated order: their keys and where
// they begin. d_count becomes how many there are; only so many as there is room for are written.
template <class Text, class Index>
void select_suffixes(const Text& text, const std::uint64_t* d_chosen, std::uint64_t low, std::uint64_t high,
                     std::uint64_t* d_keys, Index* d_suffixes, std::uint64_t room,
                     unsigned long long* d_count, cudaStream_t stream);
// The first `count` suffixes at positions of the difference cover.
template <class Text, class Index>
void select_cover(const Text& text, std::uint64_t* d_keys, Index* d_suffixes, std::uint64_t count,
                  cudaStream_t stream);

// d_slots[i] = i; d_to[i] = d_from[d_slots[i]], for i < count.
void number_slots(std::uint32_t* d_slots, std::uint64_t count, cudaStream_t stream);
void permute(const std::uint64_t* d_from, const std::uint32_t* d_slots, std::uint64_t* d_to,
             std::uint64_t count, cudaStream_t stream);

// A group begins where a first key, but for the symbol before the suffix, differs from the one before; all
// levels are written.
void mark_groups(const bit_text& text, const std::uint64_t* d_keys, const head_bits& heads,
                 cudaStream_t stream);
// d_before[i], for i < count: the byte before suffix i, out of its first key. d_bytes[0 .. 255]: of the
// codes.
void unpack_before(const bit_text& text, const unsigned char* d_bytes, const std::uint64_t* d_keys,
                   std::uint64_t count, unsigned char* d_before, cudaStream_t stream);
// The same out of the text, where suffixes have moved: in groups of two and more.
template <class Index>
void read_before(const bit_text& text, const unsigned char* d_bytes, const Index* d_suffixes,
                 const head_bits& heads, unsigned char* d_before, cudaStream_t stream);
// Writes the levels above the lowest.
void mark_levels(const head_bits& heads, cudaStream_t stream);
// Lists the groups of two slots and more, counted from 0.
void list_groups(const head_bits& heads, const group_lists& lists, cudaStream_t stream);

// The same of the slots of large groups alone, which are not those of lists: behind what lists have of the
// other kinds.
void list_groups_of_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                          std::uint64_t num_items, const head_bits& heads, const group_lists& lists,
                          cudaStream_t stream);

// Sorts the suffixes of each of `count` groups (not of the last kind) by their keys of the rounds
// [first, end), until they are told apart, and marks the groups they fall into, in the lowest level.
template <class Index, class Keys>
void refine_groups(int kind, const group* d_groups, std::uint32_t count, Index* d_suffixes, const Keys& keys,
                   std::uint32_t first, std::uint32_t end, const head_bits& heads, cudaStream_t stream);

// Groups of the last kind, one after another: d_offsets[0 .. count] are where each begins among the items of
// all. An item is (key, suffix), as one number; take_items puts sorted ones back, and marks groups.
template <class Index, class Keys>
void make_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                std::uint64_t num_items, const Index* d_suffixes, const Keys& keys, std::uint32_t round,
                void* d_items, cudaStream_t stream);
template <class Index>
void take_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                std::uint64_t num_items, const void* d_items, Index* d_suffixes, const head_bits& heads,
                cudaStream_t stream);

// Ranks of all suffixes in the cover: the slots where their groups begin.
template <class Index>
void write_ranks(const Index* d_suffixes, const head_bits& heads, std::uint32_t* d_ranks,
                 cudaStream_t stream);

// The same of the suffixes in these groups, whose ranks were where the groups begin.
template <class Index>
void write_ranks_of_groups(int kind, const group* d_groups, std::uint32_t count, const Index* d_suffixes,
                           const head_bits& heads, std::uint32_t* d_ranks, cudaStream_t stream);
template <class Index>
void write_ranks_of_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                          std::uint64_t num_items, const Index* d_suffixes, const head_bits& heads,
                          std::uint32_t* d_ranks, cudaStream_t stream);

// Groups (not of the last kind) of suffixes that agree in a period of the cover: sorts them.
template <class Index>
void finish_groups(int kind, const group* d_groups, std::uint32_t count, Index* d_suffixes,
                   const cover_ranks& ranks, cudaStream_t stream);

// Those of the last kind, for a sort by a comparator: the suffixes of all of them with the number of their
// group, and back.
template <class Index> struct grouped_suffix { Index group, suffix; };
template <class Index>
void make_grouped(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                  std::uint64_t num_items, const Index* d_suffixes, grouped_suffix<Index>* d_items,
                  cudaStream_t stream);
template <class Index>
void take_grouped(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                  std::uint64_t num_items, const grouped_suffix<Index>* d_items, Index* d_suffixes,
                  cudaStream_t stream);

// Of `count` rows in order, the first of which is row first_row of all: *d_row becomes the least of itself
// and the rows of suffixes that are `wanted` modulo `period`.
template <class Index>
void find_row(const Index* d_suffixes, std::uint64_t count, std::uint64_t first_row, std::uint64_t wanted,
              std::uint64_t period, unsigned long long* d_row, cudaStream_t stream);
// d_before[i], for i < count: the byte before row i, in a text whose rows are rotations.
template <class Index>
void bytes_before(const unsigned char* d_text, std::uint64_t n, const Index* d_rows, std::uint64_t count,
                  unsigned char* d_before, cudaStream_t stream);
// Bytes before suffixes to d_bwt, the whole transform in the sentinel form, but for that before suffix 0,
// whose row (of those of suffixes alone) is *d_row; rows behind it move up.
void write_sentinel_rows(const unsigned char* d_before, std::uint64_t count, std::uint64_t first_row,
                         const unsigned long long* d_row, unsigned char* d_bwt, cudaStream_t stream);
// The same in the rotation form, each byte so many times.
void write_rotation_rows(const unsigned char* d_before, std::uint64_t count, std::uint64_t first_row,
                         std::uint64_t times, unsigned char* d_bwt, cudaStream_t stream);

} // namespace weft::bwt_cuda
