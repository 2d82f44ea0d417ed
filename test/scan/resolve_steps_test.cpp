// Runs the steps by which a device resolves occurrences, one after another, and compares them with their
// meaning: single walks, and whole scans under every rule.
#include "scan_cases.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <test/reference/scan_reference.hpp>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/resolve_steps.hpp>
#include <weft/scan/cpu/host_walker.hpp>
#include <weft/scan/published/nfa_engines.hpp>

namespace {

using namespace weft::scan_detail;
using weft::match_rule;
using weft::match_vector;
using weft::scan_match;
using weft::scan_options;

// Owns the memory that a thread of a device has for walks.
struct device_memory {
  std::vector<walk_choice> choices;
  std::vector<std::uint32_t> failures;
  device_memory(const flat_motif_tables& tables, std::uint64_t longest)
      : choices(tables.max_flexible + 1),
        failures(noted_failures::words_for(tables.failure_bits(longest)), 0xffffffffU) {}
  patient_walker<noted_failures> walker(const flat_motif_tables& tables) {
    return {tables.view(), choices.data(), static_cast<std::uint32_t>(choices.size()), {failures.data()}};
  }
};

// Checks the walks of the CPU and of a device from every position: their ends, the numbers of X that letters
// and sets accepted, and the numbers of residues that elements took.
void check_walks(const weft::motif& m, std::string_view text) {
  const flat_motif_tables tables({m});
  const flat_motif& flat = tables.motifs[0];
  device_memory memory(tables, text.size());
  patient_walker<noted_failures> patient = memory.walker(tables);
  host_walker on_host(tables);
  walk_choice choices[quick_choices];
  walker<no_failures> quick(tables.view(), choices, quick_choices, quick_steps);
  for (std::uint64_t begin = 0; begin <= text.size(); ++begin)
    // the last one is not a position of the text
    for (const std::uint64_t start : {std::uint64_t{0}, begin, text.size() + 1}) {
      SCOPED_TRACE(m.pattern + " in " + std::string(text) + " at " + std::to_string(begin));
      weft_test::scan_reference reference{m, text, start};
      const std::size_t end = m.anchor_n && begin != 0 ? std::string_view::npos : reference.match(0, begin);
      const std::uint64_t expected = end == std::string_view::npos ? no_match : end;
      ASSERT_EQ(patient(flat, bytes_of(text), text.size(), begin, start), expected);
      ASSERT_EQ(on_host(flat, bytes_of(text), text.size(), begin, start), expected);
      const std::uint64_t found = quick(flat, bytes_of(text), text.size(), begin, start);
      if (found != walk_gave_up) {
        ASSERT_EQ(found, expected);
      }
      if (expected == no_match) continue;
      ASSERT_EQ(patient.unknown(flat), reference.unknown);
      ASSERT_EQ(on_host.unknown(flat), reference.unknown);
      if (found != walk_gave_up) {
        ASSERT_EQ(quick.unknown(flat), reference.unknown);
      }
      const std::vector<std::uint64_t> counts = on_host.counts(flat);
      ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), begin), expected);
    }
}

TEST(walk, finds_the_first_alternative) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 20'000; ++round) {
    const weft::motif_syntax syntax{.greedy = round % 3 != 0, .unknown_in_sets = round % 4 != 0};
    const weft::motif m = weft::parse_motif(weft_test::random_pattern(random, round % 2 == 0), syntax);
    for (int i = 0; i < 3; ++i)
      check_walks(m, weft_test::random_sequence(random, random() % 40, weft_test::letters_of_round(round)));
  }
}

TEST(walk, goes_back_often) {
  const std::string glutamines(100, 'Q');
  for (const char* pattern :
       {"Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-A", "Q*-x(0,9)-Q*-x(0,9)-Q*-C",
        "x(0,9)-x(0,9)-x(0,9)-x(0,9)-x(0,9)-A>", "Q(0,5)-[Q>](2,6)-Q(0,7)-x(0,9)-[<A]-Q(0,8)-C",
        "x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-"
        "x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-x(0,1)-A"})
    for (const bool greedy : {true, false}) {
      const weft::motif m = weft::parse_motif(pattern, {.greedy = greedy});
      check_walks(m, glutamines);
      check_walks(m, glutamines + "A" + glutamines.substr(70) + "C");
    }
}

