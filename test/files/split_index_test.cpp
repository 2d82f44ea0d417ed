// Tests that a search in an index that is split among ranks writes the bytes of a search in one index. The
// ranks are threads.
#include <algorithm>
#include <exception>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/index_files.hpp>
#include <weft/files/find/pattern_search.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/files/ranks/rank_patterns.hpp>
#include <weft/files/ranks/rank_records.hpp>
#include <weft/files/ranks/split_index.hpp>
#include <weft/multi/thread_ranks.hpp>

#include "folder_test.hpp"
#include "search_cases.hpp"
#include "small_batches.hpp"

namespace weft::test {

namespace {

using namespace weft::files;
using multi::communicator;
using multi::run_ranks;
using std::string;

constexpr std::uint64_t memory = search_memory;

// All that a search leaves.
struct outcome {
  string text, error, note;
  std::vector<std::uint64_t> totals;
  bool operator==(const outcome&) const = default;
};

std::ostream& operator<<(std::ostream& to, const outcome& result) {
  return to << result.text << "error '" << result.error << "', note '" << result.note << "'";
}

class split_index_test : public folder_test {
protected:
  outcome search(communicator& ranks, searched_index& index, const string& patterns,
                 const find_options& options, std::uint64_t batch_bytes) {
    outcome result;
    std::unique_ptr<pattern_source> source;
    if (ranks.rank() == 0) source = std::make_unique<small_batches>(patterns, batch_bytes);
    if (ranks.size() > 1) source = std::make_unique<rank_patterns>(ranks, std::move(source));
    rank_output out(ranks, path("out"));
    const find_totals sum = sum_of_ranks(ranks, find_patterns(index, *source, options, out));
    out.commit();
    result.note = sum.first_impossible;
    result.totals = {sum.patterns, sum.occurrences, sum.cut, sum.impossible, sum.with_other_letters};
    return result;
  }

  outcome whole(const string& references, const string& patterns, const find_options& options) {
    outcome result;
    try {
      reference_set records = read_references({references}, memory, false);
      const fm_alphabet alphabet = guess_alphabet(records.text, 1);
      if (alphabet == fm_alphabet::dna) std::replace(records.text.begin(), records.text.end(), 'U', 'T');
      whole_index index(fm_index::build(records, {.alphabet = alphabet}), origin_bytes(options));
      run_ranks(1, [&](communicator& alone) { result = search(alone, index, patterns, options, 1 << 20); });
      result.text = text_of("out");
    } catch (const error& fault) {
      result = {"", fault.what(), "", {}};
    }
    return result;
  }

  // Calls work(ranks, index) on several ranks, with an index of the references that is split among them.
  template <class Work>
  static void with_split_index(int count, const string& references, const find_options& options,
                               const Work& work) {
    run_ranks(count, [&](communicator& ranks) {
      const fm_index own = build_own_index(ranks, references, {}, memory);
      split_index index(ranks, own, options);
      try {
        work(ranks, index);
        index.finish();
      } catch (...) {
        index.fail(std::current_exception());
        throw;
      }
    });
  }

  outcome split(int count, const string& references, const string& patterns, const find_options& options,
                std::uint64_t batch_bytes) {
    outcome result;
    try {
      with_split_index(count, references, options, [&](communicator& ranks, split_index& index) {
        const outcome own = search(ranks, index, patterns, options, batch_bytes);
        if (ranks.rank() == 0) result = own;
      });
      result.text = text_of("out");
    } catch (const error& fault) {
      result = {"", fault.what(), "", {}};
    }
    return result;
  }

