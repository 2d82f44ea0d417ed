// The functions on arrays in the memory of a GPU. Their results are of the class weft.DeviceArray, or values
// on the host. Each waits for the end of its work, unless the caller chose the stream. A build without CUDA
// cannot read such arrays: there these functions throw UnavailableError.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/scan/scan.hpp>

#include "device_arrays.hpp"
#include "sequences.hpp"

namespace weft::python {

// Return the number that `metric` names, and the path, of texts on a GPU.
std::uint64_t device_lcs_value(const call& started, const array_argument& a, const array_argument& b,
                               lcs_metric metric);
edit_script device_lcs_path(const call& started, const array_argument& a, const array_argument& b,
                            const lcs_options& options);
// Returns the values of all pairs: the strictly upper triangle by rows or, if not `condensed`, the matrix.
nb::object device_all_pairs(const call& started, const sequences_argument& batch, const lcs_options& options,
                            bool condensed);

// Sort as the functions on the host do. `out` receives the result; it may be `x`.
void device_sort(const call& started, const array_argument& x, bool descending, const array_argument& out);
void device_segmented_sort(const call& started, const array_argument& x, const array_argument& offsets,
                           bool descending, const array_argument& out);
// Return a new array: a sorted copy, the stable order (int64), a sorted copy of each segment, the first k.
nb::object device_sorted(const call& started, const array_argument& x, bool descending);
nb::object device_argsort(const call& started, const array_argument& x, bool descending);
nb::object device_segmented_sorted(const call& started, const array_argument& x,
                                   const array_argument& offsets, bool descending);
nb::object device_top_k(const call& started, const array_argument& x, std::uint64_t k, bool descending);
// Returns (keys, values), both new.
nb::tuple device_sort_by_key(const call& started, const array_argument& keys, const array_argument& values,
                             bool descending);
bool device_is_sorted(const call& started, const array_argument& x, bool descending);

// Return the suffix array (uint32 unless it is `wide` or has 2^31 entries), the LCP array, the transform as
// (data, primary index), and the text of a transform.
nb::object device_suffix_array(const call& started, const array_argument& text, bool wide);
nb::object device_lcp_array(const call& started, const array_argument& text, const array_argument& sa);
nb::tuple device_bwt(const call& started, const array_argument& text, bwt_form form);
nb::object device_inverse_bwt(const call& started, const array_argument& data, std::uint64_t primary_index,
                              bwt_form form);

// The copies of an index in the memory of GPUs, by the index of the device.
using device_index_copies = std::map<int, std::shared_ptr<const void>>;
// Return how often each pattern occurs, and (record, begin, offsets, totals) of the occurrences. The first
// call on a device adds a copy of the index to `copies`.
nb::object device_count(const call& started, const fm_index& index, device_index_copies& copies,
                        const sequences_argument& patterns);
nb::tuple device_locate(const call& started, const fm_index& index, device_index_copies& copies,
                        const sequences_argument& patterns, std::uint64_t max_hits);

// Returns (sequence, motif, begin, end, strand) of the matches.
nb::tuple device_scan(const call& started, const motif_set& motifs, const sequences_argument& batch,
                      const scan_options& options);

} // namespace weft::python
