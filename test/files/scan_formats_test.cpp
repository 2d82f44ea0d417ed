// Checks that blocks of matches that are formatted one after another give the same bytes as all matches at
// once.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <weft/files/formats/scan_formats.hpp>

namespace weft::test {

namespace {

using std::string;

const std::vector<string> formats = {"tsv", "pff", "scan", "fasta", "gff3", "bed", "jsonl", "html"};

io::sequence_chunk odd_chunk(std::mt19937_64& random) {
  io::sequence_chunk chunk;
  for (const char* name : {"plain", "tab\tand\"quote\\", "", "p%;=&, \x01", "utf8-\xc3\xa9-\xff", "last"}) {
    chunk.names.emplace_back(name);
    chunk.descriptions.emplace_back();
    for (std::size_t i = 0; i < 200; ++i) chunk.residues += "ACGTacgtn;%"[random() % 11];
    chunk.offsets.push_back(chunk.residues.size());
  }
  return chunk;
}

match_vector some_matches(const io::sequence_chunk& chunk, std::uint32_t motifs, std::mt19937_64& random) {
  match_vector matches;
  for (int i = 0; i < 300; ++i) {
    const auto sequence = static_cast<std::uint32_t>(random() % chunk.count());
    const std::uint64_t begin = random() % 199, end = begin + 1 + random() % (200 - begin);
    matches.push_back({sequence, static_cast<std::uint32_t>(random() % motifs), begin, end,
                       random() % 2 == 0 ? strand::forward : strand::reverse});
  }
  std::sort(matches.begin(), matches.end());
  return matches;
}

TEST(scan_formats, blocks_have_the_bytes_of_all_matches_at_once) {
  std::mt19937_64 random(3);
  const io::sequence_chunk chunk = odd_chunk(random);
  const motif_syntax syntax{.alphabet = alphabet::dna};
  std::vector<motif> list = {parse_motif("A-x(0,300)-C", syntax), parse_motif("G", syntax)};
  list[1].name = "odd\tname;\"%";
  list[1].accession = "PS00001";
  const motif_set motifs(list, syntax);
  const match_vector matches = some_matches(chunk, 2, random);
  for (const string& format : formats) {
    const files::match_writer writer(format, motifs);
    string whole;
    writer.append(whole, chunk, matches, 0, matches.size());
    for (const std::size_t size : {1U, 2U, 3U, 7U, 64U}) {
      string blocks;
      for (std::size_t first = 0; first < matches.size(); first += size)
        writer.append(blocks, chunk, matches, first, std::min(matches.size(), first + size));
      EXPECT_TRUE(blocks == whole) << format << ", " << size;
    }
  }
}

} // namespace

} // namespace weft::test
