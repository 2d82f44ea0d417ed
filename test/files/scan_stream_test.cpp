// Checks scans of files that are read piece by piece: the output is that of all sequences at once, however
// the memory is divided.
#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <unistd.h>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/files/scan/match_collector.hpp>
#include <weft/files/scan/scan_stream.hpp>
#include <weft/scan/scan.hpp>

#include "folder_test.hpp"

namespace weft::test {

namespace {

using namespace weft::files;
using std::string;

class scan_stream : public folder_test {};

io::sequence_chunk random_records(std::size_t count) {
  std::mt19937_64 random(7);
  io::sequence_chunk records;
  for (std::size_t i = 0; i < count; ++i) {
    records.names.push_back("s" + std::to_string(i));
    records.descriptions.emplace_back();
    for (std::uint64_t letters = random() % 3000; letters > 0; --letters)
      records.residues += "ACDEFGHIKL"[random() % 10];
    records.offsets.push_back(records.residues.size());
  }
  return records;
}

string fasta_of(const io::sequence_chunk& records) {
  string text;
  for (std::uint64_t i = 0; i < records.count(); ++i)
    text.append(">").append(records.names[i]).append("\n").append(records.sequence(i)).append("\n");
  return text;
}

// Returns the table of the matches in the records, all at once.
string table_of(const motif_set& motifs, const io::sequence_chunk& records) {
  const match_vector matches = scan(motifs, {records.residues, records.offsets});
  const match_writer writer("tsv", motifs);
  string table = writer.header();
  writer.append(table, records, matches, 0, matches.size());
  return table;
}

bool always() { return true; }

// Scans a file in chunks of about so many residues, of which a few are read ahead, and checks the output and
// the progress.
void expect_scan(const motif_set& motifs, const string& file, const string& out_path, const string& expected,
                 std::uint64_t num_residues, std::uint64_t chunk, int threads, bool in_turn) {
  scan_memory memory = divide_memory(std::uint64_t{1} << 26, threads, 1);
  set_chunk_residues(memory, chunk);
  if (chunk > 5000) memory.each.min_long_record = memory.each.max_long_record = 2500; // some records are long
  memory.max_matches = memory.each.max_matches = chunk / 10 + 1;
  memory.each.text_bytes = chunk;
  task_monitor monitor;
  scan_options options;
  options.run.threads = threads;
  options.run.monitor = &monitor;
  scan_input input({file}, 0, 0, &monitor);
  if (threads > 1) input.read_ahead(chunk, 2 * chunk, 4 * chunk, always);
  rank_output out(out_path);
  const scan_totals sum =
      stream_scan(input, {motifs, options, 0, in_turn}, memory, {"tsv", scan_output::matches}, out);
  out.commit();
  std::ifstream written(out_path, std::ios::binary);
  const string text{std::istreambuf_iterator<char>(written), {}};
  EXPECT_TRUE(text == expected) << threads << " threads, " << chunk << " residues, in turn " << in_turn;
  EXPECT_EQ(monitor.done(), num_residues);
  EXPECT_EQ(monitor.total(), num_residues);
  EXPECT_EQ(sum.residues, num_residues);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(sum.matches) + 1, std::count(text.begin(), text.end(), '\n'));
}

TEST_F(scan_stream, output_is_that_of_all_sequences_at_once) {
  const io::sequence_chunk records = random_records(60);
  const string file = put("records.fa", fasta_of(records));
  const motif_set motifs({parse_motif("A-x(0,3)-C"), parse_motif("[DE]-F")});
  const string expected = table_of(motifs, records);
  for (const bool in_turn : {false, true})
    for (const int threads : {1, 2, 3, 8})
      for (const std::uint64_t chunk : {1, 100, 2999, 10'000, 1 << 20})
        expect_scan(motifs, file, path("out"), expected, records.residues.size(), chunk, threads, in_turn);
}

// Each chunk has several blocks of text, which several threads format while the chunk before is written.
TEST_F(scan_stream, chunks_of_several_blocks) {
  const io::sequence_chunk records = random_records(100);
  const string file = put("records.fa", fasta_of(records));
  const motif_set motifs({parse_motif("[ACDEFGHIKL]")}); // every residue is a match
  const string expected = table_of(motifs, records);
  ASSERT_GT(expected.size(), 8 * block_bytes);
  for (const std::uint64_t limit : {0, 1 << 27})
    for (const int threads : {1, 2, 3, 8}) {
      scan_memory memory = divide_memory(limit, threads, 1);
      set_chunk_residues(memory, 40'000);
      memory.max_matches = 40'000;
      scan_options options;
      options.run.threads = threads;
      scan_input input({file});
      rank_output out(path("out"));
      (void)stream_scan(input, {motifs, options, 0, true}, memory, {"tsv", scan_output::matches}, out);
      out.commit();
      EXPECT_TRUE(text_of("out") == expected) << threads << " threads, memory " << limit;
    }
}

TEST_F(scan_stream, chunks_before_a_malformed_record_are_written) {
  const io::sequence_chunk records = random_records(40);
  const string file = put("bad.fa", fasta_of(records) + ">bad\nAC\x01\n");
  const motif_set motifs({parse_motif("A")});
  const string expected = table_of(motifs, records);
  for (const bool in_turn : {false, true})
    for (const int threads : {1, 2, 5}) {
      const std::uint64_t num_ahead = threads == 1 ? 0 : threads == 2 ? 3 : 100;
      scan_memory memory = divide_memory(0, threads, 1);
      set_chunk_residues(memory, 1); // a record is a chunk
      scan_options options;
      options.run.threads = threads;
      scan_input input({file});
      for (std::uint64_t i = 0; i < num_ahead; ++i) input.read_ahead(1, 1, 1, always);
      const string fifo = path("written");
      std::ofstream(fifo).close();
      const int descriptor = ::open(fifo.c_str(), O_WRONLY | O_TRUNC);
      rank_output out("/dev/fd/" + std::to_string(descriptor)); // is not removed without commit()
      EXPECT_THROW(
          stream_scan(input, {motifs, options, 0, in_turn}, memory, {"tsv", scan_output::matches}, out),
          parse_error);
      out.flush();
      ::close(descriptor);
      EXPECT_TRUE(text_of("written") == expected) << threads << " threads, in turn " << in_turn;
    }
}

TEST_F(scan_stream, records_that_the_guess_has_read_come_again) {
  const io::sequence_chunk records = random_records(20);
  const string text = fasta_of(records);
  scan_input input({put("a.fa", text), put("b.fa", text)});
  EXPECT_FALSE(input.guess_alphabet().is_dna());
  string residues;
  for (io::sequence_chunk chunk; input.read(chunk, 1000, 1);) residues += chunk.residues;
  EXPECT_TRUE(residues == records.residues + records.residues);
}

TEST_F(scan_stream, records_that_were_read_ahead_come_again) {
  const io::sequence_chunk records = random_records(40);
  const string text = fasta_of(records), a = put("a.fa", text), b = put("b.fa", text);
  for (const bool guess : {false, true})
    for (const std::uint64_t max_residues : {0, 1, 5000, 1 << 30}) {
      task_monitor monitor;
      scan_input input({a, b}, 0, 0, &monitor);
      if (guess) (void)input.guess_alphabet();
      input.read_ahead(500, 2000, max_residues, always);
      string residues;
      for (io::sequence_chunk chunk; input.read(chunk, 1000, 2);) residues += chunk.residues;
      EXPECT_TRUE(residues == records.residues + records.residues) << max_residues;
      EXPECT_EQ(monitor.total(), 2 * residues.size());
    }
}

TEST_F(scan_stream, reading_ahead_stops_when_it_is_told_to) {
  scan_input input({put("a.fa", ">a\nA\n>b\nC\n>c\nD\n"), path("missing.fa")});
  int left = 2;
  input.read_ahead(1, 1, 1000, [&] { return left-- > 0; });
  EXPECT_EQ(left, -1);
  input.read_ahead(1, 1, 1000, always); // finds that a file is missing
  io::sequence_chunk chunk;
  for (const string name : {"a", "b", "c"}) {
    ASSERT_TRUE(input.read(chunk, 1, 1));
    EXPECT_EQ(chunk.names, std::vector<string>{name});
  }
  EXPECT_THROW((void)input.read(chunk, 1, 1), io_error);
}

TEST_F(scan_stream, a_cancelled_scan_ends) {
  const string file = put("records.fa", fasta_of(random_records(20)));
  task_monitor monitor;
  monitor.cancel();
  scan_options options;
  options.run.monitor = &monitor;
  const scan_memory memory = divide_memory(0, 2, 1);
  const motif_set motifs({parse_motif("A")});
  rank_output out(path("out"));
  for (const bool in_turn : {false, true}) {
    scan_input input({file});
    EXPECT_THROW(
        stream_scan(input, {motifs, options, 0, in_turn}, memory, {"tsv", scan_output::matches}, out),
        cancelled_error);
  }
}

TEST(match_collector, matches_of_one_sequence_that_do_not_fit_are_merged_from_a_file) {
  std::mt19937_64 random(9);
  match_vector all;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t begin = random() % 10'000;
    all.push_back({0, static_cast<std::uint32_t>(random() % 3), begin, begin + 1 + random() % 9});
  }
  match_vector sorted = all, collected;
  std::sort(sorted.begin(), sorted.end());
  match_collector collector(100, [&](const match_slice& piece) {
    collected.insert(collected.end(), piece.matches.begin() + static_cast<std::ptrdiff_t>(piece.first),
                     piece.matches.begin() + static_cast<std::ptrdiff_t>(piece.last));
  });
  for (std::size_t i = 0; i < all.size(); i += 250) {
    scan_part part;
    part.matches.assign(all.begin() + static_cast<std::ptrdiff_t>(i),
                        all.begin() + static_cast<std::ptrdiff_t>(i + 250));
    part.complete = i + 250 == all.size();
    collector.add(std::move(part));
  }
  EXPECT_EQ(collected.size(), sorted.size());
  EXPECT_TRUE(std::equal(collected.begin(), collected.end(), sorted.begin(), sorted.end(),
                         [](const scan_match& a, const scan_match& b) { return !(a < b) && !(b < a); }));
}

} // namespace

} // namespace weft::test
