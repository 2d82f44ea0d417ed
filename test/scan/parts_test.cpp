// Checks that matches that are reported in parts equal those of scan(), and that matches of circles equal
// those of the text that continues across the origin.
#include "scan_cases.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <test/reference/scan_reference.hpp>
#include <weft/base/error.hpp>
#include <weft/scan/core/complement.hpp>
#include <weft/scan/scanner.hpp>

namespace {

using weft::match_rule;
using weft::match_vector;
using weft::scan_match;
using weft::scan_options;
using weft::strand;
using weft::strand_choice;

constexpr weft::motif_syntax dna{.alphabet = weft::alphabet::dna};

// Returns the matches of all parts, sorted within each complete part.
match_vector of_parts(const weft::motif_set& motifs, const weft::sequences_view& batch,
                      const scan_options& options, const weft::part_limits& limits) {
  match_vector all, open;
  bool complete = true;
  weft::scanner scanner(motifs, options, limits);
  scanner.feed(batch, [&](const weft::scan_part& part) {
    complete = part.complete;
    open.insert(open.end(), part.matches.begin(), part.matches.end());
    if (!complete) return;
    std::sort(open.begin(), open.end());
    all.insert(all.end(), open.begin(), open.end());
    open.clear();
  });
  EXPECT_TRUE(complete);
  EXPECT_EQ(scanner.totals().matches, all.size());
  EXPECT_EQ(scanner.totals().residues, batch.data.size());
  const std::vector<std::uint64_t> found = scanner.totals().by_motif;
  weft::scanner counter(motifs, options, limits);
  counter.count(batch);
  EXPECT_EQ(counter.totals().by_motif, found);
  counter.count(batch);
  EXPECT_EQ(counter.totals().matches, 2 * all.size());
  return all;
}

TEST(scan_parts, are_together_the_matches_of_scan) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<weft::motif> list;
    const weft::motif_syntax syntax{.greedy = round % 3 != 0};
    for (int i = 0; i < 12; ++i)
      list.push_back(weft::parse_motif(weft_test::random_pattern(random, true), syntax));
    const weft::motif_set motifs(list, syntax);
    weft_test::batch texts;
    for (int s = 0; s < 6; ++s)
      texts.add(weft_test::random_sequence(random, random() % 60, round % 2 == 0 ? "ACDN" : "ACDNEQBZX"));
    for (scan_options options : weft_test::every_scan_rule) {
      options.run.threads = round % 2 + 1;
      options.run.engine = round % 5 == 0 ? "shift-and" : "auto";
      const match_vector want = weft::scan(motifs, texts.view(), options);
      for (const std::uint64_t residues : {1U, 7U, 40U, 1000U})
        EXPECT_EQ(weft_test::difference(motifs, want,
                                        of_parts(motifs, texts.view(), options, {residues, residues})),
                  "")
            << residues;
      std::vector<std::uint64_t> counts(motifs.motifs().size());
      for (const scan_match& match : want) ++counts[match.motif];
      EXPECT_EQ(weft::scan_count(motifs, texts.view(), options), counts);
    }
  }
}

TEST(scan_parts, of_both_strands_are_those_of_scan) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 20; ++round) {
    const weft::motif_set motifs({weft::parse_motif("R-x(0,3)-[GC]", dna), weft::parse_motif("<N(1,5)", dna),
                                  weft::parse_motif("A-{C}*-T", dna), weft::parse_motif("[A<]-C>", dna)},
                                 dna);
    weft_test::batch texts;
    for (int s = 0; s < 3; ++s) texts.add(weft_test::random_sequence(random, random() % 90, "ACGTacgtnu"));
    for (scan_options options : weft_test::every_scan_rule)
      for (const strand_choice strands : {strand_choice::both, strand_choice::reverse}) {
        options.strands = strands;
        const match_vector want = weft::scan(motifs, texts.view(), options);
        for (const std::uint64_t residues : {1U, 16U, 500U})
          EXPECT_EQ(
              weft_test::difference(motifs, want, of_parts(motifs, texts.view(), options, {residues, 5})),
              "");
      }
  }
}

