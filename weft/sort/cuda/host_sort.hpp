// Sorts numbers of host memory on a GPU: the engine gpu of the functions of weft/sort/sort.hpp.
#pragma once

#include <weft/sort/engines.hpp>

namespace weft::sort_detail {

// Solves a problem of numbers, other than of segments, on the GPU that its options name, or on the first one.
// If the options ask for a GPU and the numbers do not fit its memory, sorts them in runs, which are merged on
// the host; merging takes as much memory again as the result. Throws memory_error if the numbers do not fit
// otherwise, having done nothing.
void sort_numbers_of_host(const sort_problem& problem);

} // namespace weft::sort_detail
