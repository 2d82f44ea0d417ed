// Compares weft::gpu::scan with weft::scan on the CPU: the matches and their order must be equal.
#include "scan_gpu_cases.hpp"

#include <filesystem>
#include <fstream>
#include <test_paths.hpp>
#include <thread>
#include <weft/base/error.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/scan/scan.cuh>

namespace {

using weft::match_rule;
using weft::match_vector;
using weft::motif_set;
using weft::scan_match;
using weft::scan_options;
using weft_test::batch;

class gpu_scan_resident : public weft_test::gpu_suite {};

const scan_options rules[] = {{},
                              {.overlap = false},
                              {.included = true},
                              {.max_x = 1},
                              {.max_x = -1},
                              {.overlap = false, .max_x = 2},
                              {.overlap = false, .included = true},
                              {.rule = match_rule::starts},
                              {.rule = match_rule::ends}};

// A text in device memory, which starts `moved` bytes after an aligned address.
class text_there {
public:
  text_there(const batch& texts, cudaStream_t stream, std::size_t moved = 0)
      : residues_(texts.residues.size() + moved, stream),
        offsets_(texts.offsets.size(), stream), text_{residues_.data() + moved, offsets_.data(),
                                                      texts.offsets.size() - 1, texts.residues.size()} {
    weft::gpu::copy(residues_.data() + moved, texts.residues.data(), texts.residues.size(), stream,
                    "copy residues");
    weft::gpu::copy(offsets_.data(), texts.offsets.data(), texts.offsets.size(), stream, "copy offsets");
  }
  [[nodiscard]] const weft::gpu::sequences_view& text() const { return text_; }

private:
  weft::gpu::device_buffer<char> residues_;
  weft::gpu::device_buffer<std::uint64_t> offsets_;
  weft::gpu::sequences_view text_;
};

match_vector read_back(const weft::gpu::scan_matches& matches, cudaStream_t stream) {
  match_vector items(matches.count(), scan_match{});
  weft::gpu::copy(items.data(), matches.data(), items.size(), stream, "read matches");
  weft::gpu::check(cudaStreamSynchronize(stream), "read matches");
  return items;
}

match_vector on_gpu(const motif_set& motifs, const batch& texts, const scan_options& options,
                    cudaStream_t stream, std::size_t moved = 0) {
  const text_there text(texts, stream, moved);
  return read_back(weft::gpu::scan(motifs, text.text(), options, stream), stream);
}

match_vector on_cpu(const motif_set& motifs, const batch& texts, const scan_options& options) {
  return weft::scan(motifs, {texts.residues, texts.offsets},
                    {.rule = options.rule,
                     .overlap = options.overlap,
                     .included = options.included,
                     .max_x = options.max_x,
                     .strands = options.strands,
                     .run = {.device = {weft::device_kind::cpu, 0}}});
}

std::string told(const scan_options& options) {
  return "rule " + std::to_string(static_cast<int>(options.rule)) + " overlap " +
         std::to_string(options.overlap) + " included " + std::to_string(options.included) + " max_x " +
         std::to_string(options.max_x) + " strands " + std::to_string(static_cast<int>(options.strands)) +
         " engine " + options.run.engine;
}

void check(const motif_set& motifs, const batch& texts, const scan_options& options, cudaStream_t stream,
           std::size_t moved = 0) {
  ASSERT_EQ(weft_test::difference(motifs, on_cpu(motifs, texts, options),
                                  on_gpu(motifs, texts, options, stream, moved)),
            "")
      << told(options) << " in " << texts.residues.substr(0, 200);
}

void check_rules(const motif_set& motifs, const batch& texts, cudaStream_t stream, std::size_t moved = 0) {
  for (const scan_options& options : rules)
    ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, stream, moved));
}

TEST_F(gpu_scan_resident, small_texts) {
  const weft::gpu::stream work;
  const motif_set motifs = weft_test::motifs_of(weft_test::small_patterns);
  check_rules(motifs, weft_test::all_small_texts(), work.get());
}

TEST_F(gpu_scan_resident, anchors_in_sets) {
  const weft::gpu::stream work;
  const motif_set motifs = weft_test::motifs_of(weft_test::patterns_with_anchors_in_sets());
  check_rules(motifs, weft_test::all_texts("AGX", 4), work.get());
}

