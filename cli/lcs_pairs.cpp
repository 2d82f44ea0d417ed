#include <cli/lcs_pairs.hpp>

#include <cli/lcs_lines.hpp>
#include <cli/lcs_residues.hpp>
#include <cli/memory_budget.hpp>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>
#include <weft/files/formats/lcs_formats.hpp>
#include <weft/io/escape.hpp>
#include <weft/io/json.hpp>

namespace weft::cli {

namespace {

using names = std::vector<std::string>;
using numbers = std::vector<std::uint64_t>;

void write_table(const names& record_names, const numbers& values, io::output_file& out) {
  std::string row;
  for (std::size_t i = 0, at = 0; i < record_names.size(); ++i) {
    row = io::escaped(record_names[i]);
    for (std::size_t j = 0; j < i; ++j) fmt::format_to(std::back_inserter(row), "\t{}", values[at++]);
    row += '\n';
    out.write(row);
  }
}

void write_objects(const names& record_names, const numbers& values, std::string_view key,
                   io::output_file& out) {
  for (std::size_t i = 0, at = 0; i < record_names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      out.write(fmt::format("{{\"a\":{},\"b\":{},\"{}\":{}}}\n", io::json_string(record_names[i]),
                            io::json_string(record_names[j]), key, values[at++]));
}

} // namespace

std::function<void(io::output_file&)> compare_all_pairs(const arguments& given, lcs_options options,
                                                        double& cells) {
  memory_budget memory(given.size("memory"));
  residue_set set = read_residue_set(given, given.value("all-pairs"), memory);
  set.set_letters(given, options);
  io::sequence_chunk& records = set.records;
  memory.hold(3 * records.residues.size(), "the engines for sequences of these lengths");
  options.run.memory = memory.left();
  numbers values = lcs_all_pairs({records.residues, records.offsets}, options);
  for (std::uint64_t i = 0; i < records.count(); ++i)
    cells += static_cast<double>(records.offsets[i]) * static_cast<double>(records.sequence(i).size());
  return [record_names = std::move(records.names), values = std::move(values), metric = options.metric,
          format = path_format(given)](io::output_file& out) {
    if (format == "jsonl")
      write_objects(record_names, values, files::value_key(metric), out);
    else
      write_table(record_names, values, out);
  };
}

} // namespace weft::cli
