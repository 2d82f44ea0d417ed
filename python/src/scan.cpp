// The functions of weft/scan/scan.hpp.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <weft/scan/scanner.hpp>

#include "bindings.hpp"
#include "device_functions.hpp"
#include "records.hpp"
#include "scan_motifs.hpp"
#include "sequences.hpp"

namespace weft::python {

namespace {

// The layout that weft._dtypes.MATCH describes.
static_assert(sizeof(scan_match) == 32 && offsetof(scan_match, sequence) == 0 &&
              offsetof(scan_match, motif) == 4 && offsetof(scan_match, begin) == 8 &&
              offsetof(scan_match, end) == 16 && offsetof(scan_match, strand) == 24);

match_rule rule_of(const std::string& name) {
  if (name == "ps-scan") return match_rule::ps_scan;
  if (name == "starts") return match_rule::starts;
  if (name == "ends") return match_rule::ends;
  throw nb::value_error(
      fmt::format("rule must be \"ps-scan\", \"starts\" or \"ends\", not \"{}\"", name).c_str());
}

strand_choice strands_of(const std::string& name) {
  if (name == "forward") return strand_choice::forward;
  if (name == "reverse") return strand_choice::reverse;
  if (name == "both") return strand_choice::both;
  throw nb::value_error(
      fmt::format("strand must be \"forward\", \"reverse\" or \"both\", not \"{}\"", name).c_str());
}

// The arguments of a scan: the options, and the motifs as they need them.
struct scan_arguments {
  motif_set motifs;
  scan_options options;

  // `given` is the tuple (rule, overlap, included, max_x, strand, circular).
  scan_arguments(motif_list& list, const nb::tuple& given) {
    options.rule = rule_of(read_str(given[0], "rule"));
    options.overlap = nb::cast<bool>(given[1]);
    options.included = nb::cast<bool>(given[2]);
    std::optional<int> max_x;
    if (const nb::object value = given[3]; !value.is_none() && !nb::try_cast(value, max_x.emplace()))
      throw nb::type_error("max_x must be None or an int of at most 32 bits");
    if (options.rule != match_rule::ps_scan && (!options.overlap || options.included || max_x))
      throw nb::value_error("overlap, included and max_x can be used only with rule=\"ps-scan\"");
    options.max_x = max_x.value_or(0);
    options.strands = strands_of(read_str(given[4], "strand"));
    options.circular = nb::cast<bool>(given[5]);
    motifs = list.set(max_x);
  }
  // Returns the residues that the monitor counts in a batch.
  [[nodiscard]] std::uint64_t total(const sequences_argument& batch) const {
    return batch.data.size * (options.strands == strand_choice::both ? 2 : 1);
  }
  // Returns a rough cost of a batch, in nanoseconds.
  [[nodiscard]] double cost(const sequences_argument& batch) const {
    const auto each = 2 + 0.05 * static_cast<double>(motifs.motifs().size());
    return 1e3 + each * static_cast<double>(total(batch));
  }
};

// Returns the batch, which must be in the memory of the host.
sequences_argument read_batch(nb::handle sequences, const char* function, call& started) {
  sequences_argument batch = read_sequences(sequences, "seqs", started);
  if (batch.on_gpu) refuse_device_array(function);
  return batch;
}

// Returns body(motifs, sequences, options), which runs as `started` says.
template <class Body>
auto run_scan(call& started, const scan_arguments& given, sequences_argument batch, Body body) {
  const double cost = given.cost(batch);
  const std::uint64_t total = given.total(batch);
  return started.execute(cost, total, [&given, batch = std::move(batch), body](const run_options& run) {
    scan_options options = given.options;
    options.run = run;
    return body(given.motifs, batch.view(), options);
  });
}

// Returns the matches as a structured array.
nb::object find_matches(motif_list& motifs, nb::handle sequences, const nb::tuple& options,
                        const nb::tuple& arguments) {
  call started(arguments);
  const scan_arguments given(motifs, options);
  return structured_array(run_scan(started, given, read_batch(sequences, "weft.scan", started),
                                   [](const motif_set& set, const sequences_view& batch,
                                      const scan_options& chosen) { return scan(set, batch, chosen); }),
                          "MATCH");
}

// Returns (sequence, motif, begin, end, strand) of the matches in sequences in the memory of a GPU.
nb::tuple find_device_matches(motif_list& motifs, nb::handle sequences, const nb::tuple& options,
                              const nb::tuple& arguments) {
  call started(arguments);
  const scan_arguments given(motifs, options);
  return device_scan(started, given.motifs, read_sequences(sequences, "seqs", started), given.options);
}

// Returns the number of matches of each motif.
nb::object count_matches(motif_list& motifs, nb::handle sequences, const nb::tuple& options,
                         const nb::tuple& arguments) {
  call started(arguments);
  const scan_arguments given(motifs, options);
  return numpy_array(run_scan(started, given, read_batch(sequences, "weft.scan_count", started),
                              [](const motif_set& set, const sequences_view& batch,
                                 const scan_options& chosen) { return scan_count(set, batch, chosen); }));
}

// A scan of batches that come one after another, with totals over all of them. Thread-safe.
class match_stream {
public:
  match_stream(motif_list& motifs, const nb::tuple& options) : given_(motifs, options) {
    totals_.by_motif.resize(given_.motifs.motifs().size());
  }

