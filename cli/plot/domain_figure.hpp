// The figure of weft scan --plot: the domains of sequences, along lines of one scale.
#pragma once

#include <array>
#include <cli/plot/domain_rows.hpp>
#include <cli/plot/figure.hpp>
#include <cli/plot/plot_files.hpp>
#include <string>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::cli {

// The kinds that domain_plot() draws.
inline constexpr std::array domain_plot_kinds = {plot_kind::svg, plot_kind::pdf, plot_kind::html};

// A figure, 180 mm wide, and what it could not show, in sentences; the figure has them as well.
struct domain_figure {
  figure drawn;
  std::vector<std::string> notes;
};

// Lays out the rows. Domains of proteins lie on the line, those of DNA above it, or on the reverse strand
// below; where domains overlap they lie in several lanes. Every motif has its colour or colours, up to 21; of
// more the rarest ones are grey.
[[nodiscard]] domain_figure draw_domains(const domain_rows& rows, const motif_set& motifs);

// Returns the bytes of the file.
[[nodiscard]] std::string domain_plot(plot_kind kind, const figure& drawn);

} // namespace weft::cli
