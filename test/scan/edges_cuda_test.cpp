// Checks matches across every edge: of words, parts, tiles, blocks, sequences, the text, and the part that is
// searched.
#include "edge_cases.hpp"
#include "engine_suite.hpp"
#include "scan_gpu_cases.hpp"

#include <set>
#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

namespace {

using namespace weft_test;
using weft::match_rule;
using weft::match_vector;
using weft::scan_match;
using weft::scan_options;

class gpu_scan_edges : public gpu_suite {
protected:
  // Checks all starts and all ends of engines on the GPU and on the CPU. Of these engines only bit-stream
  // shares code, its plan, with the expected result.
  static void check(const weft::motif_set& motifs, const weft::sequences_view& texts,
                    const std::vector<engine_on>& engines) {
    for (const match_rule rule : {match_rule::starts, match_rule::ends}) {
      std::size_t matches = 0;
      ASSERT_NO_FATAL_FAILURE(compare(motifs, texts, engines, rule, matches));
      EXPECT_NE(matches, 0U);
    }
  }
  // Compares the matches by one rule, and adds their number to `matches`.
  static void compare(const weft::motif_set& motifs, const weft::sequences_view& texts,
                      const std::vector<engine_on>& engines, match_rule rule, std::size_t& matches) {
    const match_vector want = weft::scan(motifs, texts, on_cpu({.rule = rule}));
    matches += want.size();
    for (const engine_on& engine : engines)
      ASSERT_EQ(difference(motifs, want, weft::scan(motifs, texts, engine.with({.rule = rule}))), "")
          << engine.engine << " rule " << static_cast<int>(rule);
  }
  static std::vector<engine_on> all_engines() { return engines_on(weft::device_kind::gpu); }
  static void check_parts(const weft::motif_set& motifs, weft::scan_detail::gpu_searcher_maker make);
  static std::vector<engine_on> bit_stream() {
    std::vector<engine_on> engines = all_engines();
    std::erase_if(engines, [](const engine_on& engine) { return engine.engine != "bit-stream"; });
    return engines;
  }
};

bool share_filters(const weft::scan_detail::bit_stream_plan& plan) {
  return !weft::scan_detail::variant_tables(plan).groups.empty();
}

// Checks that the engine makes variants of all kinds from these motifs; otherwise the cases below would prove
// little.
TEST(scan_edges, have_motifs_of_all_kinds) {
  const weft::motif_set motifs = motifs_of(edge_patterns());
  for (const edge which : {edge::starts, edge::ends}) {
    const auto plan = weft::scan_detail::plan_for_gpu(motifs.motifs(), weft::alphabet::protein, which, 6000);
    EXPECT_GE(plan.late_rows.size(), 2U);
    EXPECT_TRUE(plan.dense_rows.empty());
    const auto count = [&](const auto& is) {
      return std::count_if(plan.variants.begin(), plan.variants.end(), is);
    };
    EXPECT_GE(count([](const auto& v) { return v.complete && v.length > 64; }), 10);
    EXPECT_GE(count([](const auto& v) { return !v.complete && !v.late; }), 2);
    EXPECT_GE(count([](const auto& v) { return v.late && v.lead > 60; }), 1);
    EXPECT_TRUE(share_filters(plan));
    EXPECT_FALSE(share_filters(weft::scan_detail::plan_for_gpu(motifs_of(unlike_edge_patterns()).motifs(),
                                                               weft::alphabet::protein, which, 6000)));
    std::set<std::uint32_t> offsets;
    for (const auto& e : plan.filter_elements) offsets.insert(e.offset);
    EXPECT_GE(offsets.size(), 30U); // of 32 offsets
  }
}

TEST_F(gpu_scan_edges, of_words_parts_and_tiles) {
  const weft::motif_set motifs = motifs_of(edge_patterns());
  const edge_text text(edge_phrases());
  const std::vector<std::uint64_t> one = {0, text.residues.size()};
  check(motifs, {text.residues, one}, all_engines());
  if (!HasFatalFailure()) check(motifs_of(unlike_edge_patterns()), {text.residues, one}, bit_stream());
  match_vector whole_words; // by construction
  for (const edge_text::placed& at : text.all)
    if (at.phrase == 0) whole_words.push_back({0, 78, at.begin, at.begin + 80});
  std::sort(whole_words.begin(), whole_words.end());
  EXPECT_EQ(motifs.motifs()[78].pattern, edge_word_pattern(0, 80));
  for (const engine_on& engine : all_engines()) {
    match_vector have = weft::scan(motifs, {text.residues, one}, engine.with({.rule = match_rule::starts}));
    std::erase_if(have, [](const scan_match& m) { return m.motif != 78; });
    EXPECT_EQ(difference(motifs, whole_words, have), "") << engine.engine;
  }
}

// Checks sequences that begin at the edges, and at each position in, before and after a phrase.
TEST_F(gpu_scan_edges, of_sequences) {
  const weft::motif_set motifs = motifs_of(edge_patterns());
  const std::vector<std::string> phrases = edge_phrases();
  const edge_text text(phrases);
  std::vector<std::uint64_t> even = {0}, within = {0};
  for (std::uint64_t at = 1024; at <= text.residues.size(); at += 1024) even.push_back(at);
  std::uint64_t turn = 0;
  for (const edge_text::placed& at : text.all)
    within.push_back(at.begin + turn++ % (phrases[at.phrase].size() + 1));
  within.push_back(text.residues.size());
  std::sort(within.begin(), within.end());
  check(motifs, {text.residues, even}, all_engines());
  if (!HasFatalFailure()) check(motifs, {text.residues, within}, all_engines());
  if (!HasFatalFailure()) check(motifs_of(unlike_edge_patterns()), {text.residues, within}, bit_stream());
}

// Checks phrases that begin and end equally near the beginning and the end of a text, whose length is about
// that of a word, part or tile.
TEST_F(gpu_scan_edges, of_the_text) {
  const weft::motif_set motifs = motifs_of(edge_patterns()), unlike = motifs_of(unlike_edge_patterns());
  const std::vector<std::string> phrases = edge_phrases();
  const std::vector<engine_on> all = all_engines();
  std::vector<engine_on> quick = all;
  std::erase_if(quick, [](const engine_on& engine) { return engine.engine == "nfa-array"; });
  std::size_t turn = 0, of_unlike = 0;
  for (const std::size_t size : {200U, 1023U, 1024U, 1025U, 4095U, 4096U, 4097U, 4128U, 8192U, 12'289U})
    for (std::size_t left = 0; left <= edge_reach; ++left, ++turn) {
      const std::string &first = phrases[turn % phrases.size()], &last = phrases[turn * 7 % phrases.size()];
      std::string text = edge_filler(size);
      text.replace(left, first.size(), first);
      text.replace(size - left - last.size(), last.size(), last);
      const std::vector<std::uint64_t> offsets = {0, size};
      check(motifs, {text, offsets}, size == 200 && left % 8 == 0 ? all : quick);
      if (HasFatalFailure()) return;
      for (const match_rule rule : {match_rule::starts, match_rule::ends})
        ASSERT_NO_FATAL_FAILURE(compare(unlike, {text, offsets}, bit_stream(), rule, of_unlike));
    }
  EXPECT_GT(of_unlike, 100U);
}

// Calls find() for parts of a text: for every pair of positions beside edges, and for every position around
// the edge of a tile.
void gpu_scan_edges::check_parts(const weft::motif_set& motifs, weft::scan_detail::gpu_searcher_maker make) {
  const std::vector<std::string> phrases = edge_phrases();
  std::mt19937_64 random(93);
  batch texts;
  for (const std::size_t size : {4096U, 1U, 0U, 2047U, 2048U, 4173U}) {
    std::string text;
    while (text.size() < size) text += phrases[random() % phrases.size()] + edge_filler(random() % 9);
    texts.add(text.substr(0, size));
  }
  const std::uint64_t all = texts.residues.size();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
  std::vector<std::uint64_t> beside;
  for (const std::uint64_t at : {0, 32, 1024, 2048, 3072, 4096, 5120, 8192, 12'288})
    for (const std::uint64_t by : {0, 1, 2})
      if (at + by > 0) beside.push_back(at + by - 1);
  for (const std::uint64_t by : {64, 33, 32, 31, 1, 0}) beside.push_back(all - by);
  for (const std::uint64_t begin : beside)
    for (const std::uint64_t end : beside)
      if (begin < end && end <= all) parts.emplace_back(begin, end);
  for (std::uint64_t at = 4096 - edge_reach; at <= 4096 + edge_reach; ++at)
    for (const auto& part : {std::pair(at, all), std::pair(std::uint64_t{0}, at), std::pair(at, at + 1)})
      parts.push_back(part);
  for (const edge which : {edge::starts, edge::ends}) {
    const auto want = expected_by_cpu(motifs, texts.view(), 0, all, which);
    const weft::gpu::stream copies;
    const auto engine = make(motifs.data(), which, copies.get());
    for (const auto& [begin, end] : parts) {
      std::vector<std::uint64_t> inside;
      const std::uint64_t first = begin + (which == edge::ends ? 1 : 0), count = end - begin;
      for (const std::uint64_t each : want)
        if (((each & ((std::uint64_t{1} << weft::scan_detail::position_bits) - 1)) - first) < count)
          inside.push_back(each);
      ASSERT_EQ(difference(motifs, inside, found_by(*engine, texts.view(), begin, end)), "")
          << begin << " " << end << (which == edge::ends ? " ends" : " starts");
    }
  }
}

TEST_F(gpu_scan_edges, of_what_is_searched) {
  const weft::motif_set motifs = motifs_of(edge_patterns());
  check_parts(motifs, weft::scan_detail::make_bit_stream);
  if (!HasFatalFailure()) check_parts(motifs, weft::scan_detail::make_shift_and);
  if (!HasFatalFailure()) check_parts(motifs_of(unlike_edge_patterns()), weft::scan_detail::make_bit_stream);
}

// Checks the longest rows that bit-stream verifies itself, of 1,023 residues, and rows with one residue more.
TEST_F(gpu_scan_edges, of_tiles_in_the_longest_rows) {
  const weft::motif_set motifs = motifs_of({"A-x(0,1021)-W", "A-x(0,1022)-W", "A-x(1021)-W", "A-x(1022)-W",
                                            "A-x(1,600)-C-x(0,420)-W", "A-x(0,400)-C-x(1,620)-W"});
  for (const edge which : {edge::starts, edge::ends})
    EXPECT_EQ(
        weft::scan_detail::plan_for_gpu(motifs.motifs(), weft::alphabet::protein, which, 6000).dense_rows,
        (std::vector<std::uint32_t>{1, 3}));
  std::string text = edge_filler(edge_tile * 812);
  std::uint64_t edge_at = edge_tile;
  for (const std::uint64_t size : {1021U, 1022U, 1023U, 1024U, 1025U})
    for (std::uint64_t by = 0; by <= 2 * edge_reach; ++by)
      for (const std::uint64_t end_first : {std::uint64_t{0}, size}) {
        const std::uint64_t begin = edge_at + by - edge_reach - end_first;
        text[begin] = 'A', text[begin + size - 1] = 'W';
        text[begin + size / 3 + by * 2] = 'C';
        edge_at += edge_tile;
      }
  text.resize(edge_at);
  const std::vector<std::uint64_t> offsets = {0, text.size()};
  std::vector<engine_on> quick = all_engines();
  std::erase_if(quick, [](const engine_on& engine) { return engine.engine == "nfa-array"; });
  check(motifs, {text, offsets}, quick);
}

} // namespace
