// Random motifs and sequences over small alphabets, so that there are many matches.
#pragma once

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft_test {

// An engine on the CPU or on the first GPU.
struct engine_on {
  std::string engine;
  weft::device_kind device = weft::device_kind::cpu;
  // Returns why the engine cannot run on this machine; empty if it can.
  [[nodiscard]] std::string reason_to_skip() const {
    if (device != weft::device_kind::gpu || !weft::known_gpus().devices.empty()) return {};
    return "no GPU can be used: " + weft::known_gpus().unavailable;
  }
  [[nodiscard]] weft::scan_options with(weft::scan_options options) const {
    options.run.engine = engine;
    options.run.device = {device, 0};
    return options;
  }
};

inline std::vector<engine_on> engines_on(weft::device_kind device) {
  std::vector<engine_on> engines;
  for (const weft::engine_info& known : weft::scan_engines()) engines.push_back({known.name, device});
  return engines;
}

inline std::string random_pattern(std::mt19937_64& random, bool anchors_in_sets = false) {
  const auto roll = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto letters = [&](const char* from) {
    std::string some;
    for (unsigned i = 1 + roll(3); i > 0; --i) some += from[roll(5)];
    return some;
  };
  std::string pattern = roll(8) == 0 ? "<" : "";
  const unsigned count = 1 + roll(6);
  for (unsigned k = 0; k < count; ++k) {
    if (k > 0) pattern += '-';
    switch (roll(6)) {
    case 0:
    case 1:
      pattern += "ACDNB"[roll(5)];
      break;
    case 2:
      pattern += "[" + letters("ACDNZ") +
                 (anchors_in_sets && k == 0 && roll(3) == 0 ? "<"
                  : k + 1 == count && roll(3) == 0          ? ">"
                                                            : "") +
                 "]";
      break;
    case 3:
      pattern += "{" + letters("ACDEB") + "}";
      break;
    default:
      pattern += "x";
    }
    const unsigned repeat = roll(6), low = roll(3);
    if (repeat == 0) pattern += "(" + std::to_string(low) + "," + std::to_string(low + 1 + roll(3)) + ")";
    if (repeat == 1) pattern += "(" + std::to_string(1 + roll(3)) + ")";
    if (repeat == 2 && roll(6) == 0) pattern += "*";
  }
  return pattern + (roll(8) == 0 ? ">" : "");
}

inline std::string random_sequence(std::mt19937_64& random, std::size_t size, const std::string& letters) {
  std::string sequence(size, ' ');
  for (char& c : sequence) c = letters[random() % letters.size()];
  return sequence;
}

inline weft::motif_set motifs_of(const std::vector<std::string>& patterns) {
  std::vector<weft::motif> motifs;
  for (const std::string& pattern : patterns) motifs.push_back(weft::parse_motif(pattern));
  return weft::motif_set(std::move(motifs));
}

struct batch {
  std::string residues;
  std::vector<std::uint64_t> offsets{0};
  void add(const std::string& sequence) {
    residues += sequence;
    offsets.push_back(residues.size());
  }
  [[nodiscard]] weft::sequences_view view() const { return {residues, offsets}; }
};

// Returns `count` texts of up to `longest` residues, some of one residue and some empty.
inline batch random_texts(std::mt19937_64& random, std::size_t count, std::size_t longest,
                          const std::string& letters) {
  batch texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.add(random_sequence(random, random() % 4 == 0 ? random() % 2 : random() % longest, letters));
  return texts;
}

inline weft::motif_set random_motifs(std::mt19937_64& random, std::size_t count) {
  std::vector<weft::motif> motifs;
  for (std::size_t i = 0; i < count; ++i)
    motifs.push_back(weft::parse_motif(random_pattern(random, i % 3 == 0)));
  return weft::motif_set(std::move(motifs));
}

// Returns which items of `want` are missing in `have` and which are superfluous, formatted by show(item);
// empty if there are none. `want` must be sorted, and `have` must be too.
template <class List, class Show>
std::string difference(const List& want, const List& have, const Show& show) {
  if (want == have) return "";
  if (!std::is_sorted(have.begin(), have.end())) return "not in order";
  std::string message;
  const auto tell = [&](const char* what, const List& from, const List& without) {
    List list;
    std::set_difference(from.begin(), from.end(), without.begin(), without.end(), std::back_inserter(list));
    message += what + std::to_string(list.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 5); ++i) message += " " + show(list[i]);
  };
  tell("missing: ", want, have);
  tell("; too much: ", have, want);
  return message;
}

inline std::string pattern_of(const weft::motif_set& motifs, std::uint64_t motif) {
  return motif < motifs.motifs().size() ? motifs.motifs()[motif].pattern : "?";
}

