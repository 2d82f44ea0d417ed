// Transforms and suffix arrays of many texts, and of collections, in device memory, on the caller's stream.
// Needs <cuda_runtime_api.h>, not nvcc. For texts in host memory see weft/bwt/bwt_batch.hpp,
// weft/bwt/suffix_array.hpp and weft/bwt/collection_bwt.hpp, which also say what a collection is.
//
//   // d_texts: bytes in device memory, text i's in [offsets[i], offsets[i + 1]); d_bwt: room for as many.
//   std::vector<std::uint64_t> bwts(const unsigned char* d_texts, const std::vector<std::uint64_t>& offsets,
//                                   unsigned char* d_bwt, cudaStream_t stream) {
//     std::vector<std::uint64_t> primary_indexes(offsets.size() - 1);
//     weft::gpu::bwt_batch(d_texts, offsets, weft::bwt_form::sentinel, d_bwt, primary_indexes, {}, stream);
//     return primary_indexes;
//   }
//
// In full, and run by the tests: examples/bwt_batch_gpu.cpp.
//
// For all functions here what weft/bwt/bwt.cuh says of device, result, aliasing, waits and throws; and
//   Offsets     ascend from 0; their last is the number of bytes. They and what is said of each text or
//               record are in host memory, and there when the call returns.
//   Throws      std::invalid_argument also for other offsets, for as many results as there are not texts or
//               records, and for 2^32 records and more that are not empty.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <weft/bwt/bwt.cuh>

namespace weft::gpu {

// d_bwt[offsets[i] .. offsets[i + 1] - 1] becomes the transform of text i, and primary_indexes[i] its primary
// index (bwt.hpp).
//
// Texts are sorted together, as many at a time as have 2^25 symbols; a text that has more, or stands alone,
// and each by ternary-quicksort, as by weft::gpu::bwt.
//
// Time          as weft::gpu::bwt of all bytes together. For the rotation form the host looks for the least
//               rotations, on all its threads.
// Extra memory  of the device: for texts that are sorted together 50 bytes a symbol of theirs (1.7 GB at
//               most), 16 a text and a quarter of a byte a symbol, in the rotation form 64 and one and a
//               half; or what weft::gpu::bwt takes for a text of its own, if that is more. Of the host's 24
//               a text of those sorted together; in the rotation form 64, and a byte a symbol.
void bwt_batch(const unsigned char* d_texts, std::span<const std::uint64_t> offsets, bwt_form form,
               unsigned char* d_bwt, std::span<std::uint64_t> primary_indexes,
               const bwt_device_options& options, cudaStream_t stream);

// d_sa[offsets[i] .. offsets[i + 1] - 1] becomes the suffix array of text i: positions in that text. Index:
// uint32_t (texts of less than 2^31 symbols each) or uint64_t. As bwt_batch with weft::gpu::suffix_array.
template <class Index>
void suffix_array_batch(const unsigned char* d_texts, std::span<const std::uint64_t> offsets, Index* d_sa,
                        const bwt_device_options& options, cudaStream_t stream);

// d_sa[0 .. n-1], n = offsets.back(), becomes the suffix array of the collection. Index: uint32_t (n < 2^31)
// or uint64_t. options.engine does not count.
//
// Time, memory  as weft::gpu::suffix_array where all suffixes are sorted, and a quarter of a byte a symbol
//               and 8 a record more.
//               What repeats for no more than 128 symbols is told apart by its bytes alone, without a cover.
template <class Index>
void collection_suffix_array(const unsigned char* d_text, std::span<const std::uint64_t> offsets, Index* d_sa,
                             const bwt_device_options& options, cudaStream_t stream);

// d_bwt[0 .. n-1] becomes the bytes of the collection's transform, and starts[r] the row of record r
// (collection_bwt.hpp). Time and memory as collection_suffix_array, and 8 bytes a record more.
void collection_bwt(const unsigned char* d_text, std::span<const std::uint64_t> offsets, unsigned char* d_bwt,
                    std::span<std::uint64_t> starts, const bwt_device_options& options, cudaStream_t stream);

} // namespace weft::gpu
