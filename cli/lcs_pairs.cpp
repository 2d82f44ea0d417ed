#include <cli/lcs_pairs.hpp>

#include <cli/lcs_lines.hpp>
#include <cli/lcs_residues.hpp>
#include <cli/memory_budget.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include <weft/files/formats/lcs_formats.hpp>

namespace weft::cli {

std::function<void(io::output_file&)> compare_all_pairs(const arguments& given, lcs_options options,
                                                        double& cells) {
  memory_budget memory(given.size("memory"));
  residue_set set = read_residue_set(given, given.value("all-pairs"), memory);
  set.set_letters(given, options);
  io::sequence_chunk& records = set.records;
  memory.hold(3 * records.residues.size(), "the engines for sequences of these lengths");
  options.run.memory = memory.left();
  std::vector<std::uint64_t> values = lcs_all_pairs({records.residues, records.offsets}, options);
  for (std::uint64_t i = 0; i < records.count(); ++i)
    cells += static_cast<double>(records.offsets[i]) * static_cast<double>(records.sequence(i).size());
  return [record_names = std::move(records.names), values = std::move(values), metric = options.metric,
          format = path_format(given)](io::output_file& out) {
    if (format == "jsonl")
      files::write_pair_objects(out, record_names, values, files::value_key(metric));
    else
      files::write_pair_table(out, record_names, values);
  };
}

} // namespace weft::cli