  // Returns the matches in a batch as a structured array, and adds them to the totals.
  nb::object feed(nb::handle sequences, const nb::tuple& arguments) {
    call started(arguments);
    sequences_argument batch = read_batch(sequences, "weft.Scanner.feed", started);
    scan_totals sum{.sequences = batch.count(), .residues = batch.data.size, .matches = 0, .by_motif = {}};
    match_vector matches =
        run_scan(started, given_, std::move(batch),
                 [&sum](const motif_set& set, const sequences_view& view, const scan_options& chosen) {
                   match_vector found = scan(set, view, chosen);
                   sum.by_motif.resize(set.motifs().size());
                   for (const scan_match& match : found) ++sum.by_motif[match.motif];
                   return found;
                 });
    sum.matches = matches.size();
    add(sum);
    return structured_array(std::move(matches), "MATCH");
  }

  // Counts the matches in a batch, without keeping them.
  void count(nb::handle sequences, const nb::tuple& arguments) {
    call started(arguments);
    sequences_argument batch = read_batch(sequences, "weft.Scanner.count", started);
    scan_totals sum{.sequences = batch.count(), .residues = batch.data.size, .matches = 0, .by_motif = {}};
    sum.by_motif = run_scan(started, given_, std::move(batch),
                            [](const motif_set& set, const sequences_view& view, const scan_options& chosen) {
                              return scan_count(set, view, chosen);
                            });
    for (const std::uint64_t matches : sum.by_motif) sum.matches += matches;
    add(sum);
  }

  // Returns (sequences, residues, matches, matches of each motif).
  nb::tuple totals() {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> by_motif = totals_.by_motif;
    return nb::make_tuple(totals_.sequences, totals_.residues, totals_.matches,
                          numpy_array(std::move(by_motif)));
  }

private:
  void add(const scan_totals& sum) {
    const std::lock_guard lock(mutex_);
    totals_.sequences += sum.sequences;
    totals_.residues += sum.residues;
    totals_.matches += sum.matches;
    for (std::size_t k = 0; k < sum.by_motif.size(); ++k) totals_.by_motif[k] += sum.by_motif[k];
  }

  scan_arguments given_;
  std::mutex mutex_;
  scan_totals totals_;
};

} // namespace

void bind_scan(nb::module_& module) {
  bind_motifs(module);
  bind_match_formats(module);
  module.def("scan", find_matches, nb::arg("motifs"), nb::arg("seqs"), nb::arg("options"), nb::arg("run"));
  module.def("scan_on_gpu", find_device_matches, nb::arg("motifs"), nb::arg("seqs"), nb::arg("options"),
             nb::arg("run"));
  module.def("is_device_batch", is_device_batch, nb::arg("value").none());
  module.def("scan_count", count_matches, nb::arg("motifs"), nb::arg("seqs"), nb::arg("options"),
             nb::arg("run"));
  nb::class_<match_stream>(module, "MatchStream")
      .def(nb::init<motif_list&, const nb::tuple&>(), nb::arg("motifs"), nb::arg("options"))
      .def("feed", &match_stream::feed, nb::arg("seqs"), nb::arg("run"))
      .def("count", &match_stream::count, nb::arg("seqs"), nb::arg("run"))
      .def("totals", &match_stream::totals);
}

} // namespace weft::python
