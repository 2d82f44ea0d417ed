// The texts and the page of matches, as the command writes them.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/io/output_file.hpp>

#include "names.hpp"
#include "records.hpp"
#include "scan_motifs.hpp"
#include "sequences.hpp"

namespace weft::python {

namespace {

// Matches, and all that the formats show beside them.
struct match_table {
  motif_set motifs;
  sequences_argument batch;
  std::vector<std::string> names, descriptions; // an entry for each sequence, or none
  std::vector<scan_match> matches;
  std::string format;
  bool circular;
  std::string motifs_from, sequences_from; // for the page: names of the files

  // Throws ValueError unless each match is of a motif of the set and within its sequence, and each sequence
  // has a name and a description if any has one.
  void check() const {
    const sequences_view view = batch.view();
    for (const auto* column : {&names, &descriptions})
      if (!column->empty() && column->size() != view.count())
        throw nb::value_error("the sequences must have a name and a description each, or none");
    for (const scan_match& match : matches) {
      const bool known = match.sequence < view.count() && match.motif < motifs.motifs().size();
      const std::uint64_t size = known ? view.size(match.sequence) : 0;
      if (!known || match.begin > match.end || match.begin > size || match.end - match.begin > size ||
          match.end > (circular ? 2 * size : size) || static_cast<unsigned char>(match.strand) > 1)
        throw nb::value_error("records has a match that is not of these motifs in these sequences");
    }
  }
  // Appends a sequence to a chunk. A sequence without a name is called by its number.
  void add_sequence(io::sequence_chunk& chunk, std::uint32_t sequence) const {
    chunk.names.push_back(names.empty() ? fmt::format("{}", sequence) : names[sequence]);
    chunk.descriptions.push_back(descriptions.empty() ? std::string() : descriptions[sequence]);
    chunk.residues += batch.view()[sequence];
    chunk.offsets.push_back(chunk.residues.size());
  }
};

// Passes the text of the matches to `write`, piece by piece. Copies the residues of some sequences at a time.
template <class Write> void format_matches(const match_table& table, const run_options& run, Write write) {
  constexpr std::size_t max_residues = std::size_t{1} << 22, max_matches = std::size_t{1} << 16;
  const files::match_writer writer(table.format, table.motifs, table.circular);
  scan_totals sum{.sequences = table.batch.count(),
                  .residues = table.batch.data.size,
                  .matches = table.matches.size(),
                  .by_motif = std::vector<std::uint64_t>(table.motifs.motifs().size())};
  write(writer.header());
  io::sequence_chunk chunk;
  std::vector<scan_match> block;
  std::string text;
  for (std::size_t i = 0; i < table.matches.size();) {
    chunk.clear();
    block.clear();
    for (; i < table.matches.size(); ++i) {
      const scan_match& match = table.matches[i];
      if (block.empty() || match.sequence != table.matches[i - 1].sequence) {
        if (chunk.residues.size() >= max_residues || block.size() >= max_matches) break;
        table.add_sequence(chunk, match.sequence);
      }
      ++sum.by_motif[match.motif];
      block.push_back(match);
      block.back().sequence = static_cast<std::uint32_t>(chunk.count() - 1);
    }
    for (std::size_t first = 0; first < block.size(); first += max_matches) {
      base_detail::check_cancelled(run);
      const std::size_t last = std::min(block.size(), first + max_matches);
      text.clear();
      writer.append(text, chunk, block, first, last);
      write(text);
      base_detail::add_work(run, last - first);
    }
  }
  if (table.format == "html")
    write(files::page_end(table.motifs, table.motifs_from, {table.sequences_from}, sum));
}

// Returns the text of a table, or writes it to the file and returns None. `batch` is (data, offsets, names,
// descriptions).
nb::object write_matches(motif_list& motifs, std::optional<int> max_x, nb::handle records,
                         const nb::tuple& batch, const std::string& format, bool circular,
                         const nb::tuple& sources, nb::handle path, const nb::tuple& arguments) {
  constexpr std::array<std::string_view, 8> formats{"tsv",  "pff", "scan",  "fasta",
                                                    "gff3", "bed", "jsonl", "html"};
  if (std::find(formats.begin(), formats.end(), format) == formats.end())
    throw nb::value_error(fmt::format("format must be \"tsv\", \"pff\", \"scan\", \"fasta\", \"gff3\", "
                                      "\"bed\", \"jsonl\" or \"html\", not \"{}\"",
                                      format)
                              .c_str());
  call started(arguments);
  match_table table{.motifs = motifs.set(max_x),
                    .batch = read_sequences(nb::make_tuple(batch[0], batch[1]), "seqs", started),
                    .names = strings_of(batch[2]),
                    .descriptions = strings_of(batch[3]),
                    .matches = records_of<scan_match>(records),
                    .format = format,
                    .circular = circular,
                    .motifs_from = bytes_of(sources[0]),
                    .sequences_from = bytes_of(sources[1])};
  table.check();
  const std::uint64_t total = table.matches.size();
  const double cost = 200 * static_cast<double>(total);
  if (path.is_none())
    return str_of(started.execute(cost, total, [table = std::move(table)](const run_options& run) {
      std::string text;
      format_matches(table, run, [&](std::string_view piece) { text += piece; });
      return text;
    }));
  const std::string file = path_of(nb::bytes(path));
  if (file.empty()) throw io_error("open", file, ENOENT);
  started.execute(cost, total, [table = std::move(table), file](const run_options& run) {
    io::output_file out(file);
    format_matches(table, run, [&](std::string_view piece) { out.write(piece); });
    out.commit();
  });
  return nb::none();
}

} // namespace

void bind_match_formats(nb::module_& module) {
  module.def("write_matches", write_matches, nb::arg("motifs"), nb::arg("max_x").none(), nb::arg("records"),
             nb::arg("batch"), nb::arg("format"), nb::arg("circular"), nb::arg("sources"),
             nb::arg("path").none(), nb::arg("run"));
}

} // namespace weft::python
