// Runs on the CPU the steps of a search on a GPU, and compares them with a search by hand.
#include <gtest/gtest.h>
#include <weft/bwt/core/fm_steps.hpp>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/cpu/fm_view.hpp>

#include "bwt_cases.hpp"
#include "fm_cases.hpp"

namespace weft::test {

namespace {

using bwt_detail::fm_interval;

// Stores concatenated letters at any alignment. Memory before and after them must not be read.
struct letters_at {
  letters_at(const std::string& letters, std::size_t moved) : storage(moved + letters.size()) {
    std::copy(letters.begin(), letters.end(), storage.begin() + static_cast<std::ptrdiff_t>(moved));
    text = {storage.data() + moved, storage.data() + storage.size()};
  }
  std::vector<unsigned char> storage;
  bwt_detail::readable_letters text;
};

template <bool Dna>
std::vector<fm_hit> hits_of(const bwt_detail::fm_parts& index, const bwt_detail::fm_pattern& pattern) {
  const fm_interval found = bwt_detail::find_interval<Dna>(index, pattern);
  std::vector<fm_hit> hits;
  for (std::uint64_t row = found.low; row < found.high; ++row) {
    const std::uint64_t position = bwt_detail::occurrence_at<Dna>(index, pattern, found.unmatched, row);
    EXPECT_NE(position, bwt_detail::damaged_position);
    if (position == bwt_detail::no_position) continue;
    const bwt_detail::fm_segment& segment = index.segment_of(position);
    hits.push_back({segment.record, segment.begin + (position - segment.start)});
  }
  std::sort(hits.begin(), hits.end());
  return hits;
}

void check_steps(const collection& of, const std::vector<std::string>& patterns, fm_alphabet alphabet,
                 std::uint32_t rate, std::size_t moved) {
  const fm_build_options options = {.alphabet = alphabet, .sa_sample_rate = rate};
  std::string text;
  for (const std::string& pattern : patterns) text += pattern;
  const letters_at letters(text, moved);
  for (const bool wide : {false, true}) {
    const bwt_detail::fm_writer::block block = wide ? built_index<std::uint64_t>(of.references(), options)
                                                    : built_index<std::uint32_t>(of.references(), options);
    const auto view = bwt_detail::open_fm_index(block.bytes, block.owner);
    std::uint64_t at = 0;
    for (const std::string& pattern : patterns) {
      const bwt_detail::fm_pattern given{letters.text, at, pattern.size()};
      at += pattern.size();
      const std::vector<fm_hit> hits =
          view->dna() ? hits_of<true>(*view, given) : hits_of<false>(*view, given);
      ASSERT_EQ(hits, naive_hits(of, pattern, alphabet)) << pattern << " in " << of.text;
    }
  }
}

TEST(fm_letters, are_packed_from_any_address) {
  std::mt19937_64 random(1);
  const std::string letters = "ACGTacgt";
  for (std::size_t moved = 0; moved < 9; ++moved)
    for (std::size_t size = 1; size <= 48; ++size) {
      std::string text = random_text(random, size, letters);
      if (size % 5 == 0) text[random() % size] = "N\0@[`{B\xC1"[random() % 8];
      const letters_at placed(text, moved);
      for (std::size_t at = 0; at < size; ++at)
        for (std::size_t count = 1; count <= std::min<std::size_t>(32, size - at); ++count) {
          std::uint64_t expected = 0;
          bool fine = true, valid = true;
          for (std::size_t i = 0; i < count; ++i) {
            const std::size_t code = letters.find(text[at + i]);
            fine = fine && code != std::string::npos;
            expected |= static_cast<std::uint64_t>(code & 3) << (2 * i);
          }
          const std::uint64_t packed = bwt_detail::packed_letters(placed.text, at, count, valid);
          ASSERT_EQ(valid, fine);
          if (fine) {
            ASSERT_EQ(packed, expected);
          }
        }
    }
}

TEST(fm_letters, become_upper_case) {
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned position = 0; position < 8; ++position) {
      const unsigned upper = byte >= 'a' && byte <= 'z' ? byte - 'a' + 'A' : byte;
      const std::uint64_t others = 0x7A617B605AFF4161ULL & ~(std::uint64_t{255} << (8 * position)),
                          raised = 0x5A417B605AFF4141ULL & ~(std::uint64_t{255} << (8 * position));
      ASSERT_EQ(bwt_detail::upper_letters(others | std::uint64_t{byte} << (8 * position)),
                raised | std::uint64_t{upper} << (8 * position));
    }
}

TEST(fm_steps, on_every_short_text) {
  std::vector<std::string> patterns;
  for (const char* letters : {"AC", "AN"})
    for_all_texts(2, 4, [&](std::string pattern) {
      for (char& c : pattern) c = letters[c - 'a'];
      patterns.push_back(pattern);
    });
  for_all_texts(3, 6, [&](std::string text) {
    for (char& c : text) c = "ACN"[c - 'a'];
    collection of;
    of.add(text.substr(0, text.size() / 2));
    of.add(text.substr(text.size() / 2));
    for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein})
      check_steps(of, patterns, alphabet, 1 + static_cast<std::uint32_t>(text.size() % 3), text.size() % 8);
  });
}

