// Builds the bytes of an FM-index from references, on the device that the options ask for.
#pragma once

#include <weft/base/run.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::bwt_detail {

// An fm_plan is what is known of an index before its suffixes are sorted.
struct fm_plan {
  fm_build_options options; // with a sample rate, and with contexts for DNA only
  fm_extent extent;
  section_sizes sizes;
  std::uint64_t num_contexts;
  fm_header header; // without sections and checksums
};
// Plans an index with rows and positions of type Index: uint32_t or uint64_t. O(n).
template <class Index>
[[nodiscard]] fm_plan plan_index(const sequences_view& references, fm_build_options options);

// Writes the sections that do not depend on the order of the suffixes, but for the text of DNA, and the coded
// text.
void write_references(const fm_plan& plan, const sequences_view& references, const fm_writer& writer,
                      fm_symbols& symbols);

// Returns the bytes of an index. The references have been checked and have offsets. Sets the engine of the
// record. Throws what fm_index::build() throws.
[[nodiscard]] fm_writer::block build_fm_index(const sequences_view& references,
                                              const fm_build_options& options,
                                              base_detail::run_record& record);

// Does the same with rows and positions of type Index: uint32_t or uint64_t.
template <class Index>
[[nodiscard]] fm_writer::block build_fm_index_of(const sequences_view& references,
                                                 const fm_build_options& options,
                                                 base_detail::run_record& record);

} // namespace weft::bwt_detail
