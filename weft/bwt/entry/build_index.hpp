// Builds the bytes of an FM-index from references, on the device that the options ask for.
#pragma once

#include <weft/base/run.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::bwt_detail {

// Returns the bytes of an index. The references have been checked and have offsets. Sets the engine of the
// record. Throws what fm_index::build() throws.
[[nodiscard]] fm_writer::block build_fm_index(const sequences_view& references,
                                              const fm_build_options& options,
                                              base_detail::run_record& record);

// Does the same with rows and positions of type Index: uint32_t or uint64_t.
template <class Index>
[[nodiscard]] fm_writer::block build_fm_index_of(const sequences_view& references, fm_build_options options,
                                                 base_detail::run_record& record);

} // namespace weft::bwt_detail