TEST(fm_steps, on_random_and_repetitive_references) {
  std::mt19937_64 random(7);
  for (const auto& [letters, alphabet] : kinds_of_letters())
    for (const int records : {1, 50})
      for (const std::size_t size : {5, 193, 2000}) {
        const collection of = repetitive_records(random, records, size, letters, alphabet);
        for (const std::uint32_t rate : {1U, 32U})
          check_steps(of, patterns_for(random, of, letters), alphabet, rate, random() % 8);
      }
}

TEST(fm_steps, on_copies) {
  for (const std::string& text :
       {std::string(50'000, 'A'), std::string(20'000, 'A') + "C" + std::string(20'000, 'A')}) {
    collection of;
    of.add(text);
    check_steps(of, {"A", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AC", "CA", std::string(20'001, 'A'), "T"},
                fm_alphabet::dna, 16, 3);
  }
}

// Locates a batch as the kernels do, row by row in ascending order.
fm_hits located(const bwt_detail::fm_parts& index, const letters_at& letters,
                const std::vector<std::uint64_t>& offsets, std::uint64_t max_hits, std::uint64_t tile) {
  const std::uint64_t n = offsets.size() - 1;
  std::vector<fm_interval> intervals;
  std::vector<std::uint64_t> starts = {0}, where, found;
  const auto pattern = [&](std::uint64_t p) {
    return bwt_detail::fm_pattern{letters.text, offsets[p], offsets[p + 1] - offsets[p]};
  };
  for (std::uint64_t p = 0; p < n; ++p) {
    intervals.push_back(bwt_detail::find_interval<true>(index, pattern(p)));
    starts.push_back(starts.back() + bwt_detail::num_candidate_rows(intervals[p], max_hits));
  }
  const std::uint64_t rows = starts.back();
  const auto owner = [&](std::uint64_t c) {
    const std::uint64_t first = c / tile * tile, last = std::min(first + tile, rows) - 1;
    const std::uint64_t* const ends = starts.data() + 1;
    return bwt_detail::pattern_of_row(ends, bwt_detail::pattern_of_row(ends, 0, n - 1, first),
                                      bwt_detail::pattern_of_row(ends, 0, n - 1, last), c);
  };
  std::uint64_t sum = 0;
  for (std::uint64_t c = 0; c < rows; ++c) {
    const std::uint64_t p = owner(c), row = intervals[p].low + (c - starts[p]);
    where.push_back(bwt_detail::occurrence_at<true>(index, pattern(p), intervals[p].unmatched, row));
    found.push_back(sum);
    sum += where.back() != bwt_detail::no_position ? 1 : 0;
  }
  found.push_back(sum);
  fm_hits result;
  for (std::uint64_t p = 0; p < n; ++p) {
    result.totals.push_back(
        bwt_detail::count_occurrences(intervals[p], found[starts[p + 1]] - found[starts[p]]));
    result.offsets.push_back(result.offsets.back() + std::min(result.totals[p], max_hits));
  }
  std::vector<std::uint64_t> positions(result.offsets.back(), bwt_detail::no_position);
  for (std::uint64_t c = 0; c < rows; ++c) {
    const std::uint64_t p = owner(c), position = result.offsets[p] + (found[c] - found[starts[p]]);
    if (where[c] != bwt_detail::no_position && position < result.offsets[p + 1])
      positions[position] = where[c];
  }
  for (std::uint64_t p = 0; p < n; ++p)
    std::sort(positions.begin() + static_cast<std::ptrdiff_t>(result.offsets[p]),
              positions.begin() + static_cast<std::ptrdiff_t>(result.offsets[p + 1]));
  for (const std::uint64_t position : positions) {
    const bwt_detail::fm_segment& segment = index.segment_of(position);
    result.hits.push_back({segment.record, segment.begin + (position - segment.start)});
  }
  return result;
}

TEST(fm_steps, batches_are_located_as_by_fm_index) {
  std::mt19937_64 random(9);
  for (const int records : {0, 1, 20}) {
    const collection of = repetitive_records(random, records, 700, "ACGTN", fm_alphabet::dna);
    const fm_index index = fm_index::build(of.references(), {.sa_sample_rate = 3});
    std::vector<std::string> patterns = patterns_for(random, of, "ACGT");
    for (const char* short_pattern : {"A", "", "", "AC", "NA", "", "T"})
      patterns.insert(patterns.begin() + 40, short_pattern);
    std::string text;
    std::vector<std::uint64_t> offsets = {0};
    for (const std::string& pattern : patterns) offsets.push_back((text += pattern).size());
    const letters_at letters(text, 5);
    for (const std::uint64_t max_hits :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, ~std::uint64_t{0}})
      for (const std::uint64_t tile : {1, 32, 1024}) {
        const fm_hits expected = index.locate({text, offsets}, {.max_hits = max_hits, .run = {.threads = 1}});
        const fm_hits actual = located(index.parts(), letters, offsets, max_hits, tile);
        ASSERT_EQ(actual.offsets, expected.offsets);
        ASSERT_EQ(actual.totals, expected.totals);
        ASSERT_EQ(actual.hits, expected.hits);
      }
  }
}

// Packs patterns of one size, each with one letter replaced by one byte, and compares each code with its
// letter.
void check_packing(const fm_index::view& index, std::mt19937_64& random, std::size_t size) {
  const std::string bases = "ACGTacgt";
  for (std::size_t at = 0; at < size; ++at) {
    const std::string pattern = random_text(random, size, bases);
    std::string text;
    std::vector<std::uint64_t> offsets{0};
    for (int byte = 0; byte < 256; ++byte) {
      text += pattern;
      text[text.size() - size + at] = static_cast<char>(byte);
      offsets.push_back(text.size());
    }
    const bwt_detail::fm_patterns packed(index, text, offsets);
    ASSERT_EQ(packed.count(), 256U);
    for (std::size_t p = 0; p < 256; ++p) {
      const bool valid = bases.find(static_cast<char>(p)) != std::string::npos;
      ASSERT_EQ(packed.size(p), valid ? size : 0) << "byte " << p << " at " << at << " of " << size;
      for (std::size_t i = 0; valid && i < size; ++i)
        ASSERT_EQ(packed.code<true>(p, i), bases.find(text[offsets[p] + i]) % 4 + 1)
            << "byte " << p << " at " << at << " of " << size << ", letter " << i;
    }
  }
}

TEST(fm_steps, packs_every_byte_at_every_position) {
  collection of;
  of.add("ACGT");
  const auto block = built_index<std::uint32_t>(of.references(), {.alphabet = fm_alphabet::dna});
  const auto view = bwt_detail::open_fm_index(block.bytes, block.owner);
  std::mt19937_64 random(3);
  for (const std::size_t size : {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97, 150})
    check_packing(*view, random, size);
}

} // namespace

} // namespace weft::test