TEST_F(gpu_scan_resident, random_motifs_and_texts) {
  const weft::gpu::stream work;
  std::mt19937_64 random(81);
  for (int round = 0; round < 30; ++round) {
    const weft::motif_set motifs = weft_test::motifs_of_round(random, round, 40);
    const batch texts =
        weft_test::random_texts(random, 300, round % 5 == 0 ? 400 : 60, weft_test::letters_of_round(round));
    ASSERT_NO_FATAL_FAILURE(check_rules(motifs, texts, work.get(), round % 17));
  }
}

TEST_F(gpu_scan_resident, every_engine) {
  const weft::gpu::stream work;
  std::mt19937_64 random(82);
  const motif_set motifs = weft_test::random_motifs(random, 200);
  const batch texts = weft_test::random_texts(random, 500, 80, "ACDNEX");
  for (const weft::engine_info& engine : weft::scan_engines())
    for (scan_options options : rules) {
      options.run.engine = engine.name;
      ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, work.get()));
    }
}

// The patterns need wide automata for ends and have long matches.
TEST_F(gpu_scan_resident, long_patterns) {
  const weft::gpu::stream work;
  std::mt19937_64 random(83);
  const motif_set motifs = weft_test::motifs_of(weft_test::long_patterns);
  batch texts;
  for (int i = 0; i < 40; ++i)
    texts.add(weft_test::random_sequence(random, random() % 900, i % 3 == 0 ? "A" : "AAAAACD"));
  check_rules(motifs, texts, work.get());
}

TEST_F(gpu_scan_resident, sequences_of_very_different_lengths) {
  const weft::gpu::stream work;
  std::mt19937_64 random(84);
  const motif_set motifs = weft_test::motifs_of({"A-C-D-x(0,30)-N>", "N-x(3,200)-C-C-C-A", "<A-x(2)",
                                                 "A-A-[D>]", "C(3,9)", "[<A]-C-x-D", "N-{A}(4)-D", "D-A*-N"});
  batch texts;
  for (const std::size_t size : {0U, 1U, 36'000U, 0U, 0U, 1U, 63U, 64U, 65U, 2'000U, 0U})
    texts.add(weft_test::random_sequence(random, size, "AACCDNX"));
  for (int i = 0; i < 3000; ++i)
    texts.add(weft_test::random_sequence(random, random() % 4 == 0 ? random() % 200 : random() % 2, "ACDN"));
  for (int i = 0; i < 100; ++i) texts.add("");
  check_rules(motifs, texts, work.get(), 3);
}

// Successive gaps match a run of one letter in many ways. So many walks need more memory than a thread has
// that the list of walks for a thread with more memory overflows.
TEST_F(gpu_scan_resident, poly_q) {
  const weft::gpu::stream work;
  const motif_set motifs = weft_test::motifs_of(
      {"Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-A", "x(0,20)-A",
       "x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-"
       "x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-A",
       "Q-x(0,9)-x(0,9)-x(0,9)-x(0,9)-x(0,9)-C"});
  batch texts;
  texts.add(std::string(3000, 'Q'));
  texts.add(std::string(300, 'Q') + "A" + std::string(300, 'Q') + "C" + std::string(20, 'Q'));
  for (int i = 0; i < 200; ++i) texts.add(std::string(40, 'Q') + "A" + std::string(i, 'Q') + "AC");
  for (const scan_options& options : rules)
    ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, work.get()));
}

// Each thread takes one sequence, and tries thousands of ways to match at each of its residues.
TEST_F(gpu_scan_resident, poly_q_from_the_start) {
  const weft::gpu::stream work;
  const motif_set motifs = weft_test::motifs_of({"Q(0,3)-[<Q]-x(0,9)-x(0,9)-A"});
  batch texts;
  for (int i = 0; i < 100; ++i)
    texts.add(std::string(20, 'Q') + (i % 2 == 0 ? "A" : "") + std::string(i, 'Q'));
  for (const scan_options& options : rules)
    ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, work.get()));
}

