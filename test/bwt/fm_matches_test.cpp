// Tests fm_index::matches() against the definitions of test/reference/match_reference.hpp.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/bwt/fm_index.hpp>

#include "../reference/match_reference.hpp"
#include "fm_cases.hpp"

namespace weft::test {

namespace {

using reference::exact_match;
using texts = std::vector<std::string>;

constexpr match_kind all_kinds[] = {match_kind::mem, match_kind::mum, match_kind::mum_ref, match_kind::smem};

sequences batch_of(const texts& records) {
  sequences batch;
  for (const std::string& each : records) batch.add(each);
  return batch;
}

std::string reverse_complement(const std::string& text) {
  std::string result(text.rbegin(), text.rend());
  for (char& c : result) c = c == 'A' ? 'T' : c == 'C' ? 'G' : c == 'G' ? 'C' : c == 'T' ? 'A' : c;
  return result;
}

std::vector<exact_match> expected_matches(const texts& records, const texts& queries,
                                          const match_options& options) {
  std::vector<exact_match> result;
  for (std::uint64_t q = 0; q < queries.size(); ++q)
    for (std::uint64_t reverse = 0; reverse < (options.both_strands ? 2U : 1U); ++reverse) {
      const std::string strand = reverse == 0 ? queries[q] : reverse_complement(queries[q]);
      std::vector<exact_match> found = reference::matches(records, strand, options);
      std::sort(found.begin(), found.end());
      for (exact_match each : found) {
        each.query = q;
        each.reverse = reverse;
        if (reverse != 0) each.query_begin = strand.size() - each.query_begin - each.length;
        result.push_back(each);
      }
    }
  return result;
}

std::vector<exact_match> rows_of(const fm_matches& columns) {
  std::vector<exact_match> rows;
  for (std::uint64_t i = 0; i < columns.size(); ++i)
    rows.push_back({columns.query[i], columns.reverse[i], columns.query_begin[i], columns.record[i],
                    columns.begin[i], columns.length[i]});
  return rows;
}

std::string shown(const std::vector<exact_match>& matches) {
  std::string text;
  for (const exact_match& m : matches)
    text += "query " + std::to_string(m.query) + (m.reverse != 0 ? "-" : "+") +
            std::to_string(m.query_begin) + " record " + std::to_string(m.record) + " " +
            std::to_string(m.begin) + " length " + std::to_string(m.length) + "\n";
  return text;
}

void check(const texts& records, const texts& queries, const match_options& options) {
  const fm_index index = fm_index::build(batch_of(records));
  const auto found = rows_of(index.matches(batch_of(queries), options));
  const auto expected = expected_matches(records, queries, options);
  if (found == expected) return;
  std::string inputs;
  for (const std::string& each : records) inputs += "record " + each + "\n";
  for (const std::string& each : queries) inputs += "query " + each + "\n";
  FAIL() << inputs << "kind " << static_cast<int>(options.kind) << ", min_length " << options.min_length
         << ", min_occurrences " << options.min_occurrences << "\nexpected\n"
         << shown(expected) << "found\n"
         << shown(found);
}

// Calls each(text) for all texts of at most `size` of the letters.
template <class Each> void for_each_text(const std::string& letters, std::size_t size, const Each& each) {
  texts level = {""};
  for (std::size_t n = 0; n <= size; ++n) {
    texts next;
    for (const std::string& text : level) {
      each(text);
      for (const char c : letters) next.push_back(text + c);
    }
    level.swap(next);
  }
}

// Compares all queries with one reference, as records of one batch.
void check_all_queries(const std::string& letters, std::size_t reference_size, std::size_t query_size) {
  texts queries;
  for_each_text(letters, query_size, [&](const std::string& query) { queries.push_back(query); });
  for_each_text(letters, reference_size, [&](const std::string& text) {
    for (const match_kind kind : all_kinds)
      for (const std::uint64_t length : {1, 2, 3}) {
        match_options options{.kind = kind, .min_length = length, .both_strands = true};
        check({text}, queries, options);
        if (kind != match_kind::smem) continue;
        options.min_occurrences = 2;
        check({text}, queries, options);
      }
  });
}

TEST(fm_matches, of_all_short_texts_of_two_letters) { check_all_queries("AT", 6, 5); }
TEST(fm_matches, of_all_short_texts_of_two_letters_and_n) { check_all_queries("ACN", 4, 4); }

// Returns text of pieces of a few units, with changes and stretches of N.
std::string repetitive_text(std::mt19937_64& random, const texts& units, std::size_t pieces) {
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::string& unit = units[random() % units.size()];
    const std::size_t begin = random() % unit.size();
    std::string piece = unit.substr(begin, 1 + random() % unit.size());
    if (random() % 4 == 0) piece[random() % piece.size()] = "ACGTN"[random() % 5];
    if (random() % 16 == 0) piece += std::string(random() % 40, "NA"[random() % 2]);
    if (random() % 4 == 0) piece = reverse_complement(piece);
    text += piece;
  }
  return text;
}

TEST(fm_matches, of_random_repetitive_texts) {
  std::mt19937_64 random(71);
  for (int round = 0; round < 150; ++round) {
    const texts units = {random_text(random, 40, "ACGT"), random_text(random, 7, "ACGT"),
                         random_text(random, 100, "AC"), "A"};
    texts records, queries;
    for (std::uint64_t i = random() % 3 + 1; i > 0; --i)
      records.push_back(repetitive_text(random, units, random() % 20));
    for (std::uint64_t i = random() % 4 + 1; i > 0; --i)
      queries.push_back(repetitive_text(random, units, random() % 8));
    const match_options options{.kind = all_kinds[round % 4],
                                .min_length = 1 + random() % (round % 3 == 0 ? 60 : 12),
                                .min_occurrences = round % 4 == 3 ? 1 + random() % 4 : 1,
                                .both_strands = random() % 2 == 0};
    check(records, queries, options);
  }
}

// More than 32 copies of the units, so that windows replace seeds.
TEST(fm_matches, of_stretches_that_occur_often) {
  std::mt19937_64 random(72);
  for (int round = 0; round < 24; ++round) {
    const texts units = {random_text(random, 30, "ACGT"), random_text(random, 3, "ACGT")};
    const texts records = {repetitive_text(random, units, 150)},
                queries = {repetitive_text(random, units, 6)};
    check(records, queries,
          {.kind = all_kinds[round % 4],
           .min_length = 2 + random() % 24,
           .min_occurrences = round % 8 == 7 ? 1 + random() % 40 : 1,
           .both_strands = true});
  }
}

// Long records are cut into ranges, and short ones are searched together.
TEST(fm_matches, do_not_depend_on_threads_or_memory) {
  std::mt19937_64 random(73);
  const std::string shared = random_text(random, 60'000, "ACGT");
  texts records = {shared + std::string(300, 'A') + shared.substr(10'000, 9'000)}, queries = {shared};
  for (std::size_t i = 0; i < queries[0].size(); i += 1 + random() % 200)
    queries[0][i] = "ACGTN"[random() % 5];
  queries[0] += reverse_complement(queries[0].substr(0, 30'000));
  for (int i = 0; i < 300; ++i) queries.push_back(queries[0].substr(random() % 50'000, random() % 300));
  const fm_index index = fm_index::build(batch_of(records));
  for (const match_kind kind : all_kinds) {
    match_options options{.kind = kind, .min_length = 15, .both_strands = true, .run = {.threads = 1}};
    const auto alone = rows_of(index.matches(batch_of(queries), options));
    EXPECT_GT(alone.size(), 1000U);
    options.run.threads = 3;
    EXPECT_EQ(rows_of(index.matches(batch_of(queries), options)), alone);
    // With this memory, only 1,024 matches are held at once.
    options.run.memory = 256 << 10;
    std::vector<exact_match> parts;
    index.visit_matches(batch_of(queries), options, [&](const fm_matches& part) {
      EXPECT_LE(part.size(), kind == match_kind::mum ? 5000U : 1024U);
      const auto rows = rows_of(part);
      parts.insert(parts.end(), rows.begin(), rows.end());
    });
    EXPECT_EQ(parts, alone);
    if (alone.size() > 2000) {
      EXPECT_THROW((void)index.matches(batch_of(queries), options), memory_error);
    }
  }
}

TEST(fm_matches, are_exact_between_a_genome_and_a_copy_of_it) {
  std::mt19937_64 random(74);
  const std::string genome = random_text(random, 200'000, "ACGT");
  const fm_index index = fm_index::build(batch_of({genome}));
  const fm_matches found = index.matches(batch_of({genome}), {.min_length = 30});
  EXPECT_EQ(shown(rows_of(found)), "query 0+0 record 0 0 length 200000\n");
  const fm_matches reverse = index.matches(batch_of({reverse_complement(genome)}), {.both_strands = true});
  EXPECT_EQ(shown(rows_of(reverse)), "query 0-0 record 0 0 length 200000\n");
}

TEST(fm_matches, of_lower_case_and_of_nothing) {
  const fm_index index = fm_index::build(batch_of({"acgtnACGT", ""}));
  EXPECT_EQ(shown(rows_of(index.matches(batch_of({"", "ggAcGtaa", "NN"}), {.min_length = 4}))),
            "query 1+2 record 0 0 length 4\nquery 1+2 record 0 5 length 4\n");
  EXPECT_EQ(index.matches(sequences(), {}).size(), 0U);
  EXPECT_EQ(fm_index::build(sequences()).matches(batch_of({"ACGT"}), {.min_length = 1}).size(), 0U);
}

TEST(fm_matches, refuse_wrong_options) {
  const fm_index index = fm_index::build(batch_of({"ACGT"}));
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}), {.min_length = 0}), std::invalid_argument);
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}), {.min_occurrences = 0}), std::invalid_argument);
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}), {.run = {.engine = "none"}}), error);
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}), {.run = {.device = {device_kind::gpu}}}), error);
  const fm_index protein = fm_index::build(batch_of({"ACGT"}), {.alphabet = fm_alphabet::protein});
  EXPECT_THROW((void)protein.matches(batch_of({"ACGT"})), std::invalid_argument);
  EXPECT_EQ(fm_match_engines().at(0).name, "seeds");
}

TEST(fm_matches, count_letters_and_can_be_cancelled) {
  task_monitor monitor;
  run_info info;
  const fm_index index = fm_index::build(batch_of({"ACGT"}));
  (void)index.matches(batch_of({"ACGT", "GG"}),
                      {.both_strands = true, .run = {.monitor = &monitor, .info = &info}});
  EXPECT_EQ(monitor.done(), 12U);
  EXPECT_EQ(info.work, 12U);
  EXPECT_EQ(info.engine, "seeds");
  monitor.cancel();
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}), {.run = {.monitor = &monitor}}), cancelled_error);
}

} // namespace

} // namespace weft::test
