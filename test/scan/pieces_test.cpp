// Scans texts in pieces as a GPU does, but with an engine of the CPU, and compares the matches with those of
// scan().
#include "scan_cases.hpp"

#include <gtest/gtest.h>
#include <weft/base/error.hpp>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/cpu/bit_stream.hpp>
#include <weft/scan/entry/ranges.hpp>
#include <weft/scan/entry/strands.hpp>
#include <weft/scan/published/nfa_engines.hpp>

namespace {

using namespace weft::scan_detail;
using weft::match_rule;
using weft::match_vector;
using weft::scan_match;
using weft::scan_options;
using weft::sequences_view;

// Searches at most `step` residues at once.
class cpu_searcher final : public piece_searcher {
public:
  cpu_searcher(const weft::motif_set& motifs, engine_function engine, edge which, std::uint64_t step)
      : motifs_(motifs), engine_(engine), which_(which), step_(step) {}

  void load(const sequences_view& text) override {
    residues_ = text.data;
    offsets_.assign(text.offsets.begin(), text.offsets.end());
    max_ = std::max<std::uint64_t>(max_, residues_.size());
  }
  part find(std::uint64_t begin, std::uint64_t end) override {
    const std::uint64_t stop = std::min(end, begin + step_);
    found_.clear();
    engine_(motifs_.data(), {residues_, offsets_}, begin, stop, which_, [&](const occurrence_block& block) {
      for (std::uint64_t motif = 0; motif + 1 < block.offsets.size(); ++motif)
        for (std::uint32_t i = block.offsets[motif]; i < block.offsets[motif + 1]; ++i)
          found_.push_back(motif << position_bits | block.positions[i]);
    });
    std::sort(found_.begin(), found_.end());
    return {stop, found_};
  }
  [[nodiscard]] std::uint64_t max_residues() const { return max_; }

private:
  const weft::motif_set& motifs_;
  engine_function engine_;
  edge which_;
  std::uint64_t step_, max_ = 0;
  std::string residues_;
  std::vector<std::uint64_t> offsets_, found_;
};

// Maximal numbers of residues of a piece, of one search and of a range, and the number of threads.
struct sizes {
  std::uint64_t piece, step, range;
  int threads;
};

match_vector in_pieces(const weft::motif_set& motifs, const sequences_view& texts, scan_options options,
                       engine_function engine, const sizes& of, std::uint64_t& pieces_cut) {
  options.run.threads = of.threads;
  return scan_strands(texts, options.strands, [&](const sequences_view& strand) {
    cpu_searcher search(motifs, engine, edge_of(options.rule), of.step);
    const piece_limits limits{of.piece + 3, 3, 1, 0};
    const std::vector<text_piece> pieces =
        cut_pieces(strand, reach_of(motifs.motifs(), edge_of(options.rule)), limits);
    for (const text_piece& piece : pieces)
      pieces_cut += piece.begin != piece.text_begin || piece.end != piece.text_end;
    auto ranges = scan_pieces(motifs.data(), strand, options, pieces, search, of.range);
    EXPECT_LE(search.max_residues(), of.piece);
    return join_ranges(options, std::move(ranges));
  });
}

constexpr engine_function engines[] = {bit_stream, shift_and, nfa_array};

std::vector<weft::motif> random_motifs(std::mt19937_64& random, int count, bool bounded,
                                       const weft::motif_syntax& syntax) {
  std::vector<weft::motif> motifs;
  while (motifs.size() < static_cast<std::size_t>(count)) {
    weft::motif m = weft::parse_motif(weft_test::random_pattern(random, true), syntax);
    if (!bounded || m.max_length() != weft::motif_element::unbounded) motifs.push_back(std::move(m));
  }
  return motifs;
}

TEST(scan_pieces, of_bounded_motifs_are_cut_anywhere) {
  std::mt19937_64 random(41);
  std::uint64_t cut = 0, matches = 0;
  for (int round = 0; round < 16; ++round) {
    const weft::motif_syntax syntax{.greedy = round % 3 != 0, .unknown_in_sets = round % 4 != 0};
    const weft::motif_set motifs(random_motifs(random, 12, true, syntax), syntax);
    weft_test::batch texts;
    for (int i = 0; i < 12; ++i)
      texts.add(weft_test::random_sequence(random, random() % 3 == 0 ? random() % 700 : random() % 30,
                                           weft_test::letters_of_round(round)));
    const sequences_view batch{texts.residues, texts.offsets};
    const std::uint64_t min_piece =
        2 * reach_of(motifs.motifs(), edge::ends) + 1; // the motifs that starts need are a subset
    for (const scan_options& options : weft_test::every_scan_rule) {
      const match_vector want = weft::scan(motifs, batch, options);
      matches += want.size();
      for (const sizes& of :
           {sizes{min_piece, 1'000, 1'000, 1}, sizes{min_piece + random() % 40, 1 + random() % 9, 7, 2},
            sizes{min_piece + random() % 300, 1 + random() % 60, 20, 3}, sizes{9'999, 40, 16, 2}})
        ASSERT_EQ(in_pieces(motifs, batch, options, engines[random() % 3], of, cut), want)
            << of.piece << " " << of.step << " " << of.range;
    }
  }
  EXPECT_GT(cut, 5'000U);
  EXPECT_GT(matches, 30'000U);
}

// Checks matches that need the ends of the text: the end of a piece must not count as the end of the
// sequence.
TEST(scan_pieces, have_no_ends_of_sequences_where_they_are_cut) {
  std::vector<weft::motif> some;
  for (const char* pattern : {"<A(5)", "A(5)>", "<x(2,5)", "x(2)-A(0,3)>", "<A-x(2)", "A-A-[C>]", "A-x(3)-A",
                              "[<C]-A(4)", "[<C]-A-x(0,2)-[C>]"})
    some.push_back(weft::parse_motif(pattern));
  const weft::motif_set motifs(some);
  weft_test::batch texts;
  for (const std::size_t size : {60U, 3U, 5U, 31U}) texts.add(std::string(size, 'A'));
  const sequences_view batch{texts.residues, texts.offsets};
  std::uint64_t cut = 0;
  for (const scan_options& options : weft_test::every_scan_rule)
    for (std::uint64_t max_piece = 2 * 5 + 1; max_piece < 70; ++max_piece)
      for (const std::uint64_t step : {std::uint64_t{3}, max_piece})
        ASSERT_EQ(in_pieces(motifs, batch, options, engines[max_piece % 3], {max_piece, step, 9, 1}, cut),
                  weft::scan(motifs, batch, options))
            << max_piece;
  EXPECT_GT(cut, 1'000U);
}

TEST(scan_pieces, of_motifs_without_a_bound_are_whole_sequences) {
  std::mt19937_64 random(43);
  std::uint64_t cut = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<weft::motif> some = random_motifs(random, 8, false, {});
    some.push_back(weft::parse_motif("A-C*-D-x*-N>"));
    const weft::motif_set motifs(some);
    weft_test::batch texts;
    for (int i = 0; i < 40; ++i) texts.add(weft_test::random_sequence(random, random() % 60, "ACDNX"));
    const sequences_view batch{texts.residues, texts.offsets};
    for (const scan_options& options : weft_test::every_scan_rule)
      for (const sizes& of : {sizes{60, 1'000, 1'000, 1}, sizes{100, 1 + random() % 9, 5, 2}})
        ASSERT_EQ(in_pieces(motifs, batch, options, engines[random() % 3], of, cut),
                  weft::scan(motifs, batch, options));
    EXPECT_THROW((void)in_pieces(motifs, batch, {}, shift_and, {20, 9, 9, 1}, cut), weft::memory_error);
  }
  EXPECT_EQ(cut, 0U);
}

TEST(scan_pieces, of_both_strands) {
  std::mt19937_64 random(44);
  std::uint64_t cut = 0;
  const weft::motif_syntax syntax{.alphabet = weft::alphabet::dna};
  std::vector<weft::motif> some;
  for (const char* pattern : {"G-A-A-T-T-C", "A-R-x(0,2)-C>", "<G-N", "Y(2,4)-G", "A-x(3)-T"})
    some.push_back(weft::parse_motif(pattern, syntax));
  const weft::motif_set motifs(some, syntax);
  weft_test::batch texts;
  for (int i = 0; i < 30; ++i) texts.add(weft_test::random_sequence(random, random() % 400, "ACGTacgtN"));
  const sequences_view batch{texts.residues, texts.offsets};
  for (scan_options options : weft_test::every_scan_rule)
    for (const auto strands : {weft::strand_choice::reverse, weft::strand_choice::both}) {
      options.strands = strands;
      for (const sizes& of : {sizes{13, 1'000, 1'000, 1}, sizes{50, 11, 6, 2}})
        ASSERT_EQ(in_pieces(motifs, batch, options, engines[random() % 3], of, cut),
                  weft::scan(motifs, batch, options));
    }
  EXPECT_GT(cut, 1'000U);
}

// Checks that texts are cut between sequences if these fit, and that pieces include as many residues around
// them as matches reach.
TEST(scan_pieces, are_of_whole_sequences_where_these_fit) {
  const std::string residues(40, 'A');
  const std::vector<std::uint64_t> offsets = {0, 0, 4, 9, 9, 10, 30, 30, 35, 40, 40};
  const sequences_view batch{residues, offsets};
  using pieces = std::vector<text_piece>;
  EXPECT_EQ(cut_pieces(batch, 3, {1000, 0, 1, 0}), (pieces{{0, 40, 0, 40}}));
  EXPECT_EQ(cut_pieces(batch, 3, {10, 0, 1, 0}), (pieces{{0, 10, 0, 10},
                                                         {10, 17, 10, 14},
                                                         {11, 21, 14, 18},
                                                         {15, 25, 18, 22},
                                                         {19, 29, 22, 26},
                                                         {23, 30, 26, 30},
                                                         {30, 40, 30, 40}}));
  EXPECT_EQ(cut_pieces(batch, no_longest_match, {20, 0, 1, 0}),
            (pieces{{0, 10, 0, 10}, {10, 30, 10, 30}, {30, 40, 30, 40}}));
  EXPECT_EQ(cut_pieces(batch, no_longest_match, {59, 10, 2, 5}),
            (pieces{{0, 10, 0, 10}, {10, 30, 10, 30}, {30, 40, 30, 40}}));
  EXPECT_TRUE(cut_pieces({}, 3, {10, 0, 1, 0}).empty());
  std::vector<std::uint64_t> kept;
  const sequences_view text = text_of(batch, {7, 32, 9, 29}, kept);
  EXPECT_EQ(text.data.data(), residues.data() + 7);
  EXPECT_EQ(kept, (std::vector<std::uint64_t>{0, 2, 2, 3, 23, 23, 25}));
}

TEST(scan_pieces, between_sequences) {
  const std::string residues(40, 'A');
  const std::vector<std::uint64_t> offsets = {0, 0, 4, 9, 9, 10, 30, 30, 35, 40, 40};
  const sequences_view batch{residues, offsets};
  using pieces = std::vector<sequence_range>;
  const auto cut = [&](std::uint64_t preferred, std::uint64_t maximum = 1000) {
    return cut_between_sequences(batch, preferred, maximum);
  };
  EXPECT_EQ(cut(1000), (pieces{{0, 10}}));
  EXPECT_EQ(cut(40), (pieces{{0, 10}}));
  EXPECT_EQ(cut(39), (pieces{{0, 8}, {8, 10}}));
  EXPECT_EQ(cut(10), (pieces{{0, 5}, {5, 6}, {6, 10}}));
  // empty sequences are in a piece with others
  EXPECT_EQ(cut(5), (pieces{{0, 2}, {2, 4}, {4, 5}, {5, 6}, {6, 8}, {8, 10}}));
  // or alone, which costs nothing
  EXPECT_EQ(cut(4), (pieces{{0, 2}, {2, 3}, {3, 5}, {5, 6}, {7, 8}, {8, 9}}));
  EXPECT_EQ(cut(1000, 40 + 11 * 8), (pieces{{0, 10}}));
  EXPECT_EQ(cut(1000, 40 + 11 * 8 - 1), (pieces{{0, 9}})); // the tenth sequence is empty
  EXPECT_EQ(cut(1000, 36), (pieces{{0, 2}, {2, 4}, {4, 5}, {5, 6}, {6, 8}, {8, 10}}));
  EXPECT_EQ(cut(1000, 35), pieces{}); // 20 residues and two offsets take 36 bytes
  EXPECT_EQ(cut_between_sequences({}, 10, 1000), pieces{});
  EXPECT_EQ(cut_between_sequences({"", std::span(offsets).first(2)}, 10, 1000), pieces{});
}

TEST(scan_pieces, between_sequences_are_all_there_is) {
  std::mt19937_64 random(47);
  for (int round = 0; round < 500; ++round) {
    weft_test::batch texts;
    for (std::uint64_t i = random() % 30; i > 0; --i)
      texts.add(std::string(random() % 3 == 0 ? 0 : random() % 40, 'A'));
    const std::uint64_t preferred = random() % 60, maximum = 16 + random() % 400;
    std::uint64_t longest = 0, before = 0, after = 0;
    for (std::uint64_t s = 0; s < texts.view().count(); ++s)
      longest = std::max<std::uint64_t>(longest, texts.view()[s].size());
    const auto pieces = cut_between_sequences(texts.view(), preferred, maximum);
    if (longest + 16 > maximum) {
      ASSERT_TRUE(pieces.empty());
      continue;
    }
    for (const auto& [first, last] : pieces) {
      const std::uint64_t size = texts.offsets[last] - texts.offsets[first];
      ASSERT_TRUE(before <= first && first < last && texts.offsets[before] == texts.offsets[first]);
      ASSERT_TRUE(size > 0 && (size <= preferred || last == first + 1));
      ASSERT_LE(size + 8 * (last - first + 1), maximum);
      before = last;
      after += size;
    }
    ASSERT_EQ(after, texts.residues.size());
  }
}

TEST(scan_pieces, that_cannot_be_are_told_of) {
  const std::string residues(100, 'A');
  const std::vector<std::uint64_t> offsets = {0, 100};
  const auto message = [&](std::uint64_t reach, const piece_limits& limits) {
    try {
      (void)cut_pieces({residues, offsets}, reach, limits);
    } catch (const weft::memory_error& failure) {
      return std::string(failure.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(5, {19, 8, 1, 0}), "");
  EXPECT_EQ(message(5, {18, 8, 1, 0}), "scanning on the GPU for matches of up to 5 residues needs at "
                                       "least 19 B of device memory, but only 18 B is allowed");
  EXPECT_EQ(message(5, {1, 8, 1, 0}), "scanning on the GPU for matches of up to 5 residues needs at "
                                      "least 19 B of device memory, but only 1 B is allowed");
  EXPECT_EQ(message(no_longest_match, {107, 8, 1, 0}),
            "a motif whose matches have no maximum length needs whole sequences on the GPU: a sequence "
            "of 100 residues needs at least 108 B of device memory, but only 107 B is allowed");
}

TEST(scan_pieces, reach_as_far_as_the_longest_match) {
  const auto reach = [](const std::vector<const char*>& patterns, edge which = edge::starts) {
    std::vector<weft::motif> motifs;
    for (const char* pattern : patterns) motifs.push_back(weft::parse_motif(pattern));
    return reach_of(motifs, which);
  };
  EXPECT_EQ(reach({}), 1U);
  EXPECT_EQ(reach({"A", "A-x(0,7)-[G>]", "C(3)"}), 9U);
  EXPECT_EQ(reach({"A", "C*"}), no_longest_match);
  EXPECT_EQ(reach({"A-C", "[<M]-x(30)"}), 2U); // engines do not search for the starts of this motif
  EXPECT_EQ(reach({"A-C", "[<M]-x(30)"}, edge::ends), 31U);
}

TEST(scan_pieces, tell_of_progress_and_can_be_cancelled) {
  const weft::motif_set motifs({weft::parse_motif("A-C"), weft::parse_motif("[AC](4)")});
  std::mt19937_64 random(45);
  const std::string residues = weft_test::random_sequence(random, 5'000, "AC");
  const std::vector<std::uint64_t> offsets = {0, 10, 4'000, 5'000};
  weft::task_monitor monitor;
  std::uint64_t cut = 0;
  (void)in_pieces(motifs, {residues, offsets}, {.run = {.monitor = &monitor}}, bit_stream, {100, 30, 7, 2},
                  cut);
  EXPECT_EQ(monitor.done(), 5'000U);
  monitor.cancel();
  EXPECT_THROW((void)in_pieces(motifs, {residues, offsets}, {.run = {.monitor = &monitor}}, bit_stream,
                               {100, 30, 7, 2}, cut),
               weft::cancelled_error);
}

// Checks a range with more occurrences than one block holds.
TEST(scan_pieces, with_very_many_occurrences) {
  std::vector<weft::motif> some;
  for (int i = 0; i < 600; ++i) some.push_back(weft::parse_motif("x(" + std::to_string(100 + i % 3) + ")"));
  const weft::motif_set motifs(some);
  const std::string residues(30'000, 'A');
  const std::vector<std::uint64_t> offsets = {0, 30'000};
  std::uint64_t cut = 0;
  const scan_options options{.overlap = false, .run = {.threads = 2}};
  EXPECT_TRUE(in_pieces(motifs, {residues, offsets}, options, bit_stream, {30'000, 30'000, 30'000, 2}, cut) ==
              weft::scan(motifs, {residues, offsets}, options));
}

} // namespace