TEST_F(gpu_scan_resident, more_walks_are_left_than_listed) {
  const weft::gpu::stream work;
  const motif_set motifs = weft_test::motifs_of(
      {"x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-"
       "x(0,1)-x(0,1)-x(0,1)-A",
       "A(300)", "A-C"});
  batch texts;
  for (int i = 0; i < 20; ++i) texts.add(std::string(10'000, 'A'));
  check(motifs, texts, {}, work.get());
  check(motifs, texts, {.rule = match_rule::ends}, work.get());
}

TEST_F(gpu_scan_resident, dna_strands) {
  const weft::gpu::stream work;
  std::mt19937_64 random(85);
  const motif_set motifs = weft_test::dna_motifs();
  const batch texts = weft_test::random_texts(random, 400, 100, "ACGTacgtNRYU-");
  for (const auto strands :
       {weft::strand_choice::forward, weft::strand_choice::reverse, weft::strand_choice::both})
    for (scan_options options : rules) {
      options.strands = strands;
      ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, work.get(), 5));
    }
}

TEST_F(gpu_scan_resident, bytes) {
  const weft::gpu::stream work;
  std::mt19937_64 random(86);
  const weft::motif_syntax syntax{.alphabet = weft::alphabet::bytes};
  std::vector<weft::motif> list;
  for (const char* pattern : {"[<X]-C", "X(1,2)-C", "[AX](2)", "a-x", "#-x(0,3)-a"})
    list.push_back(weft::parse_motif(pattern, syntax));
  check_rules(motif_set(list, syntax), weft_test::random_texts(random, 200, 50, "XACax#"), work.get());
}

// There are more matches than the first buffer holds.
TEST_F(gpu_scan_resident, where_nearly_everything_matches) {
  const weft::gpu::stream work;
  std::vector<std::string> patterns;
  for (int i = 0; i < 60; ++i) patterns.push_back(i % 3 == 0 ? "x(9)" : i % 3 == 1 ? "A" : "{C}-x(0,2)-{C}");
  const motif_set motifs = weft_test::motifs_of(patterns);
  std::mt19937_64 random(87);
  batch texts;
  for (const std::size_t size : {50'000U, 7U, 3'000U, 33U})
    texts.add(weft_test::random_sequence(random, size, "AAAAAAAC"));
  check_rules(motifs, texts, work.get());
}

TEST_F(gpu_scan_resident, prosite_on_proteins) {
  const std::string path = std::string(WEFT_EXTRA_DATA) + "/prosite-20.119.dat",
                    proteins = std::string(WEFT_EXTRA_DATA) + "/proteins.fa";
  if (!std::filesystem::exists(path) || !std::filesystem::exists(proteins))
    GTEST_SKIP() << "no " << path << " or " << proteins;
  const weft::gpu::stream work;
  std::vector<weft::motif> list;
  for (const auto& record : weft::io::read_motifs(path).records)
    list.push_back(weft::parse_motif(record.pattern));
  batch texts;
  std::ifstream file(proteins);
  std::string sequence;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with('>')) {
      texts.add(sequence);
      sequence.clear();
    } else {
      sequence += line;
    }
  texts.add(sequence);
  const motif_set motifs(list);
  EXPECT_FALSE(on_cpu(motifs, texts, {}).empty());
  check_rules(motifs, texts, work.get());
}

TEST_F(gpu_scan_resident, many_threads_share_motifs) {
  std::mt19937_64 random(88);
  const motif_set motifs = weft_test::random_motifs(random, 60);
  const batch texts = weft_test::random_texts(random, 2000, 100, "ACDNX");
  const match_vector starts = on_cpu(motifs, texts, {}),
                     ends = on_cpu(motifs, texts, {.rule = match_rule::ends});
  std::vector<std::jthread> team;
  for (int member = 0; member < 6; ++member)
    team.emplace_back([&, member] {
      const weft::gpu::stream work;
      for (int round = 0; round < 5; ++round) {
        const bool of_starts = (member + round) % 2 == 0;
        const scan_options options{.rule = of_starts ? match_rule::ps_scan : match_rule::ends,
                                   .run = {.device_memory = member < 3 ? std::uint64_t{256} << 20 : 0}};
        EXPECT_TRUE(on_gpu(motifs, texts, options, work.get()) == (of_starts ? starts : ends));
        if (member == 5) {
          EXPECT_TRUE(weft::scan(motifs, {texts.residues, texts.offsets},
                                 {.run = {.device = {weft::device_kind::gpu, 0}}}) == starts);
        }
      }
    });
}

