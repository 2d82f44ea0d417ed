#include <weft/files/formats/scan_formats.hpp>

#include <filesystem>
#include <fmt/format.h>
#include <weft/base/version.hpp>
#include <weft/files/formats/text_formats.hpp>

namespace weft::files {

extern const std::string_view scan_page, scan_page_script; // scan_page.html, scan_page.js

namespace {

constexpr std::string_view data_marker = "{{data}}", script_marker = "{{script}}"; // in the order of the page

// Returns the file name of a path, because a page that is shared should not show where files are on the
// user's machine.
std::string file_title(const std::string& path) {
  return page_string(path == "-" || path == "<stdin>" ? "standard input"
                                                      : std::filesystem::path(path).filename().string());
}

} // namespace

std::string page_begin() {
  return std::string(scan_page.substr(0, scan_page.find(data_marker))) +
         R"({"rows":[["sequence","description","length","motif","begin","end","match"])";
}

std::string page_end(const motif_set& motifs, const std::string& motifs_from,
                     const std::vector<std::string>& sequences_from, const scan_totals& sum) {
  std::vector<std::string> lines, files;
  for (std::size_t k = 0; k < motifs.motifs().size(); ++k)
    if (const motif& m = motifs.motifs()[k]; sum.by_motif[k] > 0)
      lines.push_back(fmt::format("[{},{},{},{},{},{}]", k, page_string(m.accession), page_string(m.name),
                                  page_string(m.description), page_string(m.pattern), sum.by_motif[k]));
  for (const std::string& file : sequences_from) files.push_back(file_title(file));
  const std::string_view behind = scan_page.substr(scan_page.find(data_marker) + data_marker.size());
  const std::size_t at = behind.find(script_marker);
  return fmt::format("],\n\"motifs\":[{}],\n\"motifs_from\":{},\"sequences_from\":[{}],\"dna\":{},"
                     "\"motifs_searched\":{},\"sequences\":{},\"residues\":{},\"matches\":{},"
                     "\"weft\":\"{}\"}}{}{}{}",
                     fmt::join(lines, ",\n"), file_title(motifs_from), fmt::join(files, ","),
                     motifs.syntax().alphabet == alphabet::dna, motifs.motifs().size(), sum.sequences,
                     sum.residues, sum.matches, WEFT_VERSION, behind.substr(0, at), scan_page_script,
                     behind.substr(at + script_marker.size()));
}

} // namespace weft::files