TEST(scanner, scans_batch_after_batch) {
  const weft::motif_set motifs = weft_test::motifs_of({"A", "A-C"});
  weft::run_info info;
  weft::scanner scanner(motifs, {.run = {.info = &info}});
  match_vector found;
  const auto take = [&](const weft::scan_part& part) {
    found.insert(found.end(), part.matches.begin(), part.matches.end());
  };
  const std::vector<std::uint64_t> offsets = {0, 2, 3};
  scanner.feed({"ACA", offsets}, take);
  scanner.feed("CAC", take);
  scanner.feed("", take);
  EXPECT_EQ(found, (match_vector{{0, 0, 0, 1}, {0, 1, 0, 2}, {1, 0, 0, 1}, {0, 0, 1, 2}, {0, 1, 1, 3}}));
  EXPECT_EQ(scanner.totals().sequences, 4U);
  EXPECT_EQ(scanner.totals().residues, 6U);
  EXPECT_EQ(scanner.totals().matches, 5U);
  EXPECT_EQ(scanner.totals().by_motif, (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(info.engine, "bit-stream");
  EXPECT_EQ(info.work, 0U); // the info is that of the last call
  EXPECT_THROW(weft::scanner(motifs, {}, {0, 1}), std::invalid_argument);
  EXPECT_THROW(weft::scanner(motifs, {.run = {.engine = "none"}}), weft::error);
  EXPECT_THROW(scanner.feed({"ACA", std::span(offsets).first(2)}, take), std::invalid_argument);
}

std::string reverse_complement(const std::string& text) {
  std::string result(text.rbegin(), text.rend());
  for (char& c : result) c = weft::scan_detail::complement(c);
  return result;
}

// Adds the matches of one motif on one strand of a circle: the matches in two copies of the text that begin
// in the first copy and are not longer than one copy.
void add_circular(const weft::motif& m, const std::string& text, const scan_options& options,
                  std::vector<std::pair<std::size_t, std::size_t>>& found) {
  const std::string twice = text + text.substr(0, text.empty() ? 0 : text.size() - 1);
  for (const auto& [begin, end] : weft_test::reference_matches(m, twice, options))
    if (begin < text.size() && end - begin <= text.size()) found.emplace_back(begin, end);
}

TEST(scan_circular, matches_are_those_of_doubled_text) {
  std::mt19937_64 random(9);
  const std::vector<std::string> patterns = {"GAATTC",   "A-C-G",         "R-x(0,3)-[GC]",
                                             "N(1,5)",   "A-x(2,9)-T(2)", "C(3)-x(0,1)-A",
                                             "{G}(4)-G", "x(7)-A(0,2)"};
  std::vector<weft::motif> list;
  for (const std::string& pattern : patterns) list.push_back(weft::parse_motif(pattern, dna));
  const weft::motif_set motifs(list, dna);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> texts = {weft_test::random_sequence(random, random() % 12, "ACG"), "",
                                      weft_test::random_sequence(random, 20 + random() % 30, "ACGTN"),
                                      "TTC" + weft_test::random_sequence(random, 15, "ACGT") + "GAA"};
    weft_test::batch batch;
    for (const std::string& text : texts) batch.add(text);
    for (scan_options options : weft_test::every_scan_rule) {
      options.strands = round % 3 == 0 ? strand_choice::forward : strand_choice::both;
      options.circular = true;
      match_vector want;
      // A match can be longer than what follows the origin of a short sequence. The scanned text therefore
      // continues as far as the longest motif of the set needs.
      for (std::uint32_t s = 0; s < texts.size(); ++s)
        for (std::uint32_t k = 0; k < list.size(); ++k)
          for (const strand which : {strand::forward, strand::reverse}) {
            if (which == strand::reverse && options.strands == strand_choice::forward) continue;
            const std::uint64_t size = texts[s].size();
            std::vector<std::pair<std::size_t, std::size_t>> found;
            add_circular(list[k], which == strand::forward ? texts[s] : reverse_complement(texts[s]), options,
                         found);
            for (const auto& [begin, end] : found) {
              const std::uint64_t at = which == strand::forward ? begin
                                       : end <= size            ? size - end
                                                                : 2 * size - end;
              want.push_back({s, k, at, at + end - begin, which});
            }
          }
      std::sort(want.begin(), want.end());
      EXPECT_EQ(weft_test::difference(motifs, want, weft::scan(motifs, batch.view(), options)), "");
      for (const std::uint64_t residues : {1U, 13U, 400U})
        EXPECT_EQ(
            weft_test::difference(motifs, want, of_parts(motifs, batch.view(), options, {residues, 10})), "");
    }
  }
}

TEST(scan_circular, has_no_ends_and_is_of_dna) {
  const weft_test::batch texts;
  for (const char* pattern : {"<A", "A>", "[C<]-A", "A-[C>]"})
    EXPECT_THROW((void)weft::scan(weft::motif_set({weft::parse_motif(pattern, dna)}, dna), texts.view(),
                                  {.circular = true}),
                 weft::error)
        << pattern;
  EXPECT_THROW((void)weft::scan(weft::motif_set({weft::parse_motif("A")}), texts.view(), {.circular = true}),
               weft::error);
}

} // namespace
