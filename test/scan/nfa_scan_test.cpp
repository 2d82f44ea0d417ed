// Tests the kernels of nfa-array and shift-and without a GPU: runs their bodies on a block of the host and
// compares them with the CPU engine shift-and.
#include "scan_cases.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <tuple>
#include <weft/base/block.hpp>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/nfa_scan.hpp>
#include <weft/scan/published/nfa_engines.hpp>

namespace {

using namespace weft::scan_detail;
using occurrences = std::vector<std::pair<std::uint32_t, std::uint64_t>>; // motif and position

struct variant {
  bool array;
  std::uint32_t threads;
  std::uint64_t block;
  std::size_t masks = 0;
  weft::thread_order order = weft::thread_order::ascending;
};

template <class Lane, bool InShared> void scan_all(const nfa_job& job, weft::thread_order order) {
  const auto threads = static_cast<int>(job.motifs.threads);
  const weft::host_block block{threads, order};
  std::vector<Lane> lanes(static_cast<std::size_t>(threads));
  const auto shared = std::make_unique<nfa_shared>();
  std::fill_n(reinterpret_cast<unsigned char*>(shared.get()), sizeof(nfa_shared), 0xc3);
  std::vector<typename Lane::Word> masks(
      InShared ? masks_bytes<typename Lane::Word>(job.motifs) / sizeof(typename Lane::Word) : 0);
  std::vector<std::uint64_t> scratch(Lane::scratch_bytes(job.motifs) / 8 + 1, 0x5a5a5a5a5a5a5a5a);
  nfa_job with_scratch = job;
  with_scratch.scratch = reinterpret_cast<unsigned char*>(scratch.data());
  for (std::uint64_t index = 0; index < nfa_items(job); ++index)
    scan_item<Lane, InShared>(
        block, [&](int t) -> Lane& { return lanes[static_cast<std::size_t>(t)]; }, *shared, masks.data(),
        with_scratch, index, 0);
}

template <nfa_kind Kind> void scan_bits(const nfa_job& job, weft::thread_order order) {
  if (job.motifs.word_bits == 32) return scan_all<bit_lane<std::uint32_t, 1, Kind>, true>(job, order);
  if constexpr (Kind != nfa_kind::rigid) {
    if (job.motifs.words == 1) return scan_all<bit_lane<std::uint64_t, 1, Kind>, true>(job, order);
    if (job.motifs.words == 2) return scan_all<bit_lane<std::uint64_t, 2, Kind>, true>(job, order);
    if (job.motifs.words == 4) return scan_all<bit_lane<std::uint64_t, 4, Kind>, false>(job, order);
  }
  FAIL() << "no such class";
}

void scan_class(const nfa_job& job, weft::thread_order order) {
  switch (job.motifs.kind) {
  case nfa_kind::rigid:
    return scan_bits<nfa_kind::rigid>(job, order);
  case nfa_kind::gaps:
    return scan_bits<nfa_kind::gaps>(job, order);
  case nfa_kind::full:
    return scan_bits<nfa_kind::full>(job, order);
  case nfa_kind::longer:
    return scan_all<longer_lane, false>(job, order);
  case nfa_kind::array:
    return scan_all<array_lane, false>(job, order);
  }
}

std::vector<std::uint32_t> starts_of(const weft_test::batch& texts) {
  std::vector<std::uint32_t> starts((texts.residues.size() + 8192) / 32 + 1);
  for (const std::uint64_t offset : texts.offsets) starts[offset / 32] |= 1U << (offset % 32);
  return starts;
}

struct found_all {
  std::vector<std::uint64_t> found;
  unsigned long long count = 0;
};

found_all found_by_kernels(const std::vector<weft::motif>& motifs, const weft_test::batch& texts,
                           std::uint64_t begin, std::uint64_t end, edge which, const variant& how,
                           std::size_t capacity) {
  const std::vector<std::uint32_t> starts = starts_of(texts);
  const byte_codes codes(motifs);
  found_all result;
  result.found.resize(capacity);
  const bool reversed = which == edge::starts;
  const std::uint64_t size = texts.residues.size();
  for (const nfa_class& some : nfa_classes(motifs, codes, {reversed, how.array, how.threads, how.masks})) {
    const nfa_job job{some.view(),
                      {reinterpret_cast<const unsigned char*>(texts.residues.data()), size,
                       texts.offsets.data(), texts.offsets.size() - 1, starts.data()},
                      codes.code_of.data(),
                      reversed ? size - end : begin,
                      reversed ? size - begin : end,
                      how.block,
                      reversed,
                      result.found.data(),
                      capacity,
                      &result.count,
                      nullptr};
    scan_class(job, how.order);
  }
  result.found.resize(std::min<std::size_t>(result.count, capacity));
  std::sort(result.found.begin(), result.found.end());
  return result;
}

std::vector<std::uint64_t> found_by_cpu(const std::vector<weft::motif>& motifs, const weft_test::batch& texts,
                                        std::uint64_t begin, std::uint64_t end, edge which) {
  std::vector<std::uint64_t> found;
  shift_and(weft::motif_set(motifs).data(), {texts.residues, texts.offsets}, begin, end, which,
            [&](const occurrence_block& block) {
              for (std::uint64_t k = 0; k + 1 < block.offsets.size(); ++k)
                for (std::uint32_t i = block.offsets[k]; i < block.offsets[k + 1]; ++i)
                  found.push_back(k << 40 | block.positions[i]);
            });
  std::sort(found.begin(), found.end());
  return found;
}

std::uint64_t compared = 0;

void check(const std::vector<weft::motif>& motifs, const weft_test::batch& texts, std::uint64_t begin,
           std::uint64_t end, const variant& how) {
  for (const edge which : {edge::ends, edge::starts}) {
    const auto want = found_by_cpu(motifs, texts, begin, end, which);
    const found_all have = found_by_kernels(motifs, texts, begin, end, which, how, want.size() + 100);
    compared += want.size();
    const auto shown = [&](std::uint64_t found) {
      return motifs[found >> 40].pattern + "@" + std::to_string(found & ((std::uint64_t{1} << 40) - 1));
    };
    ASSERT_EQ(weft_test::difference(want, have.found, shown), "")
        << (which == edge::ends ? " ends" : " starts") << " block " << how.block << " threads " << how.threads
        << (how.array ? " array" : "") << " count " << have.count << " of " << want.size() << " in "
        << texts.residues.substr(0, 200);
  }
}

constexpr std::uint64_t blocks[] = {1, 3, 7, 64, 500, 513, 4096, 1 << 20};
constexpr std::uint32_t thread_counts[] = {1, 14, 32, 64, 100, 256, 1024};

TEST(nfa_scan, random_motifs_and_sequences) {
  std::mt19937_64 random(21);
  for (unsigned round = 0; round < 120; ++round) {
    const auto motifs = weft_test::random_motifs(random, 1 + random() % 60).data().motifs;
    const auto texts = weft_test::random_texts(random, 1 + random() % 30, round % 3 == 0 ? 700 : 40,
                                               weft_test::letters_of_round(round));
    const std::uint64_t size = texts.residues.size();
    const variant how{round % 3 == 1, thread_counts[random() % 7], blocks[random() % 8],
                      round % 4 == 0 ? std::size_t{2000} : 0,
                      round % 2 == 0 ? weft::thread_order::ascending : weft::thread_order::descending};
    check(motifs, texts, 0, size, how);
    const std::uint64_t begin = random() % (size + 1);
    check(motifs, texts, begin, begin + random() % (size - begin + 1), how);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(compared, 100'000U);
}

TEST(nfa_scan, long_motifs_and_gaps) {
  std::mt19937_64 random(5);
  std::vector<weft::motif> motifs;
  for (const char* pattern : {"A-x(60,70)-C",
                              "A-x(105)-C",
                              "A(64)",
                              "C-x(0,130)-D>",
                              "A-x(63)-C-x(64,66)-A",
                              "D-x(127)-C",
                              "<x(100,200)-A-C",
                              "A-x*-D-x*-C",
                              "A(29)-C",
                              "A(30)-C",
                              "A(31)-C",
                              "A-x(29)",
                              "x(0,31)-C",
                              "A(62)-D",
                              "A(63)-D",
                              "A(126)-C",
                              "A(127)-C",
                              "A(254)-x(0,1)",
                              "A(255)",
                              "A(256)-C",
                              "x(0,255)-D",
                              "A-x(300,310)-C",
                              "D-x(0,700)-D",
                              "<x(0,400)>",
                              "A(0,40)-x(0,40)-C(0,40)",
                              "{D}(200)-[D>]",
                              "C-x(1,40)-[AC](2,30)-D"})
    motifs.push_back(weft::parse_motif(pattern));
  for (unsigned round = 0; round < 48; ++round) {
    weft_test::batch texts;
    for (unsigned i = 0; i < 6; ++i)
      texts.add(weft_test::random_sequence(random, random() % 900, i % 3 == 0 ? "A" : "AAAAACD"));
    check(motifs, texts, 0, texts.residues.size(),
          {round % 2 == 1, thread_counts[random() % 7], blocks[3 + random() % 5]});
    if (HasFatalFailure()) return;
  }
}

TEST(nfa_scan, exhaustive_small_texts) {
  std::vector<weft::motif> motifs;
  std::vector<std::string> patterns = weft_test::small_patterns;
  patterns.insert(patterns.end(), {"C-[A>](0,2)", "x(0,1)-[C>](2)"});
  for (const std::string& pattern : patterns) {
    weft::motif m;
    weft::motif_fault fault;
    if (weft::parse_motif(pattern, {}, m, fault)) motifs.push_back(m);
  }
  ASSERT_GE(motifs.size(), 19U);
  const weft_test::batch texts = weft_test::all_small_texts();
  for (const bool array : {false, true})
    for (const std::uint64_t block : blocks)
      check(motifs, texts, 0, texts.residues.size(), {array, 32, block});
}

TEST(nfa_scan, anchors_in_sets) {
  std::vector<weft::motif> motifs;
  for (const std::string& pattern : weft_test::patterns_with_anchors_in_sets())
    motifs.push_back(weft::parse_motif(pattern));
  const weft_test::batch texts = weft_test::all_texts("AGX", 4);
  for (const bool array : {false, true})
    for (const std::uint64_t block : {std::uint64_t{3}, std::uint64_t{500}})
      check(motifs, texts, 0, texts.residues.size(), {array, 32, block});
}

TEST(nfa_scan, one_class_of_each_kind_alone) { // so that a small kind does not join the next one
  std::mt19937_64 random(9);
  for (const char* pattern :
       {"A-C-[DN]", "A-x(1,3)-C", "x(0,2)-A-x(0,3)-D(0,2)", "<A-x(0,2)-C", "A-x-[D>]", "[<A]-x-D"})
    for (const unsigned copies : {1U, 17U, 40U}) {
      const std::vector<weft::motif> motifs(copies, weft::parse_motif(pattern));
      const auto texts = weft_test::random_texts(random, 30, 100, "ACDN");
      for (const std::uint64_t block : {std::uint64_t{33}, std::uint64_t{1000}})
        check(motifs, texts, 0, texts.residues.size(), {false, 32, block});
    }
}

TEST(nfa_scan, bytes_of_256_codes) {
  std::vector<weft::motif> motifs;
  std::mt19937_64 random(3);
  for (unsigned c = 0; c < 256; ++c) {
    weft::motif m;
    m.pattern = std::to_string(c);
    m.elements.resize(2);
    m.elements[0].accepts.set(c);
    m.elements[1].accepts.set(c).set((c + 1) % 256);
    m.elements[1].min = random() % 2;
    motifs.push_back(m);
  }
  weft_test::batch texts;
  for (unsigned i = 0; i < 20; ++i) {
    std::string text(random() % 600, ' ');
    for (char& c : text) c = static_cast<char>(random());
    texts.add(text);
  }
  for (const bool array : {false, true}) check(motifs, texts, 0, texts.residues.size(), {array, 64, 700});
}

TEST(nfa_scan, counts_what_does_not_fit) {
  std::mt19937_64 random(8);
  const auto motifs = weft_test::random_motifs(random, 40).data().motifs;
  const auto texts = weft_test::random_texts(random, 20, 300, "ACD");
  const std::uint64_t size = texts.residues.size();
  const auto want = found_by_cpu(motifs, texts, 0, size, edge::ends);
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, want.size() / 2, want.size()}) {
    const found_all have = found_by_kernels(motifs, texts, 0, size, edge::ends, {false, 32, 256}, capacity);
    EXPECT_EQ(have.count, want.size());
    EXPECT_EQ(have.found.size(), capacity);
    EXPECT_TRUE(std::includes(want.begin(), want.end(), have.found.begin(), have.found.end()));
  }
}

} // namespace