  void expect_same(const std::vector<string>& records, std::size_t num_patterns,
                   const std::vector<find_options>& cases, bool fastq, std::mt19937_64& random) {
    const string references = put(fastq ? "x.fq" : "x.fa", as_file(records, fastq)),
                 patterns = put("patterns", random_patterns(num_patterns, records, random)),
                 long_patterns = put("long", "ACG\nGATTACA\nNNACGTACG\n");
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const bool one_letter = !cases[i].near || cases[i].near->max_distance == 0;
      const string& list = one_letter ? patterns : long_patterns;
      const outcome expected = whole(references, list, cases[i]);
      EXPECT_EQ(expected.error, "");
      const int count = std::vector{1, 2, 3, 5, 8}[random() % 5];
      EXPECT_EQ(split(count, references, list, cases[i], i % 2 == 0 ? 60 : 3000), expected)
          << "case " << i << ", " << count << " ranks";
    }
  }
};

TEST_F(split_index_test, finds_what_one_index_finds) {
  std::mt19937_64 random(1);
  const std::vector<find_options> all = searches_of_dna();
  unsigned first = 0;
  for (const std::size_t num_records : {0, 1, 2, 4, 30})
    for (unsigned kind = 0; kind < 5; ++kind) {
      std::vector<find_options> cases; // a part of them, because each builds an index
      for (std::size_t i = first++ % 4; i < all.size(); i += 4) cases.push_back(all[i]);
      expect_same(random_records(num_records, kind, random), num_records == 2 ? 0 : 40, cases, kind % 2 == 1,
                  random);
    }
}

TEST_F(split_index_test, finds_what_one_index_of_proteins_finds) {
  std::mt19937_64 random(2);
  std::vector<find_options> cases(5);
  cases[1].format = hit_format::gff3;
  cases[2].search.max_hits = 1;
  cases[3].search.max_hits = 5, cases[3].format = hit_format::jsonl;
  cases[4].count = true;
  for (find_options& options : cases) options.memory = memory;
  for (const std::size_t num_records : {1, 3, 40})
    for (int repeat = 0; repeat < 4; ++repeat)
      expect_same(random_records(num_records, 5, random), 60, cases, repeat == 1, random);
}

// Suffixes that are equal up to the end of the text of a rank are compared with the text of the next ones.
TEST_F(split_index_test, lists_the_hits_with_the_first_suffixes) {
  std::mt19937_64 random(3);
  std::vector<find_options> cases(4);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].memory = i == 3 ? std::uint64_t{1} << 20 : memory;
    cases[i].search.max_hits = std::vector<std::uint64_t>{1, 3, 10, 25}[i];
  }
  for (int repeat = 0; repeat < 24; ++repeat)
    expect_same(random_records(2 + random() % 20, 1 + static_cast<unsigned>(repeat % 3), random), 30, cases,
                false, random);
}

// Nearly all suffixes are equal up to the ends of the texts of ranks.
TEST_F(split_index_test, lists_the_first_hits_of_equal_records) {
  std::mt19937_64 random(7);
  std::vector<string> records(3000, random_text(60, "ACGT", random));
  for (const bool differ : {false, true}) {
    if (differ) records[1000][30] = records[1000][30] == 'A' ? 'C' : 'A';
    std::vector<find_options> cases(5);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      cases[i].memory = i == 1 ? memory / 4 : memory;
      cases[i].search.max_hits = std::vector<std::uint64_t>{1, 3, 1500, 2999, 10000}[i];
      cases[i].both_strands = i % 2 == 1;
    }
    expect_same(records, 30, cases, false, random);
  }
}

// Records of few kinds, some of which are ends of others or differ in a letter of many, in runs and mixed.
TEST_F(split_index_test, lists_the_first_hits_of_similar_records) {
  std::mt19937_64 random(8);
  std::vector<find_options> cases(4);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].memory = memory;
    cases[i].search.max_hits = std::vector<std::uint64_t>{1, 3, 20, 200}[i];
    cases[i].both_strands = i % 2 == 0;
    if (i == 3) cases[i].near = near_options{.max_distance = 0};
  }
  for (const string letters : {"ACGT", "ACGTN", "ACDEFGHIK"})
    for (const std::size_t size : {5, 40, 3000}) {
      std::vector<string> kinds{random_text(size, letters, random)};
      while (kinds.size() < 5) {
        kinds.push_back(kinds[random() % kinds.size()]);
        if (random() % 2 == 0) kinds.back().erase(0, random() % kinds.back().size());
        kinds.back()[random() % kinds.back().size()] = 'A';
      }
      std::vector<string> records;
      while (records.size() < 120)
        records.insert(records.end(), 1 + random() % (random() % 4 == 0 ? 30 : 2),
                       kinds[random() % kinds.size()]);
      const bool dna = letters != "ACDEFGHIK";
      std::vector<find_options> used = cases;
      if (!dna) used.pop_back();
      for (find_options& options : used) options.both_strands = options.both_strands && dna;
      expect_same(records, 30, used, false, random);
    }
}

