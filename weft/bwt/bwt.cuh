// Suffix arrays, LCP arrays, the Burrows-Wheeler transform and its inverse for texts in device memory, on the
// caller's stream. Needs <cuda_runtime_api.h>, not nvcc. weft/bwt/suffix_array.hpp and weft/bwt/bwt.hpp have
// the same functions for texts in host memory; they also define suffix array, transform, the two forms of a
// transform, and primary_index.
//
//   // d_text: n bytes in device memory. The results stay in device memory, too.
//   std::uint64_t transform(const unsigned char* d_text, std::uint64_t n, unsigned char* d_bwt,
//                           std::uint32_t* d_sa, cudaStream_t stream) {
//     weft::gpu::suffix_array(d_text, n, d_sa, {}, stream);
//     return weft::gpu::bwt(d_text, n, weft::bwt_form::sentinel, d_bwt, {}, stream);
//   }
//
// For all functions here:
//   Device      The functions use the current device. The stream and all memory called d_... belong to it.
//   Result      The result is the same as the CPU's, on every device.
//   Aliasing    The arrays of a call must not overlap, except where stated. An array needs no alignment
//               beyond that of its type.
//   Options     run.engine is one of bwt_engines(), where lcp_array and inverse_bwt have only one engine;
//               run.device is automatic or the current device; run.device_memory limits what a call takes
//               besides its arrays; work and progress are counted in symbols. run.threads and run.memory are
//               not needed.
//   Waits       A call waits for all earlier work on the stream and for numbers that its next step needs. It
//               must not be captured into a graph. Several threads may call at once.
//   Throws      std::invalid_argument (a null pointer to an array that is not empty, n too large for Index,
//               another device than the current one),
//               error (unknown engine), memory_error (more memory needed than device_memory allows, or than
//               is free), device_error, cancelled_error.
//
// The tests run the whole program: examples/bwt_gpu.cpp.
//
// Sources: those named in weft/bwt/bwt.hpp and weft/bwt/suffix_array.hpp.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/bwt_options.hpp>

namespace weft::gpu {

// Writes the suffix array of d_text[0 .. n-1] to d_sa[0 .. n-1]. Index: uint32_t (n < 2^31) or uint64_t.
//
// Time          O(n log n); for texts with long repeats of any kind O(n log^2 n).
// Extra memory  of the device, released before the call returns. The engine suffix-sort takes
//               - the text once more, with as many bits per symbol as the number of distinct bytes requires
//                 (2 for up to 4 of them, 8 at most);
//               - the memory of a block: 48 bytes (56 with 64-bit indexes) for each of its suffixes. A block
//                 has a twelfth of all suffixes, but at least 2^25 (or all; from n = 2^26 on, 2 n / 11 if
//                 that is less) and at most 2^30, and more if more suffixes agree in 64 bits;
//               - for texts with long repeats, temporarily, 5.3 n bytes (6.1 n) and 16 (20) per suffix of a
//                 block.
//               If the text has at least 2^24 bytes and 2^14 for each pair of distinct bytes, indexes have 32
//               bits (those of transforms of less than 2^32 - 1 bytes do), and 7.25 n bytes of memory are
//               available, only a third of the suffixes, at most half, are sorted in this manner, and the
//               others are derived from them. This takes 4 bytes for each sorted suffix, and n / 4 bytes;
//               afterwards, for a transform, 5 n.
//               Totals, besides the packed text: about 18 n bytes for n below 2^26, 6 n from there on,
//               with long repeats 9.6 n (8.2 n from 4 * 10^8 on). If all suffixes are sorted, from 4 * 10^8
//               on, 4 n (4.7 n), with long repeats 6.7 n (7.8 n). If less memory is free, or device_memory
//               allows less, blocks are smaller, and each block reads the text again. If even some MB, or the
//               memory for repeats, are not available, the call throws memory_error.
//               The engine ternary-quicksort takes up to 3.8 n indexes and 1.25 n bytes.
template <class Index>
void suffix_array(const unsigned char* d_text, std::uint64_t n, Index* d_sa, const bwt_options& options,
                  cudaStream_t stream);

// Do the same for symbols of 16 and 32 bits. The engine must be suffix-sort; it sorts all suffixes, in
// blocks. A symbol is stored in as many bits as the number of distinct symbols requires, 32 at most.
// Numbering the symbols takes 9 bits for each 8 symbol values up to the greatest symbol, 604 MB at most,
// before the sort.
template <class Index>
void suffix_array(const std::uint16_t* d_text, std::uint64_t n, Index* d_sa, const bwt_options& options,
                  cudaStream_t stream);
template <class Index>
void suffix_array(const std::uint32_t* d_text, std::uint64_t n, Index* d_sa, const bwt_options& options,
                  cudaStream_t stream);

// Writes the LCP array of d_text[0 .. n-1] and its suffix array d_sa[0 .. n-1] to d_lcp[0 .. n-1]. Index:
// uint32_t (n < 2^31) or uint64_t. d_lcp may be d_sa.
//
// Time          O(n log n) for any text; three random accesses to memory per symbol.
// Extra memory  of the device, released in stream order: n indexes, some hundredths of that, and a KB.
// Wrong arrays  if an entry of d_sa is not less than n, throws std::invalid_argument and leaves d_lcp
//               unchanged. If d_sa is wrong in another way, the result is unspecified, but no number exceeds
//               n, and no access is out of bounds.
// Waits         until it is known whether all entries are less than n. The result is ready in stream order.
template <class Index>
void lcp_array(const unsigned char* d_text, std::uint64_t n, const Index* d_sa, Index* d_lcp,
               const bwt_options& options, cudaStream_t stream);

// Writes the transform of d_text[0 .. n-1] to d_bwt[0 .. n-1] and returns the primary index (bwt.hpp). Time
// and memory are those of suffix_array. The rotation form first looks for the least rotation, in O(n log n)
// time and O(n) for most texts, with 1.2 n bytes of device memory; it also holds n more bytes during the
// sort.
std::uint64_t bwt(const unsigned char* d_text, std::uint64_t n, bwt_form form, unsigned char* d_bwt,
                  const bwt_options& options, cudaStream_t stream);

// Write the sentinel form of a text of symbols of 16 or 32 bits: the symbol before each suffix. Time and
// memory are those of suffix_array for such symbols.
std::uint64_t bwt(const std::uint16_t* d_text, std::uint64_t n, std::uint16_t* d_bwt,
                  const bwt_options& options, cudaStream_t stream);
std::uint64_t bwt(const std::uint32_t* d_text, std::uint64_t n, std::uint32_t* d_bwt,
                  const bwt_options& options, cudaStream_t stream);

// Writes the text that has the given transform to d_text[0 .. n-1].
//
// Time          O(n): one random read of memory per byte. The reads form chains, some million or one per 64
//               bytes, of which hundreds of thousands are followed at a time.
// Extra memory  of the device, released in stream order: 5.2 n bytes for n = 10^9, 6.7 n below 2^25 (links of
//               4 bytes, the text in pieces, tables), 6.2 n from 3 * 2^30 bytes on (links of 5 bytes). At
//               least some 100 KB.
// Ranges        n <= 2^39.
// Waits         until it is known whether the bytes are a transform. The text is ready in stream order.
// Throws        also error(invalid_input) if no text has this transform; d_text is then unchanged.
void inverse_bwt(const unsigned char* d_bwt, std::uint64_t n, std::uint64_t primary_index, bwt_form form,
                 unsigned char* d_text, const bwt_options& options, cudaStream_t stream);

} // namespace weft::gpu
