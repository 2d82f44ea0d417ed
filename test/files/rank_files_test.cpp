// Tests files that the ranks of a job read and write together. The ranks are threads.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <random>
#include <unistd.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/files/ranks/rank_array.hpp>
#include <weft/files/ranks/rank_input.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/files/scan/scan_stream.hpp>
#include <weft/multi/thread_ranks.hpp>

#include "folder_test.hpp"

namespace weft::test {

namespace {

using namespace weft::files;
using multi::communicator;
using multi::run_ranks;
using std::string;

constexpr int rank_counts[] = {1, 2, 3, 5, 8};

class rank_files : public folder_test {};

TEST_F(rank_files, ranks_write_in_turns) {
  for (const int count : rank_counts) {
    string expected = "header\n";
    for (int turn = 0; turn < 4; ++turn)
      for (int rank = 0; rank < count; ++rank)
        if ((turn + rank) % 3 != 0) expected += std::to_string(turn) + " of " + std::to_string(rank) + "\n";
    expected += "footer\n";
    run_ranks(count, [&](communicator& ranks) {
      rank_output out(ranks, path("out"));
      out.write_header("header\n");
      for (int turn = 0; turn < 4; ++turn) {
        const string text = std::to_string(turn) + " of " + std::to_string(ranks.rank()) + "\n";
        const string written = (turn + ranks.rank()) % 3 != 0 ? text : "";
        if (turn == 1) { // the size is known
          out.begin_turn(written.size());
          out.end_turn(written);
        } else {
          out.begin_turn();
          out.write(written.substr(0, 2));
          out.end_turn(written.substr(std::min<std::size_t>(2, written.size())));
        }
      }
      out.wait_for_turns();
      EXPECT_EQ(multi::reduce_number(ranks, 1, multi::reduction::sum), static_cast<std::uint64_t>(count));
      out.write_footer("footer\n");
      out.commit();
    });
    EXPECT_EQ(text_of("out"), expected) << count;
  }
}

TEST_F(rank_files, a_header_is_replaced_when_all_turns_are_written) {
  for (const int count : {2, 3, 8}) {
    string expected = "HEAD:";
    for (int rank = 0; rank < count; ++rank) expected += std::to_string(rank);
    run_ranks(count, [&](communicator& ranks) {
      rank_output out(ranks, path("out"));
      ASSERT_TRUE(out.is_common());
      out.write_header("----:");
      out.begin_turn(1);
      out.end_turn(std::to_string(ranks.rank()));
      out.replace_header("HEAD");
      out.commit();
    });
    EXPECT_EQ(text_of("out"), expected) << count;
  }
}

// A device is written by rank 0 alone.
TEST_F(rank_files, ranks_write_to_a_pipe) {
  for (const int count : rank_counts) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    string expected;
    for (int turn = 0; turn < 3; ++turn)
      for (int rank = 0; rank < count; ++rank) expected += string(100, static_cast<char>('a' + rank));
    run_ranks(count, [&](communicator& ranks) {
      rank_output out(ranks, "/dev/fd/" + std::to_string(ends[1]));
      EXPECT_FALSE(out.is_common());
      for (int turn = 0; turn < 3; ++turn) {
        out.begin_turn();
        out.end_turn(string(100, static_cast<char>('a' + ranks.rank())));
      }
      out.commit();
    });
    ::close(ends[1]);
    string text(expected.size() + 1, '\0');
    std::size_t got = 0;
    for (ssize_t more = 1; more > 0; got += static_cast<std::size_t>(more))
      more = ::read(ends[0], text.data() + got, text.size() - got);
    ::close(ends[0]);
    EXPECT_EQ(text.substr(0, got), expected) << count;
  }
}

TEST_F(rank_files, no_file_appears_if_a_rank_fails) {
  for (int bad = 0; bad < 3; ++bad) {
    EXPECT_THROW(run_ranks(3,
                           [&](communicator& ranks) {
                             rank_output out(ranks, path("out"));
                             out.begin_turn();
                             if (ranks.rank() == bad) throw io_error("the disk is full");
                             out.end_turn("text");
                             out.commit();
                           }),
                 io_error);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path(".")), {}), 0) << bad;
  }
}

string random_fasta(std::size_t count, const string& letters, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += ">s" + std::to_string(i) + (i % 3 == 0 ? " a description" : "") + "\n";
    const std::uint64_t size = i % 50 == 49 ? 6000 : random() % 200; // some are longer than a piece
    for (std::uint64_t k = 0; k < size; ++k) {
      text += letters[random() % letters.size()];
      if (k % 60 == 59) text += '\n';
    }
    text += '\n';
  }
  return text;
}

// Scans a file on `count` ranks with two threads each, in chunks of so many residues, and returns the output.
string scan_on_ranks(int count, const string& file, std::uint64_t chunk, const string& out_path) {
  const motif_set motifs({parse_motif("A-C")});
  std::atomic<std::uint64_t> sequences{0};
  run_ranks(count, [&](communicator& ranks) {
    scan_memory memory = divide_memory(std::uint64_t{1} << 26, 2, 1);
    set_chunk_residues(memory, chunk);
    scan_options options;
    options.run.threads = 2;
    rank_input input(ranks, {file, file}, memory.limit, memory.max_record, nullptr);
    EXPECT_FALSE(input.guess_alphabet().is_dna());
    rank_output out(ranks, out_path);
    const scan_totals sum =
        stream_scan(input, {motifs, options, 0, false}, memory, {"tsv", scan_output::matches}, out);
    sequences += sum.sequences;
    out.commit();
  });
  std::ifstream result(out_path);
  return {std::istreambuf_iterator<char>(result), {}};
}

