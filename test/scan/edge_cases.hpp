// Phrases, motifs that match them, and texts with the phrases around edges: edges of words (32 positions),
// parts (1,024) and tiles (4,096) of the engine bit-stream, at which blocks of the other engines end as well.
#pragma once

#include "scan_cases.hpp"

namespace weft_test {

inline const std::string edge_background = "GST"; // letters that no phrase contains
inline constexpr std::uint64_t edge_tile = 4096;
// phrases begin and end at each offset of up to this many residues from an edge
inline constexpr int edge_reach = 40;

inline std::string edge_filler(std::size_t size) {
  std::mt19937_64 random(91);
  return random_sequence(random, size, edge_background);
}

inline const std::string& edge_word() {
  static const std::string word = [] {
    std::mt19937_64 random(92);
    return random_sequence(random, 80, "ACDHKMNPRW");
  }();
  return word;
}

// Returns a pattern of the letters [begin, begin + size) of the word.
inline std::string edge_word_pattern(std::size_t begin, std::size_t size) {
  std::string pattern;
  for (std::size_t i = begin; i < begin + size; ++i)
    pattern += std::string(i > begin ? "-" : "") + edge_word()[i];
  return pattern;
}

// Returns patterns of the word's prefixes of each length, then of its suffixes, then motifs with gaps, some
// of which have their rare residues after a gap (or, for ends, before one), and motifs with anchors.
inline std::vector<std::string> edge_patterns(std::size_t longest = 80) {
  std::vector<std::string> patterns;
  for (std::size_t size = 2; size <= longest; ++size) patterns.push_back(edge_word_pattern(0, size));
  for (std::size_t size = 2; size <= longest; size += 3)
    patterns.push_back(edge_word_pattern(80 - size, size));
  for (const char* pattern : {"A-C-x(0,25)-D", "[AC](2,5)-x(1,7)-W-W", "x(3,9)-H-H-W", "<A-C-D", "W-W-C>",
                              "<x(0,25)-W-W", "C-W-x(0,25)>", "<W-x(0,5)-D>", "A-W(2,6)-D"})
    patterns.push_back(pattern);
  for (const char* pattern :
       {"A-C-x(0,30)-D", "C-x(0,30)-D-x(0,30)-W", "A-x(0,30)-W-C-W-C", "A-x(31)-W", "A-x(78)-W",
        "G-x(0,30)-W-C-W-C-H", "W-C-W-C-x(0,30)-A", "W-H-W-H-x(2,30)-[GST]-x(2,20)",
        "x(2,20)-[GST]-x(2,30)-H-W-H-W", "N-x(60,70)-W-H-W-H", "W-H-W-H-x(60,70)-N"})
    if (longest >= 80) patterns.push_back(pattern);
  return patterns;
}

// Returns patterns that have little in common, so that each has a filter of its own.
inline std::vector<std::string> unlike_edge_patterns() {
  return {edge_word_pattern(0, 80),
          edge_word_pattern(20, 40),
          "<A-C-D",
          "W-W-C>",
          "A-x(31)-W",
          "A-x(78)-W",
          "x(3,9)-H-H-W",
          "C-x(0,30)-D-x(0,30)-W",
          "W-C-W-C-x(0,30)-A",
          "N-x(60,70)-W-H-W-H"};
}

inline std::vector<std::string> edge_phrases() {
  const auto gap = [](std::size_t size) { return std::string(size, 'G'); };
  return {edge_word(),
          "ACD",
          "AC" + gap(1) + "D",
          "AC" + gap(30) + "D",
          "CDW",
          "C" + gap(30) + "D" + gap(30) + "W",
          "C" + gap(7) + "D" + gap(30) + "W",
          "AWCWC",
          "A" + gap(15) + "WCWC",
          "A" + gap(30) + "WCWCH",
          "A" + gap(31) + "W",
          "A" + gap(78) + "W",
          "AAACC" + gap(7) + "WW",
          gap(9) + "HHW",
          gap(51) + "HWHW",
          "WHWH" + gap(51),
          "WCWCA",
          "WCWC" + gap(30) + "A",
          "WWC",
          "AWWWWWD",
          "N" + gap(66) + "WHWH",
          "WHWH" + gap(66) + "N"};
}

// A phrase and where it begins, relative to an edge.
struct edge_offset {
  std::size_t phrase;
  int begin;
};

// Returns every phrase at each offset at which it lies across an edge, or begins or ends near one.
inline std::vector<edge_offset> edge_offsets(const std::vector<std::string>& phrases) {
  std::vector<edge_offset> offsets;
  for (std::size_t p = 0; p < phrases.size(); ++p)
    for (int begin = -static_cast<int>(phrases[p].size()) - edge_reach; begin <= edge_reach; ++begin)
      offsets.push_back({p, begin});
  return offsets;
}

// A text with all offsets at the edges of tiles and, in another order, at the edges of parts and words
// between them.
struct edge_text {
  std::string residues;
  struct placed {
    std::size_t phrase;
    std::uint64_t begin;
  };
  std::vector<placed> all;

  explicit edge_text(const std::vector<std::string>& phrases) {
    const std::vector<edge_offset> offsets = edge_offsets(phrases);
    residues = edge_filler((offsets.size() + 1) * edge_tile);
    for (std::uint64_t tile = 0; tile < offsets.size(); ++tile)
      for (std::uint64_t edge = edge_tile / 8, nth = 1; nth <= 8; edge += edge_tile / 8, ++nth)
        put(phrases, offsets[(tile + (8 - nth) * 211) % offsets.size()], tile * edge_tile + edge);
  }

private:
  void put(const std::vector<std::string>& phrases, const edge_offset& at, std::uint64_t edge) {
    const std::string& phrase = phrases[at.phrase];
    const std::uint64_t begin = edge + static_cast<std::uint64_t>(static_cast<std::int64_t>(at.begin));
    residues.replace(begin, phrase.size(), phrase);
    all.push_back({at.phrase, begin});
  }
};

} // namespace weft_test
