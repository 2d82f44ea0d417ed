// Tests texts and sets of motifs of every size: sequences of zero, one and very many residues, a million
// short sequences, one motif and a hundred thousand motifs.
#include "engine_suite.hpp"

namespace {

using namespace weft_test;
using weft::match_rule;
using weft::match_vector;
using weft::scan_match;
using weft::scan_options;

class gpu_scan_sizes : public engine_suite {
protected:
  static void check(const weft::motif_set& motifs, const weft::sequences_view& texts,
                    const scan_options& options, const std::string& cpu_engine = "auto") {
    const match_vector want = weft::scan(motifs, texts, on_cpu(options, cpu_engine));
    matches_ += want.size();
    ASSERT_EQ(difference(motifs, want, weft::scan(motifs, texts, with(options))), "")
        << "rule " << static_cast<int>(options.rule);
  }
  static inline std::uint64_t matches_ = 0;
};
INSTANTIATE_TEST_SUITE_P(gpu, gpu_scan_sizes, testing::ValuesIn(engines_on(weft::device_kind::gpu)),
                         name_of_engine);

constexpr match_rule all_rules[] = {match_rule::starts, match_rule::ends, match_rule::ps_scan};

// The letters, with about the frequencies that they have in proteins.
const std::string frequent = "LLLLLAAAAVVVVGGGGEEEESSSSIIIKKKRRRDDDTTTPPNNQQFFYMHCW";

TEST_P(gpu_scan_sizes, none_one_and_36000_residues) {
  const weft::motif_set motifs = motifs_of(
      {"N-{P}-[ST]-{P}", "<M", "<M-x(0,9)-K", "[KR](2)-x(0,3)-[DE]>", "W>", "<[LA]>", "C-x(2,4)-C-x(3)-H",
       "[<A]-G-x-W", "A-[C>]", "L(2,5)", "x(9)-W-W", "A-W*-D", "<x(0,30)>", "G-x(14,16)-C", "x"});
  std::mt19937_64 random(101);
  batch texts;
  for (const std::size_t size :
       {0U, 36'000U, 1U, 0U, 0U, 1U, 36'000U, 36'000U, 0U, 1U, 1U, 35'999U, 36'001U, 1U, 0U})
    texts.add(random_sequence(random, size, frequent + "X"));
  for (const bool included : {false, true})
    for (const bool overlap : {true, false})
      for (const int max_x : {0, 1, -1})
        check(motifs, texts.view(), {.overlap = overlap, .included = included, .max_x = max_x}, "shift-and");
  check(motifs, texts.view(), {.rule = match_rule::starts}, "shift-and");
  check(motifs, texts.view(), {.rule = match_rule::ends}, "shift-and");
}

// nfa-array scans 20,000 sequences only.
TEST_P(gpu_scan_sizes, a_million_sequences_of_20) {
  const weft::motif_set motifs = motifs_of({"<M",
                                            "<M-x(3)-[KR]",
                                            "<x(19)-G",
                                            "K-[DE]-L>",
                                            "[ST]-x(2)-[DE]>",
                                            "C-x(2,4)-C",
                                            "x(20)",
                                            "x(21)",
                                            "A-x(18)-C",
                                            "A-x(19)-C",
                                            "<W-x(0,17)-W>",
                                            "N-{P}-[ST]-{P}",
                                            "[RK](2)-x-[ST]",
                                            "R-G-D",
                                            "G-x(4)-G-K-[ST]",
                                            "<{G}(20)>",
                                            "W-x(0,30)-W",
                                            "H-x(3,5)-H",
                                            "<[LIVM](4)",
                                            "[LIVM](4)>",
                                            "P-x-P-x-P",
                                            "C-x(10,15)-C-x-C",
                                            "Y-x(2)-[LIVM]",
                                            "E(4)",
                                            "D-x(0,6)-H>",
                                            "[<W]-K-x-E",
                                            "F-F",
                                            "Q-[W>]",
                                            "<x(5)-W-x(14)>",
                                            "M-x(5,15)-C-W"});
  std::mt19937_64 random(102);
  const std::uint64_t count = is_nfa_array() ? 20'000 : 1'000'000;
  batch texts;
  texts.residues.resize(20 * count);
  for (std::uint64_t i = 0, bits = 0; i < texts.residues.size(); ++i, bits >>= 16) {
    if (i % 4 == 0) bits = random();
    texts.residues[i] = frequent[(bits & 0xffff) * frequent.size() >> 16];
  }
  for (std::uint64_t i = 1; i <= count; ++i) texts.offsets.push_back(20 * i);
  for (const match_rule rule : all_rules) check(motifs, texts.view(), {.rule = rule});
  EXPECT_GT(matches_, 3 * count);
}

TEST_P(gpu_scan_sizes, one_motif) {
  std::mt19937_64 random(103);
  const batch texts = [&] {
    batch some;
    for (const std::size_t size : {5'000U, 0U, 1U, 33U, 4'096U, 2U})
      some.add(random_sequence(random, size, "AACCDDGKNSTW"));
    return some;
  }();
  for (const char* pattern :
       {"C-x(2)-C", "x", "A", "W", "<A", "A>", "<x(5,40)>", "x(0,3)-W", "A-x*-C", "W(2)",
        "[GA]-x(4)-G-K-[ST]", "[<A]-C", "C-[D>]", "A-x(200)-C", "A-x(1022)-C", "{A}-x(9)"})
    for (const match_rule rule : all_rules)
      check(motifs_of({pattern}), texts.view(), {.rule = rule}, "shift-and");
}

struct motif_and_match {
  std::string pattern, match;
};

// Returns a random motif of 9 to 14 elements: letters, classes, gaps, and now and then anchors.
motif_and_match random_motif(std::mt19937_64& random) {
  motif_and_match made;
  const auto letter = [&] { return frequent[random() % frequent.size()]; };
  for (unsigned k = 9 + static_cast<unsigned>(random() % 6); k > 0; --k) {
    const unsigned roll = random() % 8;
    const char one = letter();
    std::size_t gap = 0;
    if (roll < 4) {
      made.pattern += one;
    } else if (roll < 6) {
      made.pattern += std::string("[") + one + "KW"[one == 'W' ? 0 : 1] + "]";
    } else {
      gap = 1 + random() % 9;
      made.pattern += roll == 6 ? "x(" + std::to_string(gap) + "," + std::to_string(gap + random() % 5) + ")"
                                : "x(" + std::to_string(gap) + ")";
    }
    made.match += gap == 0 ? std::string(1, one) : random_sequence(random, gap, frequent);
    if (k > 1) made.pattern += '-';
  }
  const unsigned anchor = random() % 64;
  made.pattern = (anchor == 0 ? "<" : "") + made.pattern + (anchor == 1 ? ">" : "");
  return made;
}

// Inserts a match of every 50th motif into the text. The CPU engine shift-and, which shares no code with
// bit-stream, checks a part of the text. nfa-array gets 2,000 motifs only.
TEST_P(gpu_scan_sizes, a_hundred_thousand_motifs) {
  std::mt19937_64 random(104);
  std::vector<weft::motif> some;
  std::string text = random_sequence(random, 200'000, frequent);
  const std::size_t count = is_nfa_array() ? 2'000 : 100'000;
  while (some.size() < count) {
    const motif_and_match made = random_motif(random);
    if (some.size() % 50 == 0) text.replace(random() % (text.size() - 200), made.match.size(), made.match);
    some.push_back(weft::parse_motif(made.pattern));
  }
  const weft::motif_set motifs(std::move(some));
  batch texts;
  for (std::size_t at = 0, size = 0; at < text.size(); at += size) {
    size = random() % 700;
    texts.add(text.substr(at, size));
  }
  for (const match_rule rule : all_rules) check(motifs, texts.view(), {.rule = rule});
  const weft::sequences_view part{texts.view().data.substr(0, texts.offsets[10]),
                                  texts.view().offsets.first(11)};
  check(motifs, part, {.rule = match_rule::ends}, "shift-and");
  EXPECT_GT(matches_, count / 50);
}

} // namespace
