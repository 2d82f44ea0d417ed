// The suite of `weft-bench scan`.
#include <algorithm>
#include <bench/bench.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
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

// The definition of a case.
struct definition {
  match_rule rule;
  int motifs;
  const char* size_name;
  std::uint64_t residues;
  std::uint64_t expected; // digest_of() the matches
};

constexpr definition definitions[] = {
    {match_rule::ps_scan, 16, "200k", 200'000, 0x42ead615494bd4e1},
    {match_rule::ps_scan, 16, "20M", 20'000'000, 0x8ab9f83bc877546b},
    {match_rule::ps_scan, 1309, "20k", 20'000, 0x3dff08350778f269},
    {match_rule::ps_scan, 1309, "500k", 500'000, 0xf51245ba6adf71af},
    {match_rule::ps_scan, 1309, "50M", 50'000'000, 0xd4e44717f9f4e3ca},
    {match_rule::ends, 1309, "20k", 20'000, 0xde4977913f5f4f60},
    {match_rule::ends, 1309, "500k", 500'000, 0xaa4f40f90ce1858d},
    {match_rule::ends, 1309, "5M", 5'000'000, 0xc067fae71f306d40},
    {match_rule::ps_scan, 1309, "180M", 180'000'000, 0x983193c877eb41dd},
};

// The data that the methods of a case share.
struct scan_data {
  std::function<scan_input(scan_data&)> make;
  std::shared_ptr<const weft_bench::protein_text> text = {}; // owns the sequences to which the input refers
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
      list.push_back(parse_motif(weft_bench::random_pattern(random)));
    at.text = input_of<weft_bench::protein_text>(
        fmt::format("proteins {}", residues), [residues] { return weft_bench::random_proteins(residues); });
    return scan_input{motif_set(std::move(list)), {at.text->residues, at.text->offsets}};
  }});
}

// With the rule `ends`, a match may contain any number of the residue X, as with Hyperscan.
scan_options options_of(match_rule rule, const std::string& engine, int threads) {
  return {.rule = rule,
          .max_x = rule == match_rule::ends ? -1 : 0,
          .engine = engine,
          .device = {device_kind::cpu, 0},
          .threads = threads};
}

std::vector<method> methods_of(const std::shared_ptr<scan_data>& data, match_rule rule, int threads) {
  std::vector<method> methods;
  const auto digest = [data, rule] { return digest_of(data->matches, rule); };
  const auto check = [](const std::string& engine, device_choice on) {
    check_scan_options({.engine = engine, .device = on});
  };
  for_each_engine(scan_engines(), device_kind::cpu, check, [&](const std::string& engine, const auto&) {
    methods.push_back({engine, false, false, 0, "", [data] { (void)data->input(); },
                       [=] {
                         const scan_input& input = *data->made;
                         data->matches = scan(input.motifs, input.text, options_of(rule, engine, threads));
                       },
                       digest});
    // The engines that implement the paper's methods are yardsticks with the rule ps_scan, because no other
    // software here has this rule.
    methods.back().yardstick = rule != match_rule::ends && engine != scan_engines().front().name;
  });
  if (rule == match_rule::ends) {
    const auto library = std::make_shared<hyperscan>();
    methods.push_back({"Hyperscan, a call a sequence", true, false, 1, hyperscan::unavailable_reason(),
                       [=] { library->compile(data->input().motifs); },
                       [=] { data->matches = library->scan(data->made->text); }, digest});
  }
  for_each_engine(scan_engines(), device_kind::gpu, check,
                  [&](const std::string& engine, const std::string& unavailable_reason) {
                    methods.push_back(
                        scan_in_gpu_memory(engine, unavailable_reason, rule,
                                           [data]() -> const scan_input& { return data->input(); }));
                  });
  return methods;
}

// Returns the first `size` residues of the text. The last sequence may be cut.
weft_bench::protein_text beginning_of(const weft_bench::protein_text& text, std::uint64_t size) {
  weft_bench::protein_text part{text.residues.substr(0, size), {}};
  for (const std::uint64_t offset : text.offsets)
    if (offset < size) part.offsets.push_back(offset);
  part.offsets.push_back(size);
  return part;
}

// Returns a case for the user's motifs and sequences, after cases for parts of the sequences, from which its
// time is extrapolated.
std::vector<bench_case> cases_of_files(const std::vector<std::string>& files, const limits& asked) {
  std::vector<motif> motifs;
  for (const io::motif_record& record : io::read_motifs(files[0]).records) {
    motifs.push_back(parse_motif(record.pattern));
    motifs.back().name = record.name;
  }
  io::sequence_chunk sequences = io::read_sequences(files[1]);
  const auto whole = std::make_shared<const weft_bench::protein_text>(
      weft_bench::protein_text{std::move(sequences.residues), std::move(sequences.offsets)});
  std::vector<bench_case> made;
  for (const std::uint64_t part : {64, 8, 1}) {
    const std::uint64_t size = whole->residues.size() / part;
    if (part > 1 && size == 0) continue;
    const auto text =
        part == 1 ? whole : std::make_shared<const weft_bench::protein_text>(beginning_of(*whole, size));
    const auto data = std::make_shared<scan_data>(
        scan_data{[motifs](scan_data& at) {
                    return scan_input{motif_set(motifs), {at.text->residues, at.text->offsets}};
                  },
                  text});
    const double cells = static_cast<double>(size) * static_cast<double>(motifs.size());
    const std::string input =
        fmt::format("{} motifs of {}, {} residues of {}; no fixed digest: ways are held against the first",
                    motifs.size(), files[0], size, files[1]);
    made.push_back({"ps-scan/files", input, cells, cells, 0, std::nullopt,
                    [data, asked] { return methods_of(data, match_rule::ps_scan, asked.threads); }});
    made.back().for_rates = part > 1;
  }
  return made;
}

bench_case case_of(const std::string& name, const definition& benchmark,
                   std::optional<std::uint64_t> expected, const limits& asked) {
  const double cells = static_cast<double>(benchmark.residues) * benchmark.motifs;
  return {name,
          fmt::format("{} random motifs, {} random residues, rule {}, seeds 1 and 2", benchmark.motifs,
                      benchmark.residues, benchmark.rule == match_rule::ends ? "ends" : "ps-scan"),
          cells,
          cells,
          8 * benchmark.residues,
          expected,
          [benchmark, asked] {
            return methods_of(generated(benchmark.motifs, benchmark.residues), benchmark.rule, asked.threads);
          }};
}

} // namespace

bench_case scan_case(const std::string& name, match_rule rule, int motifs, std::uint64_t residues,
                     const limits& asked) {
  return case_of(name, {rule, motifs, "", residues, 0}, std::nullopt, asked);
}

bench_case scan_threads_case(const std::string& name, int motifs, std::uint64_t residues,
                             std::uint64_t expected) {
  bench_case made = case_of(name, {match_rule::ends, motifs, "", residues, 0}, expected, {});
  made.methods = [motifs, residues] {
    std::vector<nfa_threads> named;
    for (const std::uint32_t q : {14, 32, 64, 128, 256, 512, 1024}) {
      named.push_back({fmt::format("NFA-BPL, q = {}", q), paper_nfa::nfa_bpl, q});
      named.push_back({fmt::format("NFA-BP, q = {}", q), paper_nfa::nfa_bp, q});
    }
    named.push_back({"NFA-ARRAY, q = 4", paper_nfa::nfa_array, 4});
    const auto data = generated(motifs, residues);
    return nfa_in_gpu_memory(named, [data]() -> const scan_input& { return data->input(); });
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
        case_of(fmt::format("{}-{}-motifs/{}", each.rule == match_rule::ends ? "ends" : "ps-scan",
                            each.motifs, each.size_name),
                each, each.expected, asked));
  return made;
}

} // namespace weft::bench
