// Transforms and suffix arrays of many texts, and of collections of records, in device memory, on the
// caller's stream. Needs <cuda_runtime_api.h>, not nvcc. For texts in host memory see weft/bwt/bwt_batch.hpp,
// weft/bwt/suffix_array.hpp and weft/bwt/collection_bwt.hpp; the last also defines collection.
//
//   // d_texts: bytes in device memory, text i is at [offsets[i], offsets[i + 1]); d_bwt: as many bytes.
//   std::vector<std::uint64_t> bwts(const unsigned char* d_texts, const std::vector<std::uint64_t>& offsets,
//                                   unsigned char* d_bwt, cudaStream_t stream) {
//     std::vector<std::uint64_t> primary_indexes(offsets.size() - 1);
//     weft::gpu::bwt_batch(d_texts, offsets, weft::bwt_form::sentinel, d_bwt, primary_indexes, {}, stream);
//     return primary_indexes;
//   }
//
// The tests run the whole program: examples/bwt_batch_gpu.cpp.
//
// The notes in weft/bwt/bwt.cuh on device, result, aliasing, waits and throws hold for all functions here;
// and
//   Texts       Each function takes a gpu::sequences_view, whose offsets are in device memory, or the bytes
//   and
//               their offsets in host memory. The first form copies the offsets to the host, because the host
//               plans the work; a caller that knows them saves this copy by the second form. Offsets ascend
//               from 0; the last one is the number of bytes.
//   Results     The results per text or record (primary indexes, starts) are in host memory, and complete
//   when
//               the call returns.
//   Throws      std::invalid_argument also if offsets do not ascend from 0, if the number of results differs
//               from the number of texts or records, and for 2^32 or more records that are not empty.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <weft/base/sequences.hpp>
#include <weft/bwt/bwt.cuh>

namespace weft::gpu {

// Writes the transform of text i to d_bwt[offsets[i] .. offsets[i + 1] - 1], and its primary index (bwt.hpp)
// to primary_indexes[i].
//
// Texts are sorted together in runs of up to 2^25 symbols. A longer text, a text that is alone in its run,
// and every text if the engine is ternary-quicksort are transformed one by one, by weft::gpu::bwt.
//
// Time          that of weft::gpu::bwt for all bytes together. For the rotation form the host looks for the
//               least rotations, on all its threads.
// Extra memory  of the device: for texts that are sorted together 50 bytes per symbol of a run (1.7 GB at
//               most), 16 per text and a quarter of a byte per symbol, in the rotation form 64 and one and a
//               half; or the memory of weft::gpu::bwt for a single text, if that is more. Of the host: 24
//               bytes per text of a run; in the rotation form 64, and a byte per symbol.
void bwt_batch(const sequences_view& texts, bwt_form form, unsigned char* d_bwt,
               std::span<std::uint64_t> primary_indexes, const bwt_options& options, cudaStream_t stream);
void bwt_batch(const unsigned char* d_texts, std::span<const std::uint64_t> offsets, bwt_form form,
               unsigned char* d_bwt, std::span<std::uint64_t> primary_indexes, const bwt_options& options,
               cudaStream_t stream);

// Writes the suffix array of text i to d_sa[offsets[i] .. offsets[i + 1] - 1], as positions in that text.
// Index: uint32_t (texts of less than 2^31 symbols each) or uint64_t. Otherwise as bwt_batch, with
// weft::gpu::suffix_array for single texts.
template <class Index>
void suffix_array_batch(const sequences_view& texts, Index* d_sa, const bwt_options& options,
                        cudaStream_t stream);
template <class Index>
void suffix_array_batch(const unsigned char* d_texts, std::span<const std::uint64_t> offsets, Index* d_sa,
                        const bwt_options& options, cudaStream_t stream);

// Writes the suffix array of the collection of n bytes to d_sa[0 .. n-1]. Index: uint32_t (n < 2^31)
// or uint64_t. Ignores options.run.engine.
//
// Time, memory  those of weft::gpu::suffix_array when it sorts all suffixes, and a quarter of a byte per
//               symbol and 8 bytes per record more. Repeats of up to 128 symbols need no difference cover,
//               because suffixes that agree in so few symbols are sorted by their bytes alone.
template <class Index>
void collection_suffix_array(const sequences_view& records, Index* d_sa, const bwt_options& options,
                             cudaStream_t stream);
template <class Index>
void collection_suffix_array(const unsigned char* d_text, std::span<const std::uint64_t> offsets, Index* d_sa,
                             const bwt_options& options, cudaStream_t stream);

// Writes the bytes of the collection's transform to d_bwt[0 .. n-1], and the row of record r to starts[r]
// (collection_bwt.hpp). Time and memory are those of collection_suffix_array, and 8 bytes per record more.
void collection_bwt(const sequences_view& records, unsigned char* d_bwt, std::span<std::uint64_t> starts,
                    const bwt_options& options, cudaStream_t stream);
void collection_bwt(const unsigned char* d_text, std::span<const std::uint64_t> offsets, unsigned char* d_bwt,
                    std::span<std::uint64_t> starts, const bwt_options& options, cudaStream_t stream);

} // namespace weft::gpu