TEST_F(rank_files, scans_are_those_of_one_rank) {
  for (const std::size_t num_records : {0, 1, 300}) {
    const string file = put("in.fa", random_fasta(num_records, "ACDEFGHIKL", num_records));
    const string expected = scan_on_ranks(1, file, 1 << 20, path("one"));
    for (const int count : rank_counts)
      for (const std::uint64_t chunk : {50, 1000, 100000})
        EXPECT_EQ(scan_on_ranks(count, file, chunk, path("out")), expected) << count << " " << chunk;
  }
}

// A file that is not plain FASTA is dealt out by rank 0.
TEST_F(rank_files, scans_of_dealt_records_are_those_of_one_rank) {
  string fastq;
  for (int i = 0; i < 100; ++i) {
    const string residues(static_cast<std::size_t>(i % 7 * 10), "ACDE"[i % 4]);
    fastq += "@r" + std::to_string(i) + "\n" + residues + "AC\n+\n" + string(residues.size() + 2, 'I') + "\n";
  }
  const string file = put("in.fq", fastq);
  const string expected = scan_on_ranks(1, file, 1 << 20, path("one"));
  for (const int count : rank_counts)
    for (const std::uint64_t chunk : {30, 1000})
      EXPECT_EQ(scan_on_ranks(count, file, chunk, path("out")), expected);
}

TEST_F(rank_files, an_error_of_the_input_names_its_line_and_record) {
  const string good = random_fasta(100, "ACDEFGHIKL", 3);
  const auto lines = static_cast<std::size_t>(std::count(good.begin(), good.end(), '\n'));
  const string file = put("bad.fa", good + ">bad\nAC\1\n" + good + ">worse\n\2\n" + good);
  for (const int count : rank_counts) try {
      (void)scan_on_ranks(count, file, 200, path("out"));
      ADD_FAILURE() << "no exception";
    } catch (const error& fault) {
      EXPECT_NE(string(fault.what()).find("bad.fa:" + std::to_string(lines + 2) + ":3: record 101 ('bad')"),
                string::npos)
          << fault.what();
    }
}

TEST_F(rank_files, arrays_are_shared) {
  std::mt19937_64 random(2);
  std::vector<std::uint32_t> numbers(10007);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random() % 5000);
  const string bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4);
  std::vector<std::uint32_t> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const string expected =
      io::npy_header({io::element_type::u32, sorted.size()}) +
      string(reinterpret_cast<const char*>(sorted.data()), sorted.size() * sizeof(std::uint32_t));
  const string file = put("in.npy", io::npy_header({io::element_type::u32, numbers.size()}) + bytes);
  for (const int count : rank_counts) {
    run_ranks(count, [&](communicator& ranks) {
      array_share share = read_share(
          ranks, file, [&] { return io::open_bytes(file); }, "", 0);
      EXPECT_EQ(share.count, numbers.size());
      rank_output out(ranks, path("out"));
      sort_share(ranks, share, nullptr, array_task::sort, false, {}, out);
      out.commit();
    });
    EXPECT_TRUE(text_of("out") == expected) << count;
  }
}

// Keys and values may be different kinds of files: rank 0 reads those that are not regular for all.
TEST_F(rank_files, values_are_sorted_by_the_keys_of_another_file) {
  string keys, values, expected;
  for (int i = 0; i < 5000; ++i) {
    keys += static_cast<char>(i * 7 % 250);
    values += std::to_string(10000 + i).substr(1); // items of 32 bits
  }
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return static_cast<unsigned char>(keys[a]) > static_cast<unsigned char>(keys[b]);
  });
  for (const std::size_t i : order) expected += values.substr(4 * i, 4);
  const string key_file = put("keys", keys), value_file = put("values", values);
  for (const int count : rank_counts)
    for (const bool is_mapped : {false, true}) {
      run_ranks(count, [&](communicator& ranks) {
        const auto read = [&](const string& file, const string& text, const string& type) {
          return read_share(
              ranks, is_mapped ? file : "-", [&] { return io::memory_bytes(text, file); }, type, 0);
        };
        array_share own_keys = read(key_file, keys, "u8");
        const array_share own_values = read(value_file, values, "f32");
        EXPECT_EQ(own_keys.own.count, own_values.own.count);
        rank_output out(ranks, path("out"));
        sort_share(ranks, own_keys, &own_values, array_task::sort_values, true, {}, out);
        out.commit();
      });
      EXPECT_TRUE(text_of("out") == expected) << count;
    }
}

TEST_F(rank_files, a_share_of_an_array_may_be_too_large_for_a_rank) {
  const string file = put("in", string(3000, 'x'));
  EXPECT_THROW(run_ranks(3,
                         [&](communicator& ranks) {
                           (void)read_share(
                               ranks, file, [&] { return io::open_bytes(file); }, "u8",
                               ranks.rank() == 1 ? 999 : 1000);
                         }),
               memory_error);
}

} // namespace

} // namespace weft::test
