// Checks matches across the cuts of pieces, and the memory that a scan takes.
#include "edge_cases.hpp"
#include "engine_suite.hpp"

#include <test/base/device_memory_taken.hpp>
#include <weft/scan/cuda/piece_scanner.hpp>

namespace {

using namespace weft_test;
using weft::match_rule;
using weft::match_vector;
using weft::scan_match;
using weft::scan_options;
using weft::scan_detail::edge;

class gpu_scan_pieces : public engine_suite {
protected:
  static weft::scan_detail::gpu_searcher_maker maker() {
    if (is_nfa_array()) return weft::scan_detail::make_nfa_array;
    return GetParam().engine == "shift-and"
               ? static_cast<weft::scan_detail::gpu_searcher_maker>(weft::scan_detail::make_shift_and)
               : weft::scan_detail::make_bit_stream;
  }
  // Returns the positions at which sequences are cut.
  static std::vector<std::uint64_t> cuts(const weft::motif_set& motifs, const weft::sequences_view& texts,
                                         const scan_options& options) {
    const int device = weft::known_gpus().devices.front().index;
    const edge which = options.rule == match_rule::ends ? edge::ends : edge::starts;
    const weft::scan_detail::piece_scanner scanner(motifs.data(), {device, maker(), which},
                                                   {device, options.run.device_memory, 0});
    std::vector<std::uint64_t> found;
    for (const auto& piece : weft::scan_detail::cut_pieces(
             texts, weft::scan_detail::reach_of(motifs.motifs(), which), scanner.limits()))
      if (piece.end != piece.text_end) found.push_back(piece.end);
    return found;
  }
};
INSTANTIATE_TEST_SUITE_P(gpu, gpu_scan_pieces, testing::ValuesIn(engines_on(weft::device_kind::gpu)),
                         name_of_engine);

// Puts every phrase at each offset at which it lies across a cut, or begins or ends near one. A scan of
// nfa-array has 3 pieces of 4 blocks of 4,096 residues and takes 0.1 s for each with 44 positions, so it gets
// every 13th offset.
TEST_P(gpu_scan_pieces, are_cut_inside_matches) {
  const weft::motif_set motifs = motifs_of(edge_patterns(is_nfa_array() ? 20 : 80));
  const std::vector<std::string> phrases = edge_phrases();
  std::vector<edge_offset> offsets = edge_offsets(phrases);
  if (is_nfa_array())
    std::erase_if(offsets, [&](const edge_offset& offset) {
      return offset.begin >= 0 || offset.begin + static_cast<int>(phrases[offset.phrase].size()) <= 0;
    });
  batch texts;
  for (const std::size_t size : {1000U, is_nfa_array() ? 40'000U : 300'000U, 0U, 500U})
    texts.add(edge_filler(size));
  const std::string plain = texts.residues;
  for (const match_rule rule : {match_rule::starts, match_rule::ends, match_rule::ps_scan}) {
    const scan_options options{.rule = rule, .run = {.device_memory = little_memory()}};
    const std::vector<std::uint64_t> at = cuts(motifs, texts.view(), options);
    ASSERT_GE(at.size(), 2U);
    std::uint64_t over = 0;
    const std::size_t step = is_nfa_array() ? 13 : rule == match_rule::ps_scan ? 5 : 1;
    for (std::size_t next = 0; next < offsets.size();) {
      texts.residues = plain;
      for (const std::uint64_t cut : at) {
        const edge_offset& offset = offsets[std::min(next, offsets.size() - 1)];
        const std::string& phrase = phrases[offset.phrase];
        texts.residues.replace(cut + static_cast<std::uint64_t>(static_cast<std::int64_t>(offset.begin)),
                               phrase.size(), phrase);
        next += step;
      }
      const match_vector want = weft::scan(motifs, texts.view(), on_cpu({.rule = rule}));
      ASSERT_EQ(difference(motifs, want, weft::scan(motifs, texts.view(), with(options))), "");
      for (const scan_match& m : want)
        for (const std::uint64_t cut : at) {
          const std::uint64_t first = texts.offsets[m.sequence];
          over += first + m.begin < cut && cut < first + m.end;
        }
    }
    EXPECT_GT(over, is_nfa_array() ? 10U : 300U);
  }
}

// Checks motifs with several gaps over one letter, which match often, in 64 MB: the matches are right, and
// the limit is never exceeded.
TEST_P(gpu_scan_pieces, take_no_more_memory_than_they_may) {
  const weft::motif_set motifs = motifs_of({"Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-A",
                                            "x(0,20)-A", "Q(3,9)-x(0,20)-A", "x(9)", "Q"});
  const device_memory_taken taken;
  ASSERT_TRUE(taken.known());
  batch texts;
  for (const std::size_t size : {is_nfa_array() ? 60'000U : 1'000'000U, 0U, 1U, 5'000U}) {
    std::string text(size, 'Q');
    for (std::size_t at = 2'999; at < size; at += 1'000 + at / 7 % 3'000) text[at] = 'A';
    texts.add(text);
  }
  for (scan_options options : {scan_rules[0], scan_rules[3]}) { // the rules for starts and for ends
    const match_vector want = weft::scan(motifs, texts.view(), on_cpu(options, "shift-and"));
    const std::vector<std::uint64_t> short_offsets = {0, 10};
    std::vector<std::uint64_t> sizes = {64'000'000};
    if (options.rule == match_rule::ends)
      sizes.push_back(12'000'000); // for starts, one block of Q alone is slow
    for (const std::uint64_t memory : sizes) {
      options.run.device_memory = memory;
      // creates the engine, whose memory does not count
      (void)weft::scan(motifs, {"QQQQAQQQQA", short_offsets}, with(options));
      const std::uint64_t before = taken.now();
      taken.reset();
      ASSERT_EQ(difference(motifs, want, weft::scan(motifs, texts.view(), with(options))), "") << memory;
      EXPECT_LE(taken.peak_bytes(), before + memory);
    }
  }
}

// Checks that several pieces of whole sequences, whose rules are applied on the device, do not exceed the
// limit either.
TEST_P(gpu_scan_pieces, in_stages_take_no_more_memory_than_they_may) {
  const weft::motif_set motifs = motifs_of({"A-C-D-x(0,9)-N", "A-C-C", "<C-A", "D-D-N>", "N-x(3)-N-A"});
  const device_memory_taken taken;
  ASSERT_TRUE(taken.known());
  std::mt19937_64 random(95);
  batch texts;
  for (std::size_t size = 0; size < (is_nfa_array() ? 100'000U : 3'000'000U); size += 1000)
    texts.add(random_sequence(random, 500 + random() % 1000, "ACDNEFGHIKLM"));
  for (scan_options options : {scan_rules[0], scan_rules[3]}) {
    const match_vector want = weft::scan(motifs, texts.view(), on_cpu(options));
    options.run.device_memory = 64'000'000;
    options.run.threads = 4;
    const std::vector<std::uint64_t> short_offsets = {0, 10};
    (void)weft::scan(motifs, {"ACDNACDNAC", short_offsets}, with(options)); // creates what does not count
    const std::uint64_t before = taken.now();
    taken.reset();
    ASSERT_EQ(difference(motifs, want, weft::scan(motifs, texts.view(), with(options))), "");
    EXPECT_LE(taken.peak_bytes(), before + options.run.device_memory);
  }
}

} // namespace