// Does with one thread all that a device does to resolve occurrences.
class resolution {
public:
  resolution(const weft::motif_set& motifs, const weft_test::batch& texts, const scan_options& options)
      : set_(motifs), texts_(texts), options_(options), tables_(motifs.data().motifs),
        automata_(motifs.data().motifs) {
    std::uint64_t longest = 0;
    for (std::size_t s = 0; s + 1 < texts.offsets.size(); ++s)
      longest = std::max(longest, texts.offsets[s + 1] - texts.offsets[s]);
    const std::uint64_t size = texts.residues.size();
    for (std::uint64_t i = 0; i < sequence_index::count(size); ++i)
      marks_.push_back(sequence_index::mark_of(texts.offsets.data(), texts.offsets.size() - 1, size, i));
    unknown_.resize(size / sequence_index::granule / 32 + 1);
    for (std::uint64_t i = 0; i < size; ++i)
      if (is_unknown(bytes_of(texts.residues)[i])) {
        unknown_[i / sequence_index::granule / 32] |= 1U << i / sequence_index::granule % 32;
        has_unknown_ = 1;
      }
    const bool ps_scan = options.rule == match_rule::ps_scan;
    job_ = {tables_.view(),
            automata_.view(),
            bytes_of(texts.residues),
            {texts.offsets.data(), marks_.data()},
            unknown_.data(),
            &has_unknown_,
            match_keys::made_for(motifs.motifs().size(), longest),
            options.rule,
            options.overlap,
            {ps_scan && options.max_x >= 0 && motifs.syntax().alphabet == weft::alphabet::protein,
             ps_scan && options.max_x >= 0, static_cast<std::uint64_t>(std::max(options.max_x, 0))}};
    memory_.emplace(tables_, longest);
  }

  match_vector matches() {
    find();
    std::sort(keys_.begin(), keys_.end());
    values_.resize(keys_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i)
      values_[i] = i > 0 && keys_[i] == keys_[i - 1] ? value_none : value_of(keys_[i]);
    each_optional_start([&](auto& walk, std::uint64_t s, std::uint32_t motif) {
      fill_optional_start_values(job_, walk, s, motif, keys_.data(), keys_.size(), values_.data());
    });
    apply_rule();
    match_vector matches;
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (values_[i] != value_none) {
        const match_range range = range_of(job_, keys_[i], values_[i]);
        matches.push_back({static_cast<std::uint32_t>(job_.keys.sequence_of(keys_[i])),
                           job_.keys.motif_of(keys_[i]), range.begin, range.end});
      }
    if (options_.rule == match_rule::ends) std::sort(matches.begin(), matches.end());
    return matches;
  }

private:
  void find() {
    const edge which = options_.rule == match_rule::ends ? edge::ends : edge::starts;
    shift_and(set_.data(), {texts_.residues, texts_.offsets}, 0, texts_.residues.size(), which,
              [&](const occurrence_block& block) {
                for (std::uint64_t k = 0; k + 1 < block.offsets.size(); ++k)
                  for (std::uint32_t i = block.offsets[k]; i < block.offsets[k + 1]; ++i)
                    for (int times = 1 + i % 2; times > 0; --times) // adds some occurrences twice
                      keys_.push_back(key_of_code(job_, k << position_bits | block.positions[i]));
              });
    each_optional_start([&](auto& walk, std::uint64_t s, std::uint32_t motif) {
      find_optional_start_matches(job_, walk, s, motif, [&](std::uint64_t begin, std::uint64_t) {
        keys_.push_back(key_of_code(job_, code_of_start(job_, s, motif, begin)));
      });
    });
  }

  template <class Do> void each_optional_start(const Do& each) {
    if (options_.rule == match_rule::ends) return; // engines find the ends themselves
    patient_walker<noted_failures> walk = memory_->walker(tables_);
    for (const std::uint32_t motif : tables_.optional_start)
      for (std::uint64_t s = 0; s + 1 < texts_.offsets.size(); ++s) each(walk, s, motif);
  }

  std::uint64_t value_of(std::uint64_t key) {
    if (const std::uint64_t value = value_without_walk(job_, key); value != value_deferred) return value;
    if (options_.rule == match_rule::ends) {
      std::vector<std::uint64_t> state(automata_.max_words);
      return resolve_end(job_, state.data(), key);
    }
    walk_choice choices[quick_choices];
    walker<no_failures> quick(tables_.view(), choices, quick_choices, quick_steps);
    const std::uint64_t value = resolve_start(job_, quick, key);
    if (value != value_deferred) return value;
    patient_walker<noted_failures> patient = memory_->walker(tables_);
    return resolve_start(job_, patient, key);
  }

