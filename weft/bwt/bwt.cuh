// Suffix and LCP arrays, the Burrows-Wheeler transform and its inverse in device memory, on the caller's
// stream. Needs <cuda_runtime_api.h>, not nvcc. For texts in host memory see weft/bwt/suffix_array.hpp and
// weft/bwt/bwt.hpp, which also say what a suffix array, a transform, its two forms and primary_index are.
//
//   // d_text: n bytes in device memory. What comes out stays there, too.
//   std::uint64_t transform(const unsigned char* d_text, std::uint64_t n, unsigned char* d_bwt,
//                           std::uint32_t* d_sa, cudaStream_t stream) {
//     weft::gpu::suffix_array(d_text, n, d_sa, {}, stream);
//     return weft::gpu::bwt(d_text, n, weft::bwt_form::sentinel, d_bwt, {}, stream);
//   }
//
// For all functions here:
//   Device      the current one; the stream and all memory called d_... belong to it.
//   Result      the same as the CPU's, on every device.
//   Aliasing    no two arrays of a call overlap, unless it says so; no alignment but that of the
//               type is asked.
//   Waits       for all that is in the stream before, and for numbers that the next step needs; may not be
//               captured. Several threads may call at once.
//   Throws      std::invalid_argument (a null pointer to something, n too large for Index), error (unknown
//               engine), memory_error (more than device_memory, or than there is), device_error,
//               cancelled_error.
//
// In full, and run by the tests: examples/bwt_gpu.cpp.
//
// Sources: as weft/bwt/bwt.hpp and weft/bwt/suffix_array.hpp name.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <string>
#include <weft/base/monitor.hpp>
#include <weft/bwt/bwt.hpp>

namespace weft::gpu {

// As in bwt_options.
struct bwt_device_options {
  std::string engine = "auto";     // see bwt_engines(): each has a form for a GPU
  std::uint64_t device_memory = 0; // bytes that a call may take beside its arrays; 0: what there is
  task_monitor* monitor = nullptr; // work unit: symbols
};

// d_sa[0 .. n-1] becomes the suffix array of d_text[0 .. n-1]. Index: uint32_t (n < 2^31) or uint64_t.
//
// Time          O(n log n); for texts with long repeats, of any kind, O(n log^2 n).
// Extra memory  of the device, given back at the end. By suffix-sort
//               - the text once more, in as few bits a symbol as the bytes in use take (2 for up to 4 of
//                 them, 8 at most);
//               - what a block takes: 48 bytes (56 with 64-bit indexes) for each of its suffixes, a twelfth
//                 of all, but at least 2^25 (or all) and at most 2^30, and more where more agree in 64 bits;
//               - for texts with long repeats, for a while, 5.3 n bytes (6.1 n) and 16 (20) a suffix of a
//                 block.
//               Texts of 2^24 bytes and more, 2^14 for each pair of bytes in use: with 32-bit indexes
//               (transforms of less than 2^32 - 1 bytes have these) and 7.25 n bytes of memory, a third of
//               the suffixes, or up to half, are sorted so, and the others follow. That takes 4 bytes for
//               each that is sorted, and n / 4 bytes; for a transform then 5 n.
//               Sums, beside the text in bits: some 18 n bytes below 10^8, 6 n from 4 * 10^8 on, with long
//               repeats 8.2 n; where all suffixes are sorted, from 4 * 10^8 on, 4 n (4.7 n), with long
//               repeats 6.7 n (7.8 n). Where there is less, or device_memory is, blocks are smaller, and each
//               reads the text again; less than some MB, or than repeats take: memory_error.
//               By ternary-quicksort up to 3.8 n indexes and 1.25 n bytes.
template <class Index>
void suffix_array(const unsigned char* d_text, std::uint64_t n, Index* d_sa,
                  const bwt_device_options& options, cudaStream_t stream);

// The same of symbols of 16 and 32 bits, by suffix-sort alone, all suffixes in blocks. A symbol takes as many
// bits as the number of different ones does, 32 at most; to number them takes 9 bits for each 8 symbols up to
// the greatest, 604 MB at most, before the rest.
template <class Index>
void suffix_array(const std::uint16_t* d_text, std::uint64_t n, Index* d_sa,
                  const bwt_device_options& options, cudaStream_t stream);
template <class Index>
void suffix_array(const std::uint32_t* d_text, std::uint64_t n, Index* d_sa,
                  const bwt_device_options& options, cudaStream_t stream);

// d_lcp[0 .. n-1] becomes the LCP array of d_text[0 .. n-1] and its suffix array d_sa[0 .. n-1]. Index:
// uint32_t (n < 2^31) or uint64_t. d_lcp may be d_sa.
//
// Time          O(n log n) for any text; three random accesses to memory a symbol.
// Extra memory  of the device, given back in the order of the stream: n indexes, some hundredths of that, and
//               a KB.
// Wrong arrays  an entry that is not less than n is refused with std::invalid_argument, d_lcp being as it
//               was. What else is not the suffix array of the text leads to some numbers, none more than n,
//               and to no access outside of the arrays.
// Waits         until it is known whether all entries are less than n; the array is there in the order of the
//               stream.
template <class Index>
void lcp_array(const unsigned char* d_text, std::uint64_t n, const Index* d_sa, Index* d_lcp,
               const bwt_device_options& options, cudaStream_t stream);

// d_bwt[0 .. n-1] becomes the transform of d_text[0 .. n-1]; the primary index (bwt.hpp) is returned. Time
// and memory as suffix_array; the rotation form looks for the least rotation before, O(n log n) and O(n) for
// most texts, in 1.2 n bytes of the device's memory, and keeps n more while it sorts.
std::uint64_t bwt(const unsigned char* d_text, std::uint64_t n, bwt_form form, unsigned char* d_bwt,
                  const bwt_device_options& options, cudaStream_t stream);

// The sentinel form of symbols of 16 and 32 bits: the symbol before each suffix. Time and memory as their
// suffix_array.
std::uint64_t bwt(const std::uint16_t* d_text, std::uint64_t n, std::uint16_t* d_bwt,
                  const bwt_device_options& options, cudaStream_t stream);
std::uint64_t bwt(const std::uint32_t* d_text, std::uint64_t n, std::uint32_t* d_bwt,
                  const bwt_device_options& options, cudaStream_t stream);

// The text that has this transform, d_text[0 .. n-1].
//
// Time          O(n): one random read of memory for each byte. They are of chains, some million or one for 64
//               bytes, of which hundreds of thousands are followed at a time.
// Extra memory  of the device, given back in the order of the stream: 5.2 n bytes of 10^9, 6.7 n below 2^25
//               (links of 4 bytes, the text in pieces, tables); 6.2 n from 3 * 2^30 bytes on (links of 5).
//               Some 100 KB at least.
// Ranges        n <= 2^39.
// Waits         until it is known whether this is a transform; the text is there in the order of the stream.
// Throws        also error(invalid_input) if no text has this transform, with d_text as it was.
void inverse_bwt(const unsigned char* d_bwt, std::uint64_t n, std::uint64_t primary_index, bwt_form form,
                 unsigned char* d_text, const bwt_device_options& options, cudaStream_t stream);

} // namespace weft::gpu
