// Checks scans of files that are read piece by piece: the output is that of all sequences at once, however
// the memory is divided.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
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

TEST_F(scan_stream, output_is_that_of_all_sequences_at_once) {
  const io::sequence_chunk records = random_records(60);
  const string file = put("records.fa", fasta_of(records));
  const motif_set motifs({parse_motif("A-x(0,3)-C"), parse_motif("[DE]-F")});
  const match_vector matches = scan(motifs, {records.residues, records.offsets});
  const match_writer writer("tsv", motifs);
  string expected = writer.header();
  writer.append(expected, records, matches, 0, matches.size());
  for (const int threads : {1, 3})
    for (const std::uint64_t residues : {std::uint64_t{100}, std::uint64_t{1} << 20}) {
      scan_memory memory = divide_memory(std::uint64_t{1} << 24, threads, 1);
      memory.first_residues = memory.max_residues = residues;
      memory.max_matches = residues / 10;
      task_monitor monitor;
      scan_options options;
      options.run.threads = threads;
      options.run.monitor = &monitor;
      scan_input input({file}, 0, 0, &monitor);
      scanner scanner(motifs, options, memory.parts);
      io::output_file out(path("out"));
      stream_scan(input, scanner, memory, {"tsv", scan_output::matches}, out);
      out.commit();
      EXPECT_TRUE(text_of("out") == expected) << threads << " threads, " << residues << " residues";
      EXPECT_EQ(monitor.done(), records.residues.size());
      EXPECT_EQ(monitor.total(), records.residues.size());
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

TEST_F(scan_stream, a_cancelled_scan_ends) {
  scan_input input({put("records.fa", fasta_of(random_records(20)))});
  task_monitor monitor;
  monitor.cancel();
  scan_options options;
  options.run.monitor = &monitor;
  const scan_memory memory = divide_memory(0, 2, 1);
  scanner scanner(motif_set({parse_motif("A")}), options, memory.parts);
  io::output_file out(path("out"));
  EXPECT_THROW(stream_scan(input, scanner, memory, {"tsv", scan_output::matches}, out), cancelled_error);
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