  void apply_rule() {
    if (options_.rule != match_rule::ps_scan || (options_.overlap && options_.included)) return;
    std::vector<std::uint64_t> reached(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i)
      reached[i] = std::max(i > 0 ? reached[i - 1] : 0, values_[i] & ~over_max_x_flag);
    if (options_.overlap) {
      for (std::size_t i = values_.size(); i-- > 0;)
        values_[i] = reached[i] > (i > 0 ? reached[i - 1] : 0) ? reached[i] : value_none;
      return;
    }
    for (std::size_t i = values_.size(); i-- > 0;)
      if (begins_run(keys_.data(), reached.data(), i))
        select_without_overlap(keys_.data(), reached.data(), values_.data(), i, values_.size());
  }

  const weft::motif_set& set_;
  const weft_test::batch& texts_;
  scan_options options_;
  flat_motif_tables tables_;
  flat_automaton_tables automata_;
  std::vector<std::uint32_t> marks_, unknown_;
  std::uint32_t has_unknown_ = 0;
  resolve_job job_{};
  std::optional<device_memory> memory_;
  std::vector<std::uint64_t> keys_, values_;
};

void check_rules(const weft::motif_set& motifs, const weft_test::batch& texts) {
  for (scan_options options : weft_test::every_scan_rule) {
    options.run.device = {weft::device_kind::cpu, 0};
    ASSERT_TRUE(resolution(motifs, texts, options).matches() ==
                weft::scan(motifs, {texts.residues, texts.offsets}, options))
        << "rule " << static_cast<int>(options.rule) << " overlap " << options.overlap << " included "
        << options.included << " max_x " << options.max_x << " in " << texts.residues.substr(0, 300);
  }
}

TEST(resolve_steps, small_texts) {
  check_rules(weft_test::motifs_of(weft_test::small_patterns), weft_test::all_small_texts());
}

TEST(resolve_steps, anchors_in_sets) {
  check_rules(weft_test::motifs_of(weft_test::patterns_with_anchors_in_sets()),
              weft_test::all_texts("AGX", 4));
}

TEST(resolve_steps, random_motifs_and_sequences) {
  std::mt19937_64 random(22);
  for (int round = 0; round < 150; ++round) {
    const weft::motif_set motifs = weft_test::motifs_of_round(random, round, 12);
    weft_test::batch texts;
    for (int i = 0; i < 20; ++i)
      texts.add(weft_test::random_sequence(random, random() % (i == 0 ? 200 : 40),
                                           weft_test::letters_of_round(round)));
    check_rules(motifs, texts);
  }
}

TEST(resolve_steps, bytes_with_x) {
  const weft::motif_syntax syntax{.alphabet = weft::alphabet::bytes};
  std::vector<weft::motif> motifs;
  for (const char* pattern : {"[<X]-C", "X(1,2)-C", "[AX](2)", "a-x"})
    motifs.push_back(weft::parse_motif(pattern, syntax));
  weft_test::batch texts;
  std::mt19937_64 random(23);
  for (int i = 0; i < 40; ++i) texts.add(weft_test::random_sequence(random, random() % 20, "XACax"));
  check_rules(weft::motif_set(motifs, syntax), texts);
}

TEST(resolve_steps, keys_have_sequences_between_empty_ones) {
  const std::vector<std::uint64_t> offsets = {0, 0, 0, 3, 3, 70, 70, 70, 71, 400, 400, 400};
  std::vector<std::uint32_t> marks;
  for (std::uint64_t i = 0; i < sequence_index::count(400); ++i)
    marks.push_back(sequence_index::mark_of(offsets.data(), offsets.size() - 1, 400, i));
  const sequence_index index{offsets.data(), marks.data()};
  for (std::uint64_t position = 0; position < 400; ++position) {
    const std::uint64_t s = index.sequence_at(position);
    ASSERT_TRUE(offsets[s] <= position && position < offsets[s + 1]) << position;
  }
  const match_keys keys = match_keys::made_for(1309, 36'000);
  EXPECT_EQ(keys.bits(500'000), 11 + 16 + 19);
  const std::uint64_t key = keys.key(499'999, 1308, 36'000);
  EXPECT_EQ(keys.sequence_of(key), 499'999U);
  EXPECT_EQ(keys.motif_of(key), 1308U);
  EXPECT_EQ(keys.offset_of(key), 36'000U);
  EXPECT_EQ(keys.with_offset(key, 5), keys.key(499'999, 1308, 5));
  EXPECT_EQ(match_keys::made_for(1, 1).bits(1), 1);
}

} // namespace