TEST_F(gpu_scan_resident, default_stream_and_matches_that_outlive_motifs) {
  weft::gpu::scan_matches matches;
  batch texts;
  texts.add("ACDCA");
  {
    const motif_set motifs = weft_test::motifs_of({"C-x(0,1)-A"});
    const text_there text(texts, nullptr);
    matches = weft::gpu::scan(motifs, text.text(), {}, nullptr);
  }
  EXPECT_EQ(read_back(matches, nullptr), (match_vector{{0, 0, 3, 5}}));
}

TEST_F(gpu_scan_resident, little_device_memory) {
  const weft::gpu::stream work;
  std::mt19937_64 random(89);
  const motif_set motifs = weft_test::motifs_of({"A", "x(9)", "A-x(0,3)-C", "C-C", "A-C-D-x(1,9)-N"});
  batch texts;
  for (const std::size_t size : {300'000U, 70'000U, 10U})
    texts.add(weft_test::random_sequence(random, size, "AACCDN"));
  for (scan_options options : rules) {
    const match_vector want = on_cpu(motifs, texts, options);
    bool enough = false;
    for (std::uint64_t memory = 1000; memory < std::uint64_t{1} << 30; memory *= 2) {
      options.run.device_memory = memory;
      try {
        ASSERT_TRUE(on_gpu(motifs, texts, options, work.get()) == want) << told(options) << " " << memory;
        enough = true;
      } catch (const weft::memory_error&) {
        ASSERT_FALSE(enough) << memory;
        ASSERT_LT(memory, std::uint64_t{256} << 20);
      }
    }
    ASSERT_TRUE(enough);
  }
}

TEST_F(gpu_scan_resident, nothing) {
  const weft::gpu::stream work;
  const motif_set motifs = weft_test::motifs_of({"A"});
  batch texts;
  EXPECT_TRUE(on_gpu(motifs, texts, {}, work.get()).empty());
  EXPECT_EQ(weft::gpu::scan(motifs, {}, {}, work.get()).count(), 0U);
  texts.add("");
  texts.add("");
  EXPECT_TRUE(on_gpu(motifs, texts, {}, work.get()).empty());
  texts.add("CCC");
  for (const scan_options& options : rules) {
    EXPECT_TRUE(on_gpu(motifs, texts, options, work.get()).empty());
    EXPECT_TRUE(on_gpu(motif_set(), texts, options, work.get()).empty());
    EXPECT_TRUE(on_gpu(weft_test::motifs_of({"[<A]"}), texts, options, work.get()).empty());
  }
}

TEST_F(gpu_scan_resident, faults) {
  const weft::gpu::stream work;
  const motif_set motifs = weft_test::motifs_of({"A", "A-x(0,2)-C"});
  for (const std::vector<std::uint64_t>& wrong : {std::vector<std::uint64_t>{0, 3},
                                                  {1, 5},
                                                  {0, 4, 3, 5},
                                                  {0, 1ULL << 50, 5},
                                                  {0, 6},
                                                  {5, 0},
                                                  {0, ~0ULL, 5}}) {
    batch texts{"AACCA", wrong};
    EXPECT_THROW((void)on_gpu(motifs, texts, {}, work.get()), std::invalid_argument);
  }
  batch texts{"AACCA", {0, 2, 5}};
  EXPECT_THROW((void)on_gpu(motifs, texts, {.run = {.engine = "none"}}, work.get()), weft::error);
  EXPECT_THROW((void)on_gpu(motifs, texts, {.strands = weft::strand_choice::both}, work.get()), weft::error);
  EXPECT_THROW((void)on_gpu(motifs, texts, {.run = {.device_memory = 100}}, work.get()), weft::memory_error);
  EXPECT_THROW((void)on_gpu(motifs, texts, {.circular = true}, work.get()), weft::error);
  for (const weft::device_choice elsewhere :
       {weft::device_choice{weft::device_kind::cpu, 0}, weft::device_choice{weft::device_kind::gpu, 99}})
    EXPECT_THROW((void)on_gpu(motifs, texts, {.run = {.device = elsewhere}}, work.get()),
                 std::invalid_argument);
  EXPECT_THROW((void)weft::gpu::scan(motifs, {nullptr, nullptr, 2, 5}, {}, work.get()),
               std::invalid_argument);
  EXPECT_THROW((void)weft::gpu::scan(motifs, {nullptr, nullptr, 0, 5}, {}, work.get()),
               std::invalid_argument);
  ASSERT_NO_FATAL_FAILURE(check(motifs, texts, {}, work.get())); // the failed call has left no state
}

} // namespace
