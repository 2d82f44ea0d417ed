// Checks nfa-array and shift-and on a GPU against shift-and on the CPU.
#include "scan_gpu_cases.hpp"

#include <weft/scan/cuda/nfa/nfa_engines.hpp>

namespace {

using namespace weft_test;
using weft::scan_detail::mask_placement;
using weft::scan_detail::nfa_options;

constexpr std::uint32_t thread_counts[] = {0, 14, 32, 64, 100, 256, 1024};
constexpr std::uint64_t block_sizes[] = {0, 64, 100, 512, 513, 4096, 65536, 1 << 20};

std::unique_ptr<gpu_searcher> make(bool array, const weft::motif_set& motifs, edge which,
                                   const nfa_options& options) {
  const weft::gpu::stream copies; // destroyed before the engine
  return array ? weft::scan_detail::make_nfa_array(motifs.data(), which, copies.get(), options)
               : weft::scan_detail::make_shift_and(motifs.data(), which, copies.get(), options);
}

std::string description(bool array, edge which, const nfa_options& options) {
  return std::string(array ? "nfa-array" : "shift-and") + (which == edge::ends ? " ends" : " starts") +
         " q " + std::to_string(options.threads) + " B " + std::to_string(options.block_residues) +
         (options.placement == mask_placement::cached ? " cached" : " shared");
}

class gpu_scan_nfa : public gpu_suite {
protected:
  static void check(const weft::motif_set& motifs, const batch& texts, std::uint64_t begin, std::uint64_t end,
                    bool array, const nfa_options& options) {
    const weft::sequences_view sequences{texts.residues, texts.offsets};
    for (const edge which : {edge::ends, edge::starts}) {
      const auto engine = make(array, motifs, which, options);
      const auto want = expected_by_cpu(motifs, sequences, begin, end, which);
      ASSERT_EQ(difference(motifs, want, found_by(*engine, sequences, begin, end)), "")
          << description(array, which, options) << " [" << begin << ", " << end << ") of "
          << texts.residues.size();
    }
  }
  static void check(const weft::motif_set& motifs, const batch& texts, bool array,
                    const nfa_options& options) {
    check(motifs, texts, 0, texts.residues.size(), array, options);
  }
};

nfa_options random_options(std::mt19937_64& random) {
  return {thread_counts[random() % 7], block_sizes[random() % 8],
          random() % 2 == 0 ? mask_placement::explicit_shared : mask_placement::cached};
}

TEST_F(gpu_scan_nfa, one_motif_one_residue) {
  for (const bool array : {false, true}) {
    batch one;
    one.add("A");
    check(motifs_of({"A", "C", "<A>", "x", "A*"}), one, array, {});
    batch none;
    check(motifs_of({"A"}), none, array, {});
    none.add("");
    check(motifs_of({"A"}), none, array, {});
    check(motifs_of({}), one, array, {});
  }
}

TEST_F(gpu_scan_nfa, random_motifs_and_sequences) {
  std::mt19937_64 random(31);
  for (unsigned round = 0; round < 120; ++round) {
    const auto motifs = random_motifs(random, 1 + random() % (round % 8 == 0 ? 1500 : 80));
    const auto texts = random_texts(random, 1 + random() % 60, round % 3 == 0 ? 2000 : 40,
                                    weft_test::letters_of_round(round));
    const std::uint64_t size = texts.residues.size(), begin = random() % (size + 1);
    const bool array = round % 4 == 3;
    const nfa_options options = random_options(random);
    check(motifs, texts, array, options);
    check(motifs, texts, begin, begin + random() % (size - begin + 1), array, options);
    if (HasFatalFailure()) return;
  }
}

TEST_F(gpu_scan_nfa, every_size_of_block_and_group) {
  std::mt19937_64 random(32);
  const auto texts = random_texts(random, 40, 1500, "ACDNEQ");
  const weft::sequences_view sequences{texts.residues, texts.offsets};
  const std::uint64_t size = texts.residues.size();
  const auto motifs = mostly_rare_motifs(random, 1100, 30, sequences);
  ASSERT_EQ(motifs.motifs().size(), 1100U);
  for (const edge which : {edge::ends, edge::starts}) {
    const auto want = expected_by_cpu(motifs, sequences, 0, size, which);
    const auto compare = [&](bool array, const nfa_options& options) {
      const auto engine = make(array, motifs, which, options);
      ASSERT_EQ(difference(motifs, want, found_by(*engine, sequences, 0, size)), "")
          << description(array, which, options);
    };
    for (const std::uint64_t block : block_sizes) {
      for (const std::uint32_t threads : thread_counts) {
        compare(false, {threads, block, mask_placement::explicit_shared});
        compare(false, {threads, block, mask_placement::cached});
      }
      compare(true, {256, block, {}});
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(gpu_scan_nfa, long_motifs_and_gaps) {
  std::mt19937_64 random(33);
  const auto motifs = motifs_of(long_patterns);
  for (unsigned round = 0; round < 40; ++round) {
    // A step of nfa-array takes 1,600 positions here, or 1 ms. It gets 1,000 residues; a block also reads the
    // 700 before it.
    const bool array = round % 4 == 3;
    batch texts;
    for (unsigned i = 0; i < 8; ++i)
      texts.add(random_sequence(random, random() % (array ? 250 : 1200), i % 3 == 0 ? "A" : "AAAAACD"));
    texts.add(random_sequence(random, random() % 800, "AAAAACD"));
    check(motifs, texts, array, random_options(random));
    if (HasFatalFailure()) return;
  }
}

TEST_F(gpu_scan_nfa, one_long_sequence) {
  std::mt19937_64 random(34);
  batch texts;
  for (const std::size_t size : {1, 0, 36'000, 1, 0, 0, 300})
    texts.add(random_sequence(random, size, "AAAACDN"));
  const auto several = random_motifs(random, 200);
  for (const std::uint64_t block : block_sizes) {
    check(several, texts, false, {0, block, {}});
    check(motifs_of(long_patterns), texts, false, {0, block, {}});
    if (HasFatalFailure()) return;
  }
  check(several, texts, true, {0, 4096, {}});
  std::vector<std::string> shorter; // with 500 positions of all classes, a search takes 1 s
  for (const std::string& pattern : long_patterns)
    if (const auto length = weft::parse_motif(pattern).max_length();
        length <= 256 || length == weft::motif_element::unbounded)
      shorter.push_back(pattern);
  check(motifs_of(shorter), texts, true, {0, 4096, {}});
}

TEST_F(gpu_scan_nfa, matches_over_every_block_edge) {
  batch texts;
  texts.add(std::string(5000, 'A'));
  for (unsigned i = 0; i < 300; ++i) texts.add(std::string(i % 7, 'A'));
  const auto motifs =
      motifs_of({"A", "A(2)", "A(31)", "A(32)", "A-x(0,9)-A", "A(64)", "<A(3)", "A(3)>", "A*"});
  for (const std::uint64_t block : {64, 65, 511, 512, 1024})
    for (const bool array : {false, true}) check(motifs, texts, array, {0, block, {}});
}

TEST_F(gpu_scan_nfa, exhaustive_small_texts) {
  const auto motifs = motifs_of({"A", "A-C", "A-x-C", "A-x(0,2)-C", "x(0,1)-A", "<A", "A>", "<A>", "<x(0,2)>",
                                 "A*-C", "<{C}*>", "A-[C>]", "A(2,3)", "x", "{A}(2)", "[AC]-x(1,3)-A(0,1)-C>",
                                 "A-C*", "x(3)", "A(0,2)-x(0,2)-C(0,1)"});
  const batch texts = all_small_texts();
  for (const bool array : {false, true})
    for (const std::uint64_t block : {1, 3, 7, 64, 500, 4096}) check(motifs, texts, array, {0, block, {}});
}

TEST_F(gpu_scan_nfa, one_class_of_each_kind_alone) { // so that a small kind does not join the next one
  std::mt19937_64 random(39);
  for (const char* pattern : {"A-C-[DN]", "A-x(1,3)-C", "x(0,2)-A-x(0,3)-D(0,2)", "<A-x(0,2)-C", "A-x-[D>]"})
    for (const std::size_t copies : {1, 17, 40})
      for (const std::uint64_t block : {33, 1000})
        check(motifs_of(std::vector<std::string>(copies, pattern)), random_texts(random, 30, 100, "ACDN"),
              false, {0, block, {}});
}

TEST_F(gpu_scan_nfa, all_bytes) {
  std::mt19937_64 random(35);
  std::vector<weft::motif> all;
  for (unsigned c = 0; c < 256; ++c) {
    weft::motif m;
    m.pattern = "byte " + std::to_string(c);
    m.elements.resize(2);
    m.elements[0].accepts.set(c);
    m.elements[1].accepts.set(c).set((c + 1) % 256);
    m.elements[1].min = random() % 2;
    all.push_back(m);
  }
  const weft::motif_set motifs(std::move(all));
  batch texts;
  for (unsigned i = 0; i < 50; ++i) {
    std::string text(random() % 3000, ' ');
    for (char& c : text) c = static_cast<char>(random());
    texts.add(text);
  }
  for (const std::uint32_t threads : thread_counts) {
    check(motifs, texts, false, {threads, 0, mask_placement::explicit_shared});
    check(motifs, texts, false, {threads, 0, mask_placement::cached});
  }
  check(motifs, texts, true, {});
}

TEST_F(gpu_scan_nfa, counts_what_does_not_fit) {
  std::mt19937_64 random(36);
  const auto motifs = random_motifs(random, 300);
  const auto texts = random_texts(random, 100, 600, "ACD");
  const weft::sequences_view sequences{texts.residues, texts.offsets};
  for (const bool array : {false, true}) {
    const auto want = expected_by_cpu(motifs, sequences, 0, texts.residues.size(), edge::ends);
    const auto engine = make(array, motifs, edge::ends, {});
    for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{1}, want.size() / 2, want.size()}) {
      auto have = find_once(*engine, sequences, 0, texts.residues.size(), capacity);
      EXPECT_EQ(have.count, want.size());
      std::sort(have.found.begin(), have.found.end());
      EXPECT_TRUE(std::includes(want.begin(), want.end(), have.found.begin(), have.found.end()));
    }
  }
}

TEST_F(gpu_scan_nfa, parts_make_the_whole) {
  std::mt19937_64 random(37);
  const auto motifs = random_motifs(random, 100);
  const auto texts = random_texts(random, 60, 500, "ACDN");
  const weft::sequences_view sequences{texts.residues, texts.offsets};
  for (const edge which : {edge::ends, edge::starts}) {
    const auto engine = make(false, motifs, which, {});
    std::vector<std::uint64_t> parts;
    for (std::uint64_t begin = 0, end = 0; begin < texts.residues.size(); begin = end) {
      end = std::min<std::uint64_t>(texts.residues.size(), begin + 1 + random() % 2000);
      const auto part = found_by(*engine, sequences, begin, end);
      parts.insert(parts.end(), part.begin(), part.end());
    }
    std::sort(parts.begin(), parts.end());
    EXPECT_EQ(difference(motifs, found_by(*engine, sequences, 0, texts.residues.size()), parts), "");
  }
}

} // namespace
