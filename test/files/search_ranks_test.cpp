// Tests that searches in an index write the same bytes on any number of ranks. The ranks are threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/match_search.hpp>
#include <weft/files/find/pattern_search.hpp>
#include <weft/files/find/searched_index.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/files/ranks/rank_patterns.hpp>
#include <weft/files/ranks/turn_writer.hpp>
#include <weft/multi/thread_ranks.hpp>

#include "folder_test.hpp"
#include "small_batches.hpp"

namespace weft::test {

namespace {

using namespace weft::files;
using multi::communicator;
using multi::run_ranks;
using std::string;

string random_dna(std::size_t size, std::mt19937_64& random) {
  string text(size, ' ');
  std::generate(text.begin(), text.end(), [&] { return "ACGT"[random() % 4]; });
  return text;
}

// An outcome is all that a command leaves: its output, its totals, and its error.
struct outcome {
  string text, error;
  std::vector<std::uint64_t> totals;
  string note;
  bool operator==(const outcome&) const = default;
};

std::ostream& operator<<(std::ostream& to, const outcome& result) {
  return to << result.text.size() << " bytes, error '" << result.error << "', note '" << result.note << "'";
}

class search_ranks : public folder_test {
protected:
  // Calls body(ranks, out) on `count` ranks, with a file or a pipe as the output. The text of a pipe is
  // complete also if the command fails.
  outcome run(int count, bool to_pipe,
              const std::function<void(communicator&, rank_output&, outcome&)>& body) {
    outcome result;
    std::array<int, 2> ends{-1, -1};
    string piped;
    std::thread reader;
    if (to_pipe) {
      EXPECT_EQ(::pipe(ends.data()), 0);
      reader = std::thread([&] {
        std::array<char, 4096> bytes{};
        for (ssize_t got = 1; (got = ::read(ends[0], bytes.data(), bytes.size())) > 0;)
          piped.append(bytes.data(), static_cast<std::size_t>(got));
      });
    }
    const string to = to_pipe ? "/dev/fd/" + std::to_string(ends[1]) : path("out");
    try {
      run_ranks(count, [&](communicator& ranks) {
        outcome own;
        rank_output out(ranks, to);
        body(ranks, out, own);
        out.commit();
        if (ranks.rank() == 0) result = own;
      });
      if (!to_pipe) result.text = text_of("out");
    } catch (const error& fault) {
      result.error = fault.what();
    }
    if (to_pipe) {
      ::close(ends[1]);
      reader.join();
      ::close(ends[0]);
      result.text = piped;
    }
    return result;
  }

  outcome find(int count, const fm_index& index, const string& patterns, const find_options& options,
               std::uint64_t batch_bytes, bool to_pipe = false) {
    return run(count, to_pipe, [&](communicator& ranks, rank_output& out, outcome& result) {
      std::unique_ptr<pattern_source> source;
      if (ranks.rank() == 0) source = std::make_unique<small_batches>(patterns, batch_bytes);
      if (count > 1) source = std::make_unique<rank_patterns>(ranks, std::move(source));
      whole_index whole(index, origin_bytes(options));
      const find_totals sum = sum_of_ranks(ranks, find_patterns(whole, *source, options, out));
      result.totals = {sum.patterns,   sum.occurrences,        sum.cut,
                       sum.impossible, sum.with_other_letters, sum.without_contexts};
      result.note = sum.first_impossible;
    });
  }

  outcome match(int count, const string& reference, const std::vector<string>& queries,
                const match_search_options& options, bool to_pipe = false) {
    return run(count, to_pipe, [&](communicator& ranks, rank_output& out, outcome& result) {
      const reference_index from = open_or_build_index(ranks, reference, {}, 0);
      const match_totals sum = find_matches(ranks, from.index, queries, options, out);
      result.totals = {sum.queries, sum.letters, sum.matches};
    });
  }

