#include "scan_motifs.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <utility>
#include <weft/base/error.hpp>

#include "call.hpp"
#include "names.hpp"

namespace weft::python {

namespace {

// Throws the error for pattern `index` of a file or, if not `from_file`, of a list.
[[noreturn]] void raise_fault(const io::motif_file& file, std::size_t index, bool from_file,
                              const motif_fault& fault) {
  const io::motif_record& record = file.records[index];
  const std::string& label = record.accession.empty() ? record.name : record.accession;
  const std::string message = fmt::format("{}: expected {}\n  {}\n  {:>{}}", label, fault.expected,
                                          record.pattern, "^", fault.column);
  if (!from_file) throw parse_error("pattern", index + 1, fault.column, message);
  if (record.positions.empty()) throw parse_error(file.name, record.line, fault.column, message);
  const bool past = fault.column > record.positions.size(); // the fault is behind the last character
  const io::motif_record::position at = past ? record.positions.back() : record.positions[fault.column - 1];
  throw parse_error(file.name, at.line, at.column + (past ? 1 : 0), message);
}

motif_syntax syntax_of(nb::handle alphabet_name, bool greedy) {
  const std::string name = read_str(alphabet_name, "alphabet");
  motif_syntax syntax;
  if (name == "dna")
    syntax.alphabet = alphabet::dna;
  else if (name == "bytes")
    syntax.alphabet = alphabet::bytes;
  else if (name != "protein")
    throw nb::value_error(
        fmt::format("alphabet must be \"protein\", \"dna\" or \"bytes\", not \"{}\"", name).c_str());
  syntax.greedy = greedy;
  return syntax;
}

// Makes motifs of the columns (patterns, names, accessions, descriptions, skip flags), which have the same
// length. Without names, patterns are numbered as the command numbers those of -e.
motif_list* make_motifs(const nb::tuple& columns, nb::handle alphabet_name, bool greedy, bool from_file) {
  io::motif_file file;
  for (std::string& pattern : strings_of(columns[0])) {
    io::motif_record& record = file.records.emplace_back();
    record.pattern = std::move(pattern);
  }
  const auto read = [&](std::size_t column, std::string io::motif_record::*member) {
    std::vector<std::string> strings = strings_of(columns[column]);
    if (strings.size() != file.records.size())
      throw nb::value_error(fmt::format("there are {} names for {} patterns; give as many names as patterns",
                                        strings.size(), file.records.size())
                                .c_str());
    for (std::size_t i = 0; i < strings.size(); ++i) file.records[i].*member = std::move(strings[i]);
  };
  if (columns[1].is_none()) {
    for (std::size_t i = 0; i < file.records.size(); ++i) {
      file.records[i].name = file.records[i].pattern;
      file.records[i].accession = fmt::format("USER{:03}", i + 1);
    }
  } else {
    read(1, &io::motif_record::name);
  }
  if (!columns[2].is_none()) read(2, &io::motif_record::accession);
  if (!columns[3].is_none()) read(3, &io::motif_record::description);
  if (!columns[4].is_none()) {
    std::size_t i = 0;
    for (const nb::handle flag : nb::borrow<nb::object>(columns[4]))
      if (i < file.records.size()) file.records[i++].skip_flag = nb::cast<bool>(flag);
  }
  return new motif_list(file, syntax_of(alphabet_name, greedy), from_file);
}

// Returns (motifs, number of skipped profiles, number of skipped rules) of a file.
nb::tuple read_motifs(const nb::bytes& path, nb::handle alphabet_name, bool greedy, bool skip_frequent) {
  const motif_syntax syntax = syntax_of(alphabet_name, greedy);
  io::motif_file file = io::read_motifs(path_of(path));
  if (skip_frequent) std::erase_if(file.records, [](const auto& record) { return record.skip_flag; });
  const std::uint64_t matrices = file.matrix_entries, rules = file.rule_entries;
  return nb::make_tuple(nb::cast(new motif_list(file, syntax, true), nb::rv_policy::take_ownership), matrices,
                        rules);
}

// Returns a member of each motif as a list of str.
nb::list column(const motif_list& list, std::string motif::*member) {
  nb::list column;
  for (const motif& each : list.motifs()) column.append(str_of(each.*member));
  return column;
}

} // namespace

motif_list::motif_list(const io::motif_file& file, const motif_syntax& syntax, bool from_file)
    : syntax_(syntax), from_file_(from_file) {
  syntax_.unknown_in_sets = from_file;
  for (std::size_t i = 0; i < file.records.size(); ++i) {
    const io::motif_record& record = file.records[i];
    motif next;
    motif_fault fault;
    if (!parse_motif(record.pattern, syntax_, next, fault)) raise_fault(file, i, from_file, fault);
    next.name = record.name;
    next.accession = record.accession;
    next.description = record.description;
    next.skip_flag = record.skip_flag;
    motifs_.push_back(std::move(next));
  }
}

motif_set motif_list::set(bool unknown_in_sets) {
  const std::lock_guard lock(mutex_);
  std::optional<motif_set>& compiled = sets_[unknown_in_sets ? 1 : 0];
  if (compiled) return *compiled;
  motif_syntax syntax = syntax_;
  syntax.unknown_in_sets = unknown_in_sets;
  std::vector<motif> motifs = motifs_;
  if (unknown_in_sets != syntax_.unknown_in_sets)
    for (motif& each : motifs) {
      const motif parsed = parse_motif(each.pattern, syntax);
      each.elements = parsed.elements;
    }
  return compiled.emplace(std::move(motifs), syntax);
}

void bind_motifs(nb::module_& module) {
  nb::class_<motif_list>(module, "MotifList")
      .def("__len__", [](const motif_list& list) { return list.motifs().size(); })
      .def("names", [](const motif_list& list) { return column(list, &motif::name); })
      .def("accessions", [](const motif_list& list) { return column(list, &motif::accession); })
      .def("descriptions", [](const motif_list& list) { return column(list, &motif::description); })
      .def("patterns", [](const motif_list& list) { return column(list, &motif::pattern); })
      .def("skip_flags", [](const motif_list& list) {
        nb::list flags;
        for (const motif& each : list.motifs()) flags.append(each.skip_flag);
        return flags;
      });
  module.def("make_motifs", make_motifs, nb::arg("columns"), nb::arg("alphabet").none(), nb::arg("greedy"),
             nb::arg("from_file"), nb::rv_policy::take_ownership);
  module.def("read_motifs", read_motifs, nb::arg("path"), nb::arg("alphabet").none(), nb::arg("greedy"),
             nb::arg("skip_frequent"));
}

} // namespace weft::python
