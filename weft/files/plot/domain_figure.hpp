// The figure of `weft scan --plot`: the domains of sequences, drawn along lines of one scale.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/plot/domain_rows.hpp>
#include <weft/files/plot/figure.hpp>
#include <weft/files/plot/picture.hpp>
#include <weft/scan/scan.hpp>

namespace weft::files {

// The kinds of files that domain_plot() can draw.
inline constexpr std::array domain_plot_kinds = {plot_kind::svg, plot_kind::pdf, plot_kind::html};

// A figure with a width of 180 mm, and sentences about what it could not show. The figure contains these
// sentences as well.
struct domain_figure {
  figure drawn;
  std::vector<std::string> notes;
};

// How a user chooses the sequences and the motifs that a figure draws, for its notes on what it leaves out:
// the figure of the command names flags here. A note has no hint if the text is empty.
struct domain_choices {
  std::string_view sequences, motifs;
};

// Lays out the rows of the figure. Domains of proteins are drawn on the line. Domains of DNA are drawn above
// it, or below it if they are on the reverse strand. Domains that overlap are drawn in several lanes. Up to
// 21 motifs have their own styles; if there are more, the motifs with the fewest matches are grey.
[[nodiscard]] domain_figure draw_domains(const domain_rows& rows, const motif_set& motifs,
                                         const domain_choices& chosen_by = {});

// Returns the bytes of a file of this kind.
[[nodiscard]] std::string domain_plot(plot_kind kind, const figure& drawn);

} // namespace weft::files