  // Three records, one of which repeats a part of another one.
  static sequences references(std::mt19937_64& random) {
    sequences result;
    const string first = random_dna(3000, random);
    result.add(first, "one");
    result.add(random_dna(100, random) + "NNNN" + first.substr(500, 700), "two");
    result.add(random_dna(40, random), "three");
    return result;
  }
};

TEST_F(search_ranks, patterns_are_found_as_by_one_rank) {
  std::mt19937_64 random(1);
  const sequences genome = references(random);
  const fm_index index = fm_index::build(genome);
  const string text(sequences_view(genome).data);
  string list;
  for (int i = 0; i < 600; ++i)
    list += i % 50 == 17 ? "GATTNCA\n" : text.substr(random() % 3000, 2 + random() % 30) + "\n";
  std::vector<find_options> cases(1);
  cases[0].search.run.threads = 2;
  cases[0].memory = 1 << 27;
  cases.resize(7, cases[0]);
  cases[1].format = hit_format::bed, cases[1].both_strands = cases[1].circular = true;
  cases[2].format = hit_format::jsonl, cases[2].count = true;
  cases[3].format = hit_format::sam, cases[3].search.max_hits = 1, cases[3].search.run.threads = 1;
  cases[4].near = near_options{.max_distance = 1};
  cases[5].near = near_options{.metric = near_metric::errors, .max_distance = 1}, cases[5].circular = true;
  cases[6].format = hit_format::gff3, cases[6].memory = 1 << 20;
  for (const string& patterns : {string(), string("ACG\n"), string("ACGT\nGATTNCA\nAC\n"), list}) {
    const string file = put("patterns", patterns);
    for (std::size_t i = 0; i < cases.size(); i += patterns == list ? 1 : 2) {
      const outcome expected = find(1, index, file, cases[i], 1 << 20);
      for (const int count : {1, 2, 3, 8})
        for (const std::uint64_t bytes : {100, 3000})
          EXPECT_EQ(find(count, index, file, cases[i], bytes, bytes == 100 && count % 2 == 1), expected)
              << i << " " << count << " " << bytes;
      EXPECT_EQ(find(2, index, file, cases[i], 500, true), expected) << i;
    }
  }
}

TEST_F(search_ranks, the_first_bad_pattern_is_reported) {
  std::mt19937_64 random(2);
  const fm_index index = fm_index::build(references(random));
  find_options options;
  options.search.run.threads = 2;
  options.strict = true;
  for (const int first_bad : {1, 2, 17, 200, 399}) {
    string list;
    for (int i = 1; i < 400; ++i) list += i >= first_bad && random() % 4 != 1 ? "GATTXCA\n" : "A\n";
    const string file = put("patterns", list);
    const outcome expected = find(1, index, file, options, 1 << 20);
    EXPECT_NE(expected.error, "") << first_bad;
    for (const int count : {1, 2, 3, 8})
      for (const bool to_pipe : {false, true})
        EXPECT_EQ(find(count, index, file, options, 20, to_pipe).error, expected.error) << count;
  }
}

class match_ranks : public search_ranks {
protected:
  // Queries of related and of other letters, some of them long, empty, RNA or with other letters.
  static string queries(const sequences& genome, std::size_t count, std::mt19937_64& random, bool fastq) {
    const string text(sequences_view(genome).data);
    string result;
    for (std::size_t i = 0; i < count; ++i) {
      string query = random_dna(random() % 30, random);
      if (i % 3 != 0) query += text.substr(random() % 3000, random() % (i % 20 == 1 ? 3000 : 100));
      if (i % 7 == 2) std::replace(query.begin(), query.end(), 'T', 'U');
      if (i % 5 == 3 && !query.empty()) query[query.size() / 2] = 'N';
      result += (fastq ? "@q" : ">q") + std::to_string(i) + "\n" + query + "\n";
      if (fastq) result += "+\n" + string(query.size(), 'I') + "\n";
    }
    return result;
  }
};

TEST_F(match_ranks, matches_are_found_as_by_one_rank) {
  std::mt19937_64 random(3);
  const sequences genome = references(random);
  const string reference = put("genome.fa", ">one\n" + string(genome.view().data.substr(0, 3000)) + "\n");
  std::vector<match_search_options> cases(1);
  cases[0].match.min_length = 8;
  cases[0].match.run.threads = 2;
  cases.resize(5, cases[0]);
  cases[1].match.kind = match_kind::mum, cases[1].match.both_strands = true;
  cases[1].format = match_format::paf;
  cases[2].match.kind = match_kind::mum_ref, cases[2].format = match_format::jsonl;
  cases[3].match.kind = match_kind::smem, cases[3].match.run.threads = 1;
  cases[4].match.both_strands = true, cases[4].memory = 1 << 15; // chunks of 5461 letters
  for (const std::size_t num_queries : {0, 1, 3, 400})
    for (const bool fastq : {false, true}) {
      const string file = put("queries", queries(genome, num_queries, random, fastq)),
                   more = put("more.fa", ">alone\n" + random_dna(50, random) + "\n");
      for (std::size_t i = 0; i < cases.size(); ++i) {
        const outcome expected = match(1, reference, {file, more, file}, cases[i]);
        EXPECT_EQ(expected.totals[0], 2 * num_queries + 1);
        for (const int count : {1, 2, 3, 8})
          for (const bool to_pipe : {false, true})
            EXPECT_EQ(match(count, reference, {file, more, file}, cases[i], to_pipe), expected)
                << num_queries << " " << fastq << " " << i << " " << count << " " << to_pipe;
      }
    }
}

TEST_F(match_ranks, the_index_may_be_a_file_or_records) {
  std::mt19937_64 random(4);
  const sequences genome = references(random);
  string fasta;
  for (std::uint64_t i = 0; i < 3; ++i)
    fasta += ">" + string(genome.view().name(i)) + "\n" + string(genome.view()[i]) + "\n";
  const fm_index index = fm_index::build(genome);
  const std::vector<string> references = {put("x.wfi", string(index.bytes().data(), index.bytes().size())),
                                          put("x.fa", fasta)};
  const string file = put("queries", queries(genome, 100, random, false));
  const outcome expected = match(1, references[0], {file}, {});
  EXPECT_GT(expected.totals[2], 0U);
  for (const int count : {1, 2, 3, 8})
    for (const string& reference : references)
      EXPECT_EQ(match(count, reference, {file}, {}), expected) << count;
}

TEST_F(match_ranks, errors_are_those_of_one_rank) {
  std::mt19937_64 random(5);
  const sequences genome = references(random);
  const string reference = put("genome.fa", ">one\n" + string(genome.view().data) + "\n"),
               good = put("good.fa", queries(genome, 300, random, false)),
               bad = put("bad.fa", queries(genome, 50, random, false) + ">bad\nAC\1\n>worse\n\2\n"),
               worse = put("worse.fa", ">worst\n\3\n"), bad_fastq = put("bad.fq", "@bad\nACGT\n+\nII\n"),
               protein = put("protein.fa", ">p\nMKLVEEFWYHIPQ\n");
  match_search_options options;
  options.match.run.threads = 2;
  options.memory = 1 << 15;
  const std::vector<std::vector<string>> cases = {{reference, bad},
                                                  {reference, good, bad, worse},
                                                  {reference, good, bad_fastq, worse},
                                                  {reference, good, worse, bad},
                                                  {reference, good, path("none")},
                                                  {path("none"), good},
                                                  {protein, good}};
  for (const std::vector<string>& inputs : cases) {
    const std::vector<string> paths(inputs.begin() + 1, inputs.end());
    const outcome expected = match(1, inputs[0], paths, options);
    EXPECT_NE(expected.error, "");
    for (const int count : {1, 2, 3, 8})
      for (const bool to_pipe : {false, true})
        EXPECT_EQ(match(count, inputs[0], paths, options, to_pipe).error, expected.error) << count;
  }
}

// An error of a later turn waits until the turns before have ended, also if another rank writes them.
TEST_F(search_ranks, errors_come_in_the_order_of_turns) {
  using namespace std::chrono_literals;
  for (const bool to_pipe : {false, true})
    for (int slow = 0; slow < 4; ++slow) {
      const outcome result = run(4, to_pipe, [&](communicator& ranks, rank_output& out, outcome&) {
        try {
          out.begin_turn();
          out.end_turn("turn\n");
          if (ranks.rank() == slow) std::this_thread::sleep_for(20ms);
          out.wait_to_fail();
          throw error(errc::invalid_input, "rank " + std::to_string(ranks.rank()));
        } catch (...) {
          out.fail(std::current_exception());
          throw;
        }
      });
      EXPECT_EQ(result.error, "rank 0");
    }
}

TEST_F(search_ranks, a_turn_writer_writes_turns_of_any_size) {
  constexpr std::uint64_t num_turns = 20;
  const auto text_of_turn = [](std::uint64_t turn, int rank) {
    const auto size = static_cast<std::size_t>(turn % 4 == 3 ? 300000 : turn % 3 * 10);
    return string(size, static_cast<char>('a' + (turn + static_cast<std::uint64_t>(rank)) % 26));
  };
  for (const int count : {1, 2, 5})
    for (const bool to_pipe : {false, true}) {
      string expected;
      for (std::uint64_t turn = 0; turn < num_turns; ++turn)
        for (int rank = 0; rank < count; ++rank) expected += text_of_turn(turn, rank);
      const outcome result = run(count, to_pipe, [&](communicator& ranks, rank_output& out, outcome&) {
        turn_writer writer(out, count > 1, 0);
        for (std::uint64_t turn = 0; turn < num_turns; ++turn, writer.end_turn()) {
          const string text = text_of_turn(turn, ranks.rank());
          writer.write(std::string_view(text).substr(0, text.size() / 3));
          writer.write(std::string_view(text).substr(text.size() / 3));
        }
        writer.finish();
        out.wait_for_turns();
      });
      EXPECT_TRUE(result.text == expected) << count << " " << to_pipe;
    }
}

TEST_F(search_ranks, a_turn_writer_that_cannot_write_fails) {
  for (const int count : {1, 3})
    EXPECT_THROW(run_ranks(count,
                           [&](communicator& ranks) {
                             rank_output out(ranks, "/dev/full");
                             turn_writer writer(out, count > 1, 0);
                             try {
                               for (int turn = 0; turn < 1000; ++turn, writer.end_turn())
                                 writer.write(string(10000, 'x'));
                               writer.finish();
                               out.commit();
                             } catch (...) {
                               out.fail(std::current_exception());
                               throw;
                             }
                           }),
                 io_error);
}

} // namespace

} // namespace weft::test
