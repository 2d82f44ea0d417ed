// The wavelet matrix of an index that the ranks of a job make together.
#pragma once

#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/files/ranks/index_output.hpp>
#include <weft/files/ranks/index_rows.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// Writes the ranks of an alphabet of `levels` bits. `codes` are those before the rows of this rank, of type
// unsigned char or std::uint16_t. At each level, every rank sorts its codes by a bit, and sends them to the
// ranks that have their places on the next level.
//
// Traffic: for each level but the last one, each code, unless its rank keeps it. Memory: the codes twice, and
// 1.2 bits for each code and level.
template <class Code>
void write_levels(multi::communicator& ranks, const row_shares& shares, unwritten_vector<Code> codes,
                  int levels, const run_options& run, index_output& out);

} // namespace weft::files