inline std::string difference(const weft::motif_set& motifs, const weft::match_vector& want,
                              const weft::match_vector& have) {
  return difference(want, have, [&](const weft::scan_match& match) {
    return pattern_of(motifs, match.motif) + "@" + std::to_string(match.sequence) + ":" +
           std::to_string(match.begin) + "-" + std::to_string(match.end);
  });
}

// Motifs with all kinds of elements, for texts of few letters (A and C).
inline const std::vector<std::string> small_patterns = {"A",
                                                        "A-C",
                                                        "A-x-C",
                                                        "A-x(0,2)-C",
                                                        "x(0,1)-A",
                                                        "<A",
                                                        "A>",
                                                        "<A>",
                                                        "<x(0,2)>",
                                                        "A*-C",
                                                        "<{C}*>",
                                                        "A-[C>]",
                                                        "A(2,3)",
                                                        "x",
                                                        "{A}(2)",
                                                        "[AC]-x(1,3)-A(0,1)-C>",
                                                        "A-C*",
                                                        "x(3)",
                                                        "A(0,2)-x(0,2)-C(0,1)",
                                                        "[<A]-C",
                                                        "[<A]-x(0,1)-C",
                                                        "A(0,1)-[<C]-A(0,1)",
                                                        "[<C](2)",
                                                        "[<A]-x-[C>]"};

// Returns patterns with sets that may be an end of the sequence: such sets alone, side by side and repeated,
// at every position of a motif of up to three elements, and of motifs of up to two also between anchors.
inline std::vector<std::string> patterns_with_anchors_in_sets() {
  const std::vector<std::string> elements = {"A",          "x",       "[A<]",      "[G>]",   "[A<](2)",
                                             "[AG<](1,2)", "[G>](2)", "[A>](1,2)", "x(0,1)", "G*"};
  const std::size_t up_to_two = elements.size() * (1 + elements.size());
  std::vector<std::string> patterns = elements;
  for (std::size_t i = 0; i < up_to_two; ++i)
    for (const std::string& element : elements) patterns.push_back(patterns[i] + "-" + element);
  for (std::size_t i = 0; i < up_to_two; ++i)
    for (const std::string& pattern : {"<" + patterns[i], patterns[i] + ">", "<" + patterns[i] + ">"})
      patterns.push_back(pattern);
  return patterns;
}

// Returns every text of up to `longest` of the given letters.
inline batch all_texts(const std::string& letters, std::size_t longest) {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const std::string text = all[i]; text.size() < longest)
      for (const char letter : letters) all.push_back(text + letter);
  batch texts;
  for (const std::string& text : all) texts.add(text);
  return texts;
}
inline batch all_small_texts() { return all_texts("AC", 7); }

// Returns random motifs; the syntax they may use changes from round to round.
inline weft::motif_set motifs_of_round(std::mt19937_64& random, int round, int count) {
  const weft::motif_syntax syntax{.greedy = round % 3 != 0, .unknown_in_sets = round % 4 != 0};
  std::vector<weft::motif> motifs;
  for (int i = 0; i < count; ++i)
    motifs.push_back(weft::parse_motif(random_pattern(random, round % 2 == 0), syntax));
  return weft::motif_set(std::move(motifs), syntax);
}
inline std::string letters_of_round(int round) { return round % 2 == 0 ? "ACDN" : "ACDNEQBZXacx*"; }

// Returns DNA motifs: with IUPAC codes, gaps, repeats and anchors, one of them in a set.
inline weft::motif_set dna_motifs() {
  const weft::motif_syntax syntax{.alphabet = weft::alphabet::dna};
  std::vector<weft::motif> motifs;
  for (const char* pattern : {"G-A-A-T-T-C", "A-R-x(0,2)-C>", "<G-N(1,3)-T", "A(2,5)", "C-x*-G", "[<A]-C"})
    motifs.push_back(weft::parse_motif(pattern, syntax));
  return weft::motif_set(std::move(motifs), syntax);
}

// Options for every rule, and for every option that changes a rule.
inline const weft::scan_options every_scan_rule[] = {{},
                                                     {.overlap = false},
                                                     {.included = true},
                                                     {.max_x = 1},
                                                     {.max_x = -1},
                                                     {.overlap = false, .max_x = 2},
                                                     {.overlap = false, .included = true},
                                                     {.overlap = false, .included = true, .max_x = 2},
                                                     {.overlap = false, .max_x = -1},
                                                     {.rule = weft::match_rule::starts},
                                                     {.rule = weft::match_rule::ends}};

} // namespace weft_test
