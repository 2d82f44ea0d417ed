// The functions on arrays in the memory of a GPU. A build without CUDA has none of them: there they throw
// UnavailableError, although no array in such memory can be read.
#pragma once

#include <cstdint>
#include <weft/lcs/lcs.hpp>

#include "device_arrays.hpp"
#include "sequences.hpp"

namespace weft::python {

// Return the number that `metric` names, and the path, of texts on a GPU.
std::uint64_t device_lcs_value(const call& started, const array_argument& a, const array_argument& b,
                               lcs_metric metric);
edit_script device_lcs_path(const call& started, const array_argument& a, const array_argument& b,
                            const lcs_options& options);
// Returns the values of all pairs, on the GPU.
nb::object device_all_pairs(const call& started, const sequences_argument& batch, const lcs_options& options,
                            bool condensed);

} // namespace weft::python
