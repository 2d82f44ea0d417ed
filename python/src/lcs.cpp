// The functions of weft/lcs/lcs.hpp, and the texts and pictures of its paths.
#include <algorithm>
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/formats/lcs_formats.hpp>
#include <weft/files/plot/lcs_plot.hpp>
#include <weft/files/plot/strand_anchors.hpp>
#include <weft/lcs/lcs.hpp>

#include "bindings.hpp"
#include "device_functions.hpp"
#include "integers.hpp"
#include "records.hpp"
#include "sequences.hpp"

namespace weft::python {

namespace {

// A rough cost of a table of this many cells, in nanoseconds.
double cost_of(double cells) { return cells / 20; }

lcs_metric metric_of(const std::string& name) {
  if (name == "lcs") return lcs_metric::lcs;
  if (name == "indel") return lcs_metric::indel;
  if (name == "edit") return lcs_metric::edit;
  if (name == "affine") return lcs_metric::affine;
  throw nb::value_error(
      fmt::format("metric must be \"lcs\", \"indel\", \"edit\" or \"affine\", not \"{}\"", name).c_str());
}

// The texts of a comparison, of the same type of symbols.
struct text_pair {
  text_argument a, b;

  text_pair(nb::handle first, nb::handle second, const call& started)
      : a(read_text(first, "a", {io::element_type::u8, io::element_type::u32}, started)),
        b(read_text(second, "b", {io::element_type::u8, io::element_type::u32}, started)) {
    if (a.symbols.type != b.symbols.type)
      throw nb::type_error("a and b must both consist of bytes, or both be arrays of uint32");
    if (a.symbols.device != b.symbols.device)
      throw nb::value_error("a and b must be in the memory of the same device");
    if (a.symbols.on_gpu() && a.symbols.type != io::element_type::u8)
      throw unavailable_error("texts in the memory of a GPU must consist of bytes: copy arrays of uint32 to "
                              "the host first");
  }
  [[nodiscard]] double cells() const {
    return static_cast<double>(a.symbols.size) * static_cast<double>(b.symbols.size);
  }
  // Calls body(a, b) with the texts as the library takes them.
  template <class Body> auto visit(Body body) const {
    if (a.symbols.type == io::element_type::u8) return body(a.bytes(), b.bytes());
    const auto numbers = [](const text_argument& text) {
      return std::span<const std::uint32_t>(text.symbols.items<std::uint32_t>());
    };
    return body(numbers(a), numbers(b));
  }
};

// The monitor counts in units of 2^20 cells.
std::uint64_t total_of(double cells) { return static_cast<std::uint64_t>(cells / (1 << 20)) + 1; }

std::uint64_t value(nb::handle a, nb::handle b, lcs_metric metric, const nb::tuple& arguments) {
  call started(arguments);
  text_pair texts(a, b, started);
  if (texts.a.symbols.on_gpu()) {
    started.refuse_engine("a");
    return device_lcs_value(started, texts.a.symbols, texts.b.symbols, metric);
  }
  const double cells = texts.cells();
  return started.execute(cost_of(cells), total_of(cells),
                         [texts = std::move(texts), metric](const run_options& run) {
                           return texts.visit([&](auto first, auto second) {
                             return lcs_value(first, second, {.metric = metric, .run = run});
                           });
                         });
}

// The arguments that align() and all_pairs() share: what is optimal, and which letters equal any or none.
lcs_options options_of(const nb::tuple& scoring) {
  lcs_options options{.metric = metric_of(read_str(scoring[0], "metric")),
                      .wildcards = read_str(scoring[1], "wildcards"),
                      .unmatched = read_str(scoring[2], "unmatched")};
  const auto penalty = [&](int index, const char* name) {
    return static_cast<std::uint32_t>(read_integer(scoring[index], name, max_affine_penalty));
  };
  options.penalties = {penalty(3, "gap_open"), penalty(4, "gap_extend"), penalty(5, "mismatch")};
  return options;
}

// Returns (runs, value, identity, matches, substitutions, insertions, deletions, len(a), len(b)).
nb::tuple align(nb::handle a, nb::handle b, const nb::tuple& scoring, const nb::tuple& arguments) {
  call started(arguments);
  text_pair texts(a, b, started);
  const lcs_options options = options_of(scoring);
  const std::uint64_t m = texts.a.symbols.size, n = texts.b.symbols.size;
  edit_script path;
  if (texts.a.symbols.on_gpu()) {
    path = device_lcs_path(started, texts.a.symbols, texts.b.symbols, options);
  } else {
    const double cells = texts.cells();
    path = started.execute(
        cost_of(cells), total_of(cells), [texts = std::move(texts), options](const run_options& run) {
          lcs_options with_run = options;
          with_run.run = run;
          return texts.visit([&](auto first, auto second) { return lcs(first, second, with_run); });
        });
  }
  const files::compared_value result = files::value_of_path(path, options);
  const double identity = files::identity(result, m, n);
  return nb::make_tuple(structured_array(std::move(path.runs), "RUN"), result.value, identity, path.matches,
                        path.substitutions, path.insertions, path.deletions, m, n);
}

// Returns the strictly upper triangle by rows, as SciPy has it, of a strictly lower triangle by rows.
std::vector<std::uint64_t> upper_triangle(const std::vector<std::uint64_t>& lower, std::uint64_t count) {
  std::vector<std::uint64_t> upper;
  upper.reserve(lower.size());
  for (std::uint64_t i = 0; i < count; ++i)
    for (std::uint64_t j = i + 1; j < count; ++j) upper.push_back(lower[j * (j - 1) / 2 + i]);
  return upper;
}

// Throws memory_error unless the matrix of all pairs and the triangle that it is made of fit in memory.
void require_matrix_memory(std::uint64_t count) {
  constexpr std::uint64_t unchecked_count = 4096, max_count = std::uint64_t{1} << 30;
  if (count <= unchecked_count) return;
  const std::uint64_t bytes = 12 * std::min(count, max_count) * std::min(count, max_count);
  if (bytes > memory_limit(0))
    throw memory_error(fmt::format("the matrix of {} sequences needs at least {} of memory, more than is "
                                   "available: pass condensed=True, which needs less",
                                   count, format_size(bytes)));
}

// Returns the values of all pairs: the strictly upper triangle by rows or, if not `condensed`, the matrix.
numpy_object all_pairs(nb::handle seqs, const nb::tuple& scoring, bool condensed,
                       const nb::tuple& arguments) {
  call started(arguments);
  sequences_argument batch = read_sequences(seqs, "seqs", started);
  lcs_options options = options_of(scoring);
  if (batch.on_gpu) return nb::borrow<numpy_object>(device_all_pairs(started, batch, options, condensed));
  const std::uint64_t count = batch.count();
  if (!condensed) require_matrix_memory(count);
  const double cells = 0.5 * static_cast<double>(batch.data.size) * static_cast<double>(batch.data.size);
  const double pair_cost = 50, num_pairs = 0.5 * static_cast<double>(count) * static_cast<double>(count);
  std::vector<std::uint64_t> values =
      started.execute(cost_of(cells) + pair_cost * num_pairs, total_of(cells),
                      [&batch, options, count, condensed](const run_options& run) {
                        lcs_options with_run = options;
                        with_run.run = run;
                        const sequences_view view = batch.view();
                        std::vector<std::uint64_t> triangle = lcs_all_pairs(view, with_run);
                        if (condensed) return upper_triangle(triangle, count);
                        std::vector<std::uint64_t> matrix(count * count);
                        for (std::uint64_t i = 0, next = 0; i < count; ++i) {
                          if (options.metric == lcs_metric::lcs) matrix[i * count + i] = view.size(i);
                          for (std::uint64_t j = 0; j < i; ++j, ++next)
                            matrix[i * count + j] = matrix[j * count + i] = triangle[next];
                        }
                        return matrix;
                      });
  const numpy_object array = numpy_array(std::move(values));
  return condensed ? array : nb::borrow<numpy_object>(array.attr("reshape")(count, count));
}

std::vector<edit_run> runs_of(nb::handle runs) { return records_of<edit_run>(runs); }

// Returns the runs as in CIGAR.
std::string cigar(nb::handle runs) { return files::operations(runs_of(runs)); }

// Returns a run with the positions in a and b at which it begins and ends.
numpy_object opcodes(nb::handle runs) {
  std::vector<opcode_record> codes;
  std::uint64_t i = 0, j = 0;
  for (const edit_run& run : runs_of(runs)) {
    opcode_record code{.op = static_cast<char>(run.op), .a_begin = i, .b_begin = j};
    if (run.op != edit_op::insert) i += run.length;
    if (run.op != edit_op::remove) j += run.length;
    code.a_end = i;
    code.b_end = j;
    codes.push_back(code);
  }
  return structured_array(std::move(codes), "OPCODE");
}

// Throws ValueError unless the runs are a path through texts of m and n symbols.
void check_runs(const std::vector<edit_run>& runs, std::uint64_t m, std::uint64_t n) {
  std::uint64_t a_left = m, b_left = n;
  for (const edit_run& run : runs) {
    const bool in_a = run.op != edit_op::insert, in_b = run.op != edit_op::remove;
    if ((in_a && run.length > a_left) || (in_b && run.length > b_left))
      throw nb::value_error("runs must be those of an alignment of texts of a_length and b_length symbols");
    if (in_a) a_left -= run.length;
    if (in_b) b_left -= run.length;
  }
}

// Returns the bytes of a picture of the path: svg, png or html.
nb::bytes plot(nb::handle runs, std::uint64_t m, std::uint64_t n, const std::string& a_name,
               const std::string& b_name, const std::string& kind) {
  using files::plot_kind;
  if (kind != "svg" && kind != "png" && kind != "html")
    throw nb::value_error(
        fmt::format("the path of a plot must end in .svg, .png or .html, not '{}'", kind).c_str());
  if (kind == "png" && !files::has_png())
    throw nb::value_error("this weft was built without libpng and cannot write .png: choose .svg or .html");
  const std::vector<edit_run> path = runs_of(runs);
  check_runs(path, m, n);
  const files::plot_subject subject{a_name, b_name, "symbols", {}};
  const std::string image = files::plot(kind == "svg"   ? plot_kind::svg
                                        : kind == "png" ? plot_kind::png
                                                        : plot_kind::html,
                                        subject, path, m, n);
  return nb::bytes(image.data(), image.size());
}

} // namespace

void bind_lcs(nb::module_& module) {
  const auto bind_value = [&](const char* name, lcs_metric metric) {
    module.def(
        name, [metric](nb::handle a, nb::handle b, const nb::tuple& run) { return value(a, b, metric, run); },
        nb::arg("a").none(), nb::arg("b").none(), nb::arg("run"));
  };
  bind_value("lcs_length", lcs_metric::lcs);
  bind_value("indel_distance", lcs_metric::indel);
  bind_value("edit_distance", lcs_metric::edit);
  module.def("align", align, nb::arg("a").none(), nb::arg("b").none(), nb::arg("scoring"), nb::arg("run"));
  module.def("all_pairs", all_pairs, nb::arg("seqs").none(), nb::arg("scoring"), nb::arg("condensed"),
             nb::arg("run"));
  module.def("cigar", cigar, nb::arg("runs"));
  module.def("opcodes", opcodes, nb::arg("runs"));
  module.def("plot_path", plot, nb::arg("runs"), nb::arg("a_length"), nb::arg("b_length"), nb::arg("a_name"),
             nb::arg("b_name"), nb::arg("kind"));
}

} // namespace weft::python
