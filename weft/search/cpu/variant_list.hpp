// Lists the variants of a block of two genomes from the path of its alignment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include <weft/search/variants.hpp>

namespace weft::search_detail {

// Returns the variants of block number `block_number`, ordered by their position in A. `a` and `b` are the
// whole records of the block, in the letters A, C, G, T and N, and on their forward strands. The path must
// lead through the letters [a_begin, a_end) and [b_begin, b_end) of the block.
//
// A substitution is a variant of its own. An insertion or a deletion moves to the left while the step before
// it is a match and the letter before it equals its last letter. If it then touches an insertion, a deletion
// or a substitution, the two become one replacement, without the letters that both of its ends share; if only
// an insertion or a deletion remains, it moves on. The path is walked from its end, so an insertion or a
// deletion meets those to the left of it before they move. Letters N are equal to no letter. Variants with an
// N are left out, and what touches a substitution of an N is not joined with it.
//
// O(letters of the block), also within repeats: no step of the path is crossed twice.
[[nodiscard]] std::vector<genome_variant> list_variants(const genome_block& block, std::uint64_t block_number,
                                                        std::string_view a, std::string_view b);

} // namespace weft::search_detail
