// The suite of `weft-bench scan`.
#include <algorithm>
#include <bench/bench.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <bench/scan/gpu_scans.hpp>
#include <bench/scan/hyperscan.hpp>
#include <bench/scan/inputs.hpp>
#include <fmt/format.h>
#include <memory>
#include <weft/base/error.hpp>
#include <weft/io/checksum.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::bench {

namespace {

// The task of a case: to find matches by a rule, or only the starts of matches, by the searches of engines on
// a GPU.
enum class task { ps_scan, starts, ends, search_starts };

constexpr match_rule rule_of(task asked) {
  return asked == task::ps_scan ? match_rule::ps_scan
         : asked == task::ends  ? match_rule::ends
                                : match_rule::starts;
}
constexpr const char* name_of(task asked) {
  switch (asked) {
  case task::ps_scan:
    return "ps-scan";
  case task::starts:
    return "starts";
  case task::ends:
    return "ends";
  default:
    return "search-starts";
  }
}
constexpr digested digested_by(task asked) {
  return asked == task::ends            ? digested::ends
         : asked == task::search_starts ? digested::begins
                                        : digested::begins_and_ends;
}

// The definition of a case. The cases of `ends` are in the order of their cells, because the times of each
// predict those of the next one, whatever its number of motifs.
struct definition {
  task asked;
  int motifs;
  const char* size_name;
  std::uint64_t residues;
  std::uint64_t expected; // digest_of() the matches
  bool on_request = false;
};

constexpr definition definitions[] = {
    {task::ps_scan, 16, "200k", 200'000, 0x42ead615494bd4e1},
    {task::ps_scan, 16, "20M", 20'000'000, 0x8ab9f83bc877546b},
    {task::ps_scan, 1309, "20k", 20'000, 0x3dff08350778f269},
    {task::ps_scan, 1309, "500k", 500'000, 0xf51245ba6adf71af},
    {task::ps_scan, 1309, "10M", 10'000'000, 0x1de2a587b419f5c0, true},
    {task::ps_scan, 1309, "50M", 50'000'000, 0xd4e44717f9f4e3ca},
    {task::ps_scan, 1309, "180M", 180'000'000, 0x983193c877eb41dd},
    {task::starts, 1309, "20k", 20'000, 0xbd714e0b28b31fe9, true},
    {task::starts, 1309, "500k", 500'000, 0x696605dd5a4b5974, true},
    {task::starts, 1309, "10M", 10'000'000, 0x0a807730af663c5e, true},
    {task::starts, 1309, "180M", 180'000'000, 0x675edf1a9a3e7571, true},
    {task::ends, 1309, "20k", 20'000, 0xde4977913f5f4f60},
    {task::ends, 1309, "500k", 500'000, 0xaa4f40f90ce1858d},
    {task::ends, 100, "10M", 10'000'000, 0xe90093c4dc150d6a, true},
    {task::ends, 200, "10M", 10'000'000, 0xa66e1c5bffed023b, true},
    {task::ends, 400, "10M", 10'000'000, 0x72478ab71e2eeb91, true},
    {task::ends, 1309, "5M", 5'000'000, 0xc067fae71f306d40},
    {task::ends, 800, "10M", 10'000'000, 0x96b098a34acef860, true},
    {task::ends, 1309, "10M", 10'000'000, 0x6acbdbe79fc2e02c, true},
    {task::ends, 1600, "10M", 10'000'000, 0xf91ecd41f19fb62b, true},
    {task::ends, 100, "180M", 180'000'000, 0xc3c5413b72726d78, true},
    {task::ends, 200, "180M", 180'000'000, 0x1e377b489391c505, true},
    {task::ends, 400, "180M", 180'000'000, 0xfa5cfb9d2833979e, true},
    {task::ends, 800, "180M", 180'000'000, 0xce53ca11035cc02e, true},
    {task::ends, 1309, "180M", 180'000'000, 0x8d655afb77be3490, true},
    {task::ends, 1600, "180M", 180'000'000, 0x2c56903a8e73eba8, true},
    {task::search_starts, 100, "10M", 10'000'000, 0xebc2eff1a63e4d2d, true},
    {task::search_starts, 100, "180M", 180'000'000, 0x7b3c189a9480e3f4, true},
    {task::search_starts, 200, "10M", 10'000'000, 0x0bca784f55b29893, true},
    {task::search_starts, 200, "180M", 180'000'000, 0x2c0fba7615a972a7, true},
    {task::search_starts, 400, "10M", 10'000'000, 0x7dbd621397fea12d, true},
    {task::search_starts, 400, "180M", 180'000'000, 0x8106f3d6a5f3cca0, true},
    {task::search_starts, 800, "10M", 10'000'000, 0x4f28791dfda85c27, true},
    {task::search_starts, 800, "180M", 180'000'000, 0xa6140757f4602d16, true},
    {task::search_starts, 1309, "10M", 10'000'000, 0xb5ef02b7424356f7, true},
    {task::search_starts, 1309, "180M", 180'000'000, 0x0328b5761780a889, true},
    {task::search_starts, 1600, "10M", 10'000'000, 0x91ca70c338eeabed, true},
    {task::search_starts, 1600, "180M", 180'000'000, 0xfc995be00e65e872, true},
};

// The data that the methods of a case share.
struct scan_data {
  std::function<scan_input(scan_data&)> make;
  std::shared_ptr<const protein_text> text = {}; // owns the sequences to which the input refers
  std::optional<scan_input> made = {};
  match_vector matches = {}; // the matches of the last run

  const scan_input& input() {
    if (!made) made = make(*this);
    return *made;
  }
};

std::shared_ptr<scan_data> generated(int motifs, std::uint64_t residues) {
  return std::make_shared<scan_data>(scan_data{[=](scan_data& at) {
    std::mt19937_64 random(1);
    std::vector<motif> list;
    while (list.size() < static_cast<std::size_t>(motifs))
      list.push_back(parse_motif(random_pattern(random)));
    at.text = input_of<protein_text>(fmt::format("proteins {}", residues),
                                     [residues] { return random_proteins(residues); });
    return scan_input{motif_set(std::move(list)), {at.text->residues, at.text->offsets}};
  }});
}

// With the rule `ends`, a match may contain any number of the residue X, as with Hyperscan.
scan_options options_of(match_rule rule, const std::string& engine, device_choice on, int threads) {
  return {.rule = rule,
          .max_x = rule == match_rule::ends ? -1 : 0,
          .run = {.engine = engine, .device = on, .threads = threads}};
}

method scan_method(const std::shared_ptr<scan_data>& data, task asked, const std::string& name,
                   const scan_options& options) {
  return {name,
          false,
          options.run.device.kind == device_kind::gpu,
          0,
          "",
          [data] { (void)data->input(); },
          [=] { data->matches = scan(data->made->motifs, data->made->text, options); },
          [=] { return digest_of(data->matches, digested_by(asked)); }};
}

// Appends the methods of the first GPU: searches alone, whole scans in its memory, and whole scans from host
// memory beside a copy of the text.
void add_gpu_methods(const std::shared_ptr<scan_data>& data, task asked, std::vector<method>& to) {
  const match_rule rule = rule_of(asked);
  const scan_input_source input = [data]() -> const scan_input& { return data->input(); };
  std::vector<named_search> searches = {{"bit-stream, search alone", gpu_search::bit_stream}};
  if (asked == task::ends)
    for (const named_search& each : {named_search{"NFA-BPL, search alone", gpu_search::nfa_bpl},
                                     {"NFA-BP, search alone", gpu_search::nfa_bp},
                                     {"NFA-ARRAY, search alone", gpu_search::nfa_array}})
      searches.push_back(each);
  if (asked == task::ends || asked == task::search_starts)
    for (method& each : searches_in_gpu_memory(searches, rule, input)) to.push_back(std::move(each));
  if (asked == task::search_starts) return;
  const auto check = [](const std::string& engine, device_choice on) {
    check_scan_options({.run = {.engine = engine, .device = on}});
  };
  for_each_engine(scan_engines(), device_kind::gpu, check,
                  [&](const std::string& engine, const std::string& unavailable_reason) {
                    to.push_back(scan_in_gpu_memory(engine, unavailable_reason, rule, input));
                  });
  to.push_back(scan_method(data, asked, "from host memory", options_of(rule, "auto", first_gpu(), 0)));
  to.back().unavailable_reason = known_gpus().unavailable;
  to.push_back(text_copy_to_gpu(input));
  to.back().step = true;
}

std::vector<method> methods_of(const std::shared_ptr<scan_data>& data, task asked, int threads) {
  std::vector<method> methods;
  const match_rule rule = rule_of(asked);
  const auto check = [](const std::string& engine, device_choice on) {
    check_scan_options({.run = {.engine = engine, .device = on}});
  };
  for_each_engine(scan_engines(), device_kind::cpu, check, [&](const std::string& engine, const auto&) {
    const bool is_first = engine == scan_engines().front().name;
    if (asked == task::search_starts && !is_first) return;
    methods.push_back(
        scan_method(data, asked, engine, options_of(rule, engine, {device_kind::cpu, 0}, threads)));
    // The engines that implement the paper's methods are yardsticks but with the rule `ends`, because no
    // other software here has these rules.
    methods.back().yardstick = asked != task::ends && !is_first;
  });
  if (asked == task::ends) {
    const auto library = std::make_shared<hyperscan>();
    methods.push_back({"Hyperscan, a call a sequence", true, false, 1, hyperscan::unavailable_reason(),
                       [=] { library->compile(data->input().motifs); },
                       [=] { data->matches = library->scan(data->made->text); },
                       [=] { return digest_of(data->matches, digested::ends); }});
  }
  add_gpu_methods(data, asked, methods);
  return methods;
}

// Returns the first `size` residues of the text. The last sequence may be cut.
protein_text beginning_of(const protein_text& text, std::uint64_t size) {
  protein_text part{text.residues.substr(0, size), {}};
  for (const std::uint64_t offset : text.offsets)
    if (offset < size) part.offsets.push_back(offset);
  part.offsets.push_back(size);
  return part;
}

// Appends a case for motifs and sequences of the user, after cases for parts of the sequences, from which its
// time is extrapolated.
void add_cases_of_files(task looked_for, const std::vector<motif>& motifs,
                        const std::shared_ptr<const protein_text>& whole, const std::string& names,
                        int threads, std::vector<bench_case>& to) {
  for (const std::uint64_t part : {64, 8, 1}) {
    const std::uint64_t size = whole->residues.size() / part;
    if (part > 1 && size == 0) continue;
    const auto text = part == 1 ? whole : std::make_shared<const protein_text>(beginning_of(*whole, size));
    const auto data = std::make_shared<scan_data>(
        scan_data{[motifs](scan_data& at) {
                    return scan_input{motif_set(motifs), {at.text->residues, at.text->offsets}};
                  },
                  text});
    const double cells = static_cast<double>(size) * static_cast<double>(motifs.size());
    const std::string input =
        fmt::format("{} motifs and {} residues of {}; no fixed digest: ways are held against the first",
                    motifs.size(), size, names);
    to.push_back({fmt::format("{}/files", name_of(looked_for)), input, cells, cells, 0, std::nullopt,
                  [data, looked_for, threads] { return methods_of(data, looked_for, threads); }});
    to.back().for_rates = part > 1;
    to.back().on_request = looked_for != task::ps_scan;
  }
}

std::vector<bench_case> cases_of_files(const std::vector<std::string>& files, const limits& asked) {
  std::vector<motif> motifs;
  for (const io::motif_record& record : io::read_motifs(files[0]).records) {
    motifs.push_back(parse_motif(record.pattern));
    motifs.back().name = record.name;
  }
  io::sequence_chunk sequences = io::read_sequences(files[1]);
  const auto whole = std::make_shared<const protein_text>(
      protein_text{std::move(sequences.residues), std::move(sequences.offsets)});
  std::vector<bench_case> made;
  for (const task looked_for : {task::ps_scan, task::starts, task::ends, task::search_starts})
    add_cases_of_files(looked_for, motifs, whole, fmt::format("{} and {}", files[0], files[1]), asked.threads,
                       made);
  return made;
}

bench_case case_of(const std::string& name, const definition& benchmark,
                   std::optional<std::uint64_t> expected, const limits& asked) {
  const double cells = static_cast<double>(benchmark.residues) * benchmark.motifs;
  bench_case made{
      name,
      fmt::format("{} random motifs, {} random residues, {}, seeds 1 and 2", benchmark.motifs,
                  benchmark.residues,
                  benchmark.asked == task::search_starts ? "the starts of matches"
                                                         : fmt::format("rule {}", name_of(benchmark.asked))),
      cells,
      cells,
      8 * benchmark.residues,
      expected,
      [benchmark, asked] {
        return methods_of(generated(benchmark.motifs, benchmark.residues), benchmark.asked, asked.threads);
      }};
  if (benchmark.asked == task::ends) made.kind = name_of(benchmark.asked);
  made.on_request = benchmark.on_request;
  return made;
}

} // namespace

bench_case scan_case(const std::string& name, match_rule rule, int motifs, std::uint64_t residues,
                     const limits& asked) {
  const task looked_for = rule == match_rule::ends     ? task::ends
                          : rule == match_rule::starts ? task::starts
                                                       : task::ps_scan;
  return case_of(name, {looked_for, motifs, "", residues, 0}, std::nullopt, asked);
}

bench_case scan_threads_case(const std::string& name, int motifs, std::uint64_t residues,
                             std::uint64_t expected) {
  bench_case made = case_of(name, {task::ends, motifs, "", residues, 0}, expected, {});
  made.methods = [motifs, residues] {
    std::vector<named_search> named;
    for (const std::uint32_t q : {14, 32, 64, 128, 256, 512, 1024}) {
      named.push_back({fmt::format("NFA-BPL, q = {}", q), gpu_search::nfa_bpl, q});
      named.push_back({fmt::format("NFA-BP, q = {}", q), gpu_search::nfa_bp, q});
    }
    named.push_back({"NFA-ARRAY, q = 4", gpu_search::nfa_array, 4});
    const auto data = generated(motifs, residues);
    return searches_in_gpu_memory(named, match_rule::ends,
                                  [data]() -> const scan_input& { return data->input(); });
  };
  return made;
}

suite scan_suite(const limits& asked, const std::vector<std::string>& files) {
  suite made{"scan", "pattern-characters", ceiling_kind::logic, one_operation_a_motif, {}};
  if (!files.empty()) {
    made.cases = cases_of_files(files, asked);
    return made;
  }
  for (const definition& each : definitions)
    made.cases.push_back(
        case_of(fmt::format("{}-{}-motifs/{}", name_of(each.asked), each.motifs, each.size_name), each,
                each.expected, asked));
  return made;
}

} // namespace weft::bench
