// Finds maximal matches on a GPU.
#pragma once

#include <weft/bwt/cuda/fm/fm_search.hpp>
#include <weft/bwt/engines.hpp>

namespace weft::bwt_detail {

// Does what find_matches() of entry/solve.hpp does, on the given GPU, for matches of kind mem. The queries
// are not empty.
//
// Memory        of the GPU: the index; a quarter of a byte for each letter of the queries and strand, 16
//               bytes a stretch of bases and 8 a record; and buffers of at most 1 GB, which become smaller if
//               less is free. Of the host: the packed queries, and a part of the matches.
// Throws        memory_error, only before the first matches are passed on; device_error.
void find_matches_on_device(const fm_match_problem& problem, fm_device_copies& copies, int gpu);

} // namespace weft::bwt_detail