TEST_F(split_index_test, gives_each_rank_a_range_of_records) {
  std::mt19937_64 random(4);
  for (const std::size_t num_records : {0, 1, 5, 200})
    for (const bool fastq : {false, true})
      for (const int count : {1, 2, 3, 8}) {
        const std::vector<string> records = random_records(num_records, 0, random);
        const string file = put("x", as_file(records, fastq));
        std::vector<reference_set> parts(static_cast<std::size_t>(count));
        run_ranks(count, [&](communicator& ranks) {
          parts[static_cast<std::size_t>(ranks.rank())] = read_own_records(ranks, file, memory);
        });
        std::size_t next = 0, total = 0, longest = 0;
        for (const string& record : records) {
          total += record.size();
          longest = std::max(longest, record.size());
        }
        for (const reference_set& part : parts) {
          EXPECT_LE(part.text.size(), total / parts.size() + 1 + longest);
          const sequences_view view = part;
          for (std::uint64_t i = 0; i < view.count(); ++i, ++next) {
            EXPECT_EQ(view.name(i), "r" + std::to_string(next));
            EXPECT_EQ(view[i], records[next]);
          }
        }
        EXPECT_EQ(next, records.size());
      }
}

TEST_F(split_index_test, reports_the_errors_of_one_index) {
  std::mt19937_64 random(5);
  const std::vector<string> records = random_records(20, 1, random);
  const string references = put("x.fa", as_file(records, false)),
               bad = put("bad.fa", as_file(records, false) + ">bad\nAC\1\n"),
               patterns = put("patterns", "ACGT\nAC\nACXT\nA\n");
  find_options options;
  options.memory = memory;
  options.strict = true;
  for (const int count : {1, 3, 8}) {
    EXPECT_EQ(split(count, references, patterns, options, 3), whole(references, patterns, options));
    EXPECT_EQ(split(count, bad, patterns, options, 3), whole(bad, patterns, options));
    EXPECT_EQ(split(count, path("none"), patterns, options, 3), whole(path("none"), patterns, options));
  }
}

TEST_F(split_index_test, refuses_an_index) {
  const fm_index index = fm_index::build(sequences());
  const string file = put("x.wfi", string(index.bytes().data(), index.bytes().size()));
  for (const int count : {1, 3})
    EXPECT_EQ(split(count, file, put("patterns", "A\n"), {}, 10).error,
              file +
                  " is an index, which cannot be split: give the sequences from which it was made, or leave "
                  "out --split-index");
}

TEST_F(split_index_test, needs_memory_for_the_first_hits) {
  const string references = put("x.fa", as_file({string(5000, 'A'), string(5000, 'A')}, false)),
               patterns = put("patterns", "A\n");
  find_options options;
  options.memory = std::uint64_t{1} << 20;
  options.search.max_hits = 4000;
  for (const int count : {2, 3})
    EXPECT_NE(split(count, references, patterns, options, 10)
                  .error.find("the first 4000 occurrences of 'A' do not fit"),
              string::npos);
}

// If a rank fails, all end with its error, also in the middle of a search.
TEST_F(split_index_test, ends_if_a_rank_fails) {
  std::mt19937_64 random(6);
  const std::vector<string> records = random_records(20, 1, random);
  const string references = put("x.fa", as_file(records, false)),
               patterns = put("patterns", random_patterns(100, records, random));
  find_options options;
  options.memory = memory;
  options.search.run.threads = 2;
  for (const int failing_rank : {0, 2})
    for (const int num_answers : {0, 1, 5}) {
      const auto work = [&](communicator& ranks, split_index& index) {
        for (int i = 0; i < num_answers; ++i) (void)search(ranks, index, patterns, options, 100);
        if (ranks.rank() == failing_rank) throw io_error("a rank fails");
        (void)search(ranks, index, patterns, options, 100);
      };
      EXPECT_THROW(with_split_index(3, references, options, work), io_error);
    }
}

} // namespace

} // namespace weft::test
