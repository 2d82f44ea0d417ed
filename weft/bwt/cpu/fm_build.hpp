// Builds the bytes of an FM-index from references.
#pragma once

#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::detail {

[[nodiscard]] fm_writer::block build_fm_index(const sequences_view& references,
                                              const fm_build_options& options);

// Builds an index with rows and positions of type Index: uint32_t or uint64_t.
template <class Index>
[[nodiscard]] fm_writer::block build_fm_index_of(const sequences_view& references, fm_build_options options);

} // namespace weft::detail
