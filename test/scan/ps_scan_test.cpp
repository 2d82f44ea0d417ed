// Compares scans with ps_scan.pl 1.90 itself, if it is installed: the same (sequence, begin, end, motif) in
// the same order, for its default and for each of -g, -v, -i and -x.
#include "scan_cases.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <test_paths.hpp>
#include <unistd.h>
#include <weft/io/motif_reader.hpp>
#include <weft/io/sequence_reader.hpp>
#include <weft/scan/scan.hpp>

namespace {

namespace fs = std::filesystem;

struct variant {
  const char* flags;
  weft::motif_syntax syntax = {};
  weft::scan_options options = {};
};

const std::vector<variant>& variants() {
  static const std::vector<variant> all = {
      {"", {}, {}},
      {"-g", {.greedy = false}, {}},
      {"-v", {}, {.overlap = false}},
      {"-i", {}, {.included = true}},
      {"-x 0", {.unknown_in_sets = false}, {}},
      {"-x 1", {}, {.max_x = 1}},
      {"-x 2", {}, {.max_x = 2}},
      {"-x -1", {}, {.max_x = -1}},
      {"-g -v -i -x 1", {.greedy = false}, {.overlap = false, .included = true, .max_x = 1}},
  };
  return all;
}

bool installed() { return std::system("command -v ps_scan.pl >/dev/null 2>&1") == 0; }

class ps_scan : public testing::Test {
protected:
  void SetUp() override {
    if (!installed()) GTEST_SKIP() << "ps_scan.pl is not installed (Debian package pftools)";
    folder_ = fs::temp_directory_path() / ("weft_ps_scan_" + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  std::string run(const std::string& flags) const {
    const std::string command = "ps_scan.pl -r -o pff " + flags + " -d '" +
                                (folder_ / "motifs.dat").string() + "' '" + (folder_ / "text.fa").string() +
                                "' 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string output;
    std::array<char, 65536> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
      output.append(buffer.data(), got);
    EXPECT_EQ(::pclose(pipe), 0);
    return output;
  }

  // Writes a PROSITE file of the patterns and a FASTA file of the sequences, runs both programs on them, and
  // compares the outputs.
  void compare(const std::vector<std::string>& patterns, const std::vector<std::string>& sequences,
               weft::device_kind device) const {
    std::ofstream motifs(folder_ / "motifs.dat"), text(folder_ / "text.fa");
    for (std::size_t k = 0; k < patterns.size(); ++k)
      motifs << "ID   M" << k << "; PATTERN.\nAC   PS" << 10000 + k << ";\nDE   Made.\nPA   " << patterns[k]
             << ".\n//\n";
    for (std::size_t s = 0; s < sequences.size(); ++s) text << ">s" << s << "\n" << sequences[s] << "\n";
    motifs.close();
    text.close();
    for (const variant& v : variants()) compare_files(v, weft_test::engines_on(device));
  }

  void compare_files(const variant& v, const std::vector<weft_test::engine_on>& engines) const {
    const weft::io::motif_file file = weft::io::read_motifs((folder_ / "motifs.dat").string());
    const weft::io::sequence_chunk text = weft::io::read_sequences((folder_ / "text.fa").string());
    std::vector<weft::motif> motifs;
    for (const auto& record : file.records) {
      if (record.name.find(';') != std::string::npos) continue; // ps_scan.pl skips entries with such names
      motifs.push_back(weft::parse_motif(record.pattern, v.syntax));
      motifs.back().accession = record.accession;
    }
    const weft::motif_set set(motifs, v.syntax);
    const std::string want = run(v.flags);
    for (const weft_test::engine_on& engine : engines) {
      const weft::scan_options options = engine.with(v.options);
      std::ostringstream have;
      for (const weft::scan_match& m : weft::scan(set, {text.residues, text.offsets}, options))
        have << text.names[m.sequence] << '\t' << m.begin + 1 << '\t' << m.end << '\t'
             << motifs[m.motif].accession << '\n';
      // After the first four, the columns of pff are empty or do not apply to patterns.
      std::istringstream lines(want);
      std::ostringstream columns;
      for (std::string line; std::getline(lines, line);) {
        std::size_t end = 0;
        for (int tab = 0; tab < 4 && end != std::string::npos; ++tab) end = line.find('\t', end + (tab > 0));
        columns << line.substr(0, end) << '\n';
      }
      if (have.str() != columns.str()) {
        std::ofstream(folder_ / "have") << have.str();
        std::ofstream(folder_ / "want") << columns.str();
        (void)!std::system(
            ("diff '" + (folder_ / "want").string() + "' '" + (folder_ / "have").string() + "' | head -n 20")
                .c_str());
        FAIL() << "ps_scan.pl " << v.flags << " (want) and weft " << engine.engine << " (have) differ";
      }
    }
  }

  void compare_random(weft::device_kind device) const {
    std::mt19937_64 random(21);
    for (int round = 0; round < 6; ++round) {
      std::vector<std::string> patterns, sequences;
      for (int i = 0; i < 150; ++i) patterns.push_back(weft_test::random_pattern(random, true));
      for (int i = 0; i < 40; ++i)
        sequences.push_back(
            weft_test::random_sequence(random, 1 + random() % 60, round % 2 == 0 ? "ACDN" : "ACDNEQBZXU"));
      compare(patterns, sequences, device);
      if (HasFatalFailure()) return;
    }
  }

  // Compares the matches of the PROSITE patterns in real proteins: in WEFT_TEST_RESIDUES residues of them
  // (default 40,000; all 0.86 M take ps_scan.pl minutes per variant).
  void compare_prosite(weft::device_kind device) const {
    const char* asked = std::getenv("WEFT_TEST_RESIDUES");
    const std::size_t max_residues = asked != nullptr ? std::stoull(asked) : 40'000;
    for (const char* name : {"prosite-20.119.dat", "prosite-1995.dat"}) {
      const fs::path motifs = fs::path(WEFT_EXTRA_DATA) / name,
                     proteins = fs::path(WEFT_EXTRA_DATA) / "proteins.fa";
      if (!fs::exists(motifs) || !fs::exists(proteins)) GTEST_SKIP() << "no " << motifs;
      fs::copy_file(motifs, folder_ / "motifs.dat", fs::copy_options::overwrite_existing);
      const weft::io::sequence_chunk all = weft::io::read_sequences(proteins.string());
      std::ofstream text(folder_ / "text.fa");
      std::size_t taken = 0;
      for (std::uint64_t i = asked != nullptr ? 0 : 3; i < all.count() && taken < max_residues;
           i += asked != nullptr ? 1 : 17) {
        text << ">" << all.names[i] << "\n" << all.sequence(i) << "\n";
        taken += all.sequence(i).size();
      }
      text.close();
      for (std::size_t v = 0; v < (asked != nullptr ? variants().size() : 1); ++v) {
        compare_files(variants()[v], weft_test::engines_on(device));
        if (HasFatalFailure()) return;
      }
    }
  }

  fs::path folder_;
};

TEST_F(ps_scan, random_motifs_and_sequences) { compare_random(weft::device_kind::cpu); }
TEST_F(ps_scan, prosite_over_real_proteins) { compare_prosite(weft::device_kind::cpu); }

class gpu_ps_scan : public ps_scan {
protected:
  void SetUp() override {
    const weft_test::engine_on any{"auto", weft::device_kind::gpu};
    if (const std::string reason = any.reason_to_skip(); !reason.empty()) GTEST_SKIP() << reason;
    ps_scan::SetUp();
  }
};
TEST_F(gpu_ps_scan, random_motifs_and_sequences) { compare_random(weft::device_kind::gpu); }
TEST_F(gpu_ps_scan, prosite_over_real_proteins) { compare_prosite(weft::device_kind::gpu); }

} // namespace
