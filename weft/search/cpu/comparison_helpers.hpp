// Other processes that help with a comparison: the ranks of a job (weft/multi/variants.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
#include <weft/search/cpu/anchors.hpp>
#include <weft/search/cpu/block_alignment.hpp>

namespace weft::search_detail {

// Returns the bytes that the texts and the k-mers of genomes take: the placed text and a reverse complement
// are further copies of B.
[[nodiscard]] std::uint64_t memory_of_texts(std::uint64_t a_size, std::uint64_t b_size);

// Throws memory_error if the memory of the run does not suffice for texts and k-mers.
void check_memory(std::uint64_t a_size, std::uint64_t b_size, const run_options& run);

// The processes that help the one that compares two genomes. compare_genomes() calls them through its
// options. Their results are those of one process. If they fail, they throw what any of the processes throws.
class comparison_helpers {
public:
  // Returns whether it is faster to find the anchors of genomes of so many letters together.
  [[nodiscard]] virtual bool are_worthwhile(std::uint64_t letters) const = 0;
  // Returns the anchors of two texts, as a table of the k-mers of a and an anchor_search find them. Together,
  // the processes add the work of both to their runs.
  [[nodiscard]] virtual strand_anchors find_anchors(const genome_text& a, const genome_text& b,
                                                    const genome_text& b_reverse, std::uint64_t k,
                                                    std::uint64_t max_anchors, const run_options& run) = 0;

  // Returns whether it is faster to close gaps together.
  [[nodiscard]] virtual bool are_worthwhile(std::span<const anchor_gap> gaps) const = 0;
  // Returns what search_detail::close_gaps() returns.
  [[nodiscard]] virtual std::vector<edit_script> close_gaps(std::span<const anchor_gap> gaps,
                                                            std::string_view a, std::string_view b,
                                                            const affine_penalties& penalties,
                                                            const run_options& run) = 0;

protected:
  ~comparison_helpers() = default;
};

} // namespace weft::search_detail
