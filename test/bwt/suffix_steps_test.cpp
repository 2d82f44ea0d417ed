// Tests the steps of the suffix sorting of the CPU: the packed text, the buckets, the refinement of ties, the
// anchors, and which of them a text goes through.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/suffix_anchors.hpp>
#include <weft/bwt/cpu/suffix_sort.hpp>
#include <weft/bwt/cpu/suffix_stars.hpp>

#include "suffix_texts.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

// Returns the next 57 bits of suffix i of `codes`, bit by bit: those from bit `depth` on, then zeros.
std::uint64_t bits_of_suffix(const std::vector<std::uint64_t>& codes, std::uint64_t bits, std::uint64_t i,
                             std::uint64_t end, std::uint64_t depth) {
  std::uint64_t made = 0;
  for (std::uint64_t k = 0; k < 57; ++k) {
    const std::uint64_t symbol = i + (depth + k) / bits, bit = bits - 1 - (depth + k) % bits;
    made = made << 1 | (symbol < end ? codes[symbol] >> bit & 1 : 0);
  }
  return made;
}

void expect_string(const suffix_string& text, const std::vector<std::uint64_t>& codes, std::uint64_t bits,
                   const std::vector<std::uint64_t>& offsets) {
  ASSERT_EQ(text.bits(), bits);
  ASSERT_EQ(text.size(), codes.size());
  for (std::size_t part = 0; part + 1 < offsets.size(); ++part)
    for (std::uint64_t i = offsets[part]; i < offsets[part + 1]; i += codes.size() < 1000 ? 1 : 1 + i % 13) {
      const std::uint64_t left = offsets[part + 1] - i;
      ASSERT_EQ(text.left(i), left);
      for (const std::uint64_t depth : {std::uint64_t{0}, bits, std::uint64_t{57}, left * bits - 1})
        if (depth < left * bits) {
          ASSERT_EQ(text.window(i, depth) >> 7, bits_of_suffix(codes, bits, i, i + left, depth))
              << i << ", depth " << depth;
        }
      if (bits <= 8) {
        ASSERT_EQ(text.two_before(i), (i > 1 ? codes[i - 2] << bits : 0) | (i > 0 ? codes[i - 1] : 0));
      }
    }
}

TEST(suffix_string, of_alphabets_and_parts_of_every_size) {
  std::mt19937_64 random(1);
  for (const unsigned letters : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 17U, 33U, 64U, 65U, 129U, 256U})
    for (const std::size_t n : {1, 2, 7, 63, 64, 65, 500, 70'000}) {
      const unsigned step = letters < 128 ? 255 / letters : 1;
      std::string text(n, ' ');
      for (std::size_t i = 0; i < n; ++i)
        text[i] = static_cast<char>((i < letters ? i : random() % letters) * step);
      std::vector<std::uint64_t> codes(n), offsets = {0, 0};
      for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<unsigned char>(text[i]) / step;
      const auto used = std::min<std::uint64_t>(letters, n);
      const auto bits = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::bit_width(used - 1)));
      expect_string(suffix_string(symbols_of(text), {.threads = 2}), codes, bits, {0, n});
      while (offsets.back() < n)
        offsets.push_back(std::min<std::uint64_t>(n, offsets.back() + random() % (n < 100 ? 9 : 200)));
      const suffix_string of_parts(symbols_of(text), {.threads = 2}, offsets);
      EXPECT_TRUE(of_parts.has_parts());
      expect_string(of_parts, codes, bits, offsets);
    }
}

TEST(suffix_string, of_symbols_of_every_width) {
  std::mt19937_64 random(2);
  for (unsigned bits = 1; bits <= 32; ++bits)
    for (const std::size_t n : {1, 3, 64, 300}) {
      std::vector<std::uint64_t> codes(n);
      for (std::uint64_t& code : codes) code = random() >> (64 - bits);
      codes[0] = ~std::uint64_t{0} >> (64 - bits);
      const std::vector<std::uint32_t> wide(codes.begin(), codes.end());
      expect_string(suffix_string(std::span(wide), {.threads = 1}), codes, bits, {0, n});
      if (bits > 16) continue;
      const std::vector<std::uint16_t> narrow(codes.begin(), codes.end());
      expect_string(suffix_string(std::span(narrow), {.threads = 1}), codes, bits, {0, n});
    }
}

// Checks that the buckets [first, last) hold the selected suffixes in the order of their first bits, those of
// a bucket in the order of the text.
void expect_buckets(const suffix_string& text, const std::vector<bool>& selected,
                    const suffix_buckets& buckets) {
  const item_layout& layout = buckets.layout();
  const std::uint64_t prefix_bits = buckets.depth() - layout.key_bits;
  ASSERT_EQ(buckets.count(), std::uint64_t{1} << prefix_bits);
  ASSERT_EQ(buckets.size(), static_cast<std::uint64_t>(std::count(selected.begin(), selected.end(), true)));
  std::vector<std::vector<std::uint64_t>> expected(buckets.count());
  for (std::uint64_t i = 0; i < text.size(); ++i)
    if (selected[i]) {
      const std::uint64_t window = text.window(i, 0);
      expected[window >> (64 - prefix_bits)].push_back(
          layout.item(window << prefix_bits >> (64 - layout.key_bits), i));
    }
  for (const std::uint64_t max_items : {std::uint64_t{0}, buckets.size() / 5, buckets.size()})
    for (std::uint64_t first = 0, last = 0; first < buckets.count(); first = last) {
      last = buckets.range_end(first, max_items);
      ASSERT_GT(last, first);
      ASSERT_LE(last, buckets.count());
      const std::uint64_t size = buckets.begin(last) - buckets.begin(first);
      ASSERT_TRUE(size <= max_items || last == first + 1);
      if (last < buckets.count()) {
        ASSERT_GT(buckets.begin(last + 1) - buckets.begin(first), max_items); // it is the longest range
      }
      std::vector<std::uint64_t> items(size), of_range;
      buckets.distribute(first, last, items);
      for (std::uint64_t b = first; b < last; ++b)
        of_range.insert(of_range.end(), expected[b].begin(), expected[b].end());
      ASSERT_EQ(items, of_range);
    }
}

TEST(suffix_buckets, hold_the_selected_suffixes) {
  std::mt19937_64 random(3);
  for (const std::size_t n : {1, 63, 64, 65, 5000, 200'000})
    for (const std::uint64_t sigma : {1, 2, 4, 256})
      for (const std::uint64_t max_depth : {std::uint64_t{2}, std::uint64_t{9}, ~std::uint64_t{0}}) {
        const suffix_string text(symbols_of(random_letters(random, n, sigma)), {.threads = 2});
        std::vector<bool> selected(n, true);
        const run_options run{.threads = 1 + static_cast<int>(random() % 4)};
        const suffix_buckets all(text, nullptr, max_depth, run);
        EXPECT_LE(all.depth(), max_depth);
        expect_buckets(text, selected, all);
        position_set set(n / 64 + 1);
        std::fill(set.begin(), set.end(), 0);
        for (std::size_t i = 0; i < n; ++i) {
          selected[i] = random() % 3 == 0;
          set[i / 64] |= std::uint64_t{selected[i]} << (i % 64);
        }
        const suffix_buckets some(text, &set, max_depth, run);
        expect_buckets(text, selected, some);
      }
}

// Partitions bucket b, and each bucket of it that is still large. Checks that the suffixes of each bucket are
// those of the text that begin with `prefix`, in the order of the text.
void expect_divided(const suffix_string& text, const suffix_buckets& from, std::uint64_t b,
                    suffix_prefix prefix, std::uint64_t max_depth) {
  const suffix_buckets parts(from, b, max_depth);
  ASSERT_LE(parts.depth(), max_depth);
  const auto part_bits = static_cast<unsigned>(std::bit_width(parts.count() - 1));
  std::vector<std::uint64_t> items(parts.size());
  parts.distribute(0, parts.count(), items);
  for (std::uint64_t part = 0; part < parts.count(); ++part) {
    suffix_prefix longer = prefix;
    longer.append(part, part_bits);
    std::vector<std::uint64_t> expected, made;
    for (std::uint64_t i = 0; i < text.size(); ++i)
      if (longer.begins(text, i)) expected.push_back(i);
    for (std::uint64_t k = parts.begin(part); k < parts.begin(part + 1); ++k)
      made.push_back(parts.layout().position(items[k]));
    ASSERT_EQ(made, expected) << longer.bits << " bits";
    if (made.size() > 40 && parts.is_divisible(max_depth))
      expect_divided(text, parts, part, longer, max_depth);
  }
}

TEST(suffix_buckets, are_divided_by_further_bits) {
  std::mt19937_64 random(4);
  for (const auto& [name, text] : {named_text{"powers", powers("ab", "cA", 3000)},
                                   {"bytes", random_letters(random, 3000, 256) + std::string(200, '\0')},
                                   {"copies", copies(random, 3000, 100, 30)}}) {
    std::vector<std::uint64_t> offsets = {0, 100, 100, 1500, text.size()};
    for (const bool has_parts : {false, true}) {
      const suffix_string packed(symbols_of(text), {.threads = 2},
                                 has_parts ? std::span<const std::uint64_t>(offsets)
                                           : std::span<const std::uint64_t>());
      const suffix_buckets all(packed, nullptr, ~std::uint64_t{0}, {.threads = 2});
      ASSERT_EQ(all.count(), 2U);
      for (std::uint64_t b = 0; b < all.count(); ++b) {
        suffix_prefix prefix;
        prefix.append(b, 1);
        expect_divided(packed, all, b, prefix, 200);
      }
    }
  }
}

// A prefix is compared with suffixes bit by bit.
TEST(suffix_prefix, begins_suffixes) {
  std::mt19937_64 random(5);
  const std::string text = repeated(random_letters(random, 40, 5), 150);
  std::vector<std::uint64_t> codes;
  for (const char c : text) codes.push_back(static_cast<std::uint64_t>(c - 'a'));
  const suffix_string packed(symbols_of(text), {.threads = 1});
  ASSERT_EQ(packed.bits(), 3U);
  const auto bit_of = [&](std::uint64_t i, std::uint64_t k) {
    const std::uint64_t symbol = i + k / 3;
    return symbol < codes.size() ? codes[symbol] >> (2 - k % 3) & 1 : 0;
  };
  for (const unsigned step : {1U, 2U, 7U, 13U}) {
    suffix_prefix prefix;
    while (prefix.bits < 300) {
      std::uint64_t number = 0;
      for (unsigned k = 0; k < step; ++k) number = number << 1 | bit_of(17, prefix.bits + k);
      prefix.append(number, step);
      for (std::uint64_t i = 0; i < text.size(); ++i) {
        bool agree = true;
        for (std::uint64_t k = 0; k < prefix.bits; ++k) agree = agree && bit_of(i, k) == bit_of(17, k);
        ASSERT_EQ(prefix.begins(packed, i), agree) << i << ", " << prefix.bits << " bits";
      }
    }
  }
}

// Returns items without keys of the suffixes of a text, in a random order.
std::vector<std::uint64_t> shuffled(std::size_t n, std::mt19937_64& random) {
  std::vector<std::uint64_t> items(n);
  std::iota(items.begin(), items.end(), 0U);
  std::shuffle(items.begin(), items.end(), random);
  return items;
}

std::vector<std::uint32_t> positions(std::span<const std::uint64_t> items, const item_layout& layout) {
  std::vector<std::uint32_t> made;
  for (const std::uint64_t item : items) made.push_back(static_cast<std::uint32_t>(layout.position(item)));
  return made;
}

// Suffixes that end at the depth at which refining ends stay, all shorter ones leave their group.
TEST(group_refiner, moves_ended_suffixes_before_their_group) {
  std::mt19937_64 random(4);
  const std::string text(100, 'a');
  const suffix_string packed(symbols_of(text), {.threads = 1});
  const item_layout layout{7, 50};
  for (const std::uint64_t depth : {1, 2, 10, 57, 98, 99, 100}) {
    std::vector<std::uint64_t> items = shuffled(100, random);
    group_refiner refiner(packed, layout);
    refiner.start(items, {make_group(0, 100)}, 0);
    refiner.refine(depth, nullptr);
    for (std::uint64_t k = 0; k + 1 < depth; ++k) ASSERT_EQ(items[k], 99 - k);
    if (100 - (depth - 1) < 2) {
      EXPECT_TRUE(refiner.groups().empty());
      continue;
    }
    ASSERT_EQ(refiner.groups().size(), 1U);
    EXPECT_EQ(refiner.groups()[0].begin, depth - 1);
    EXPECT_EQ(refiner.groups()[0].end, 100U);
  }
}

// After each call, the groups are exactly the suffixes that agree in so many bits, and have as many.
TEST(group_refiner, refines_by_text_until_all_is_sorted) {
  std::mt19937_64 random(5);
  for (const unsigned key_bits : {1U, 5U, 13U, 50U})
    for (const auto& [name, text] : suffix_texts(300)) {
      const suffix_string packed(symbols_of(text), {.threads = 1});
      const item_layout layout{9, key_bits};
      std::vector<std::uint64_t> items = shuffled(text.size(), random);
      group_refiner refiner(packed, layout);
      refiner.start(items, {make_group(0, text.size())}, 0);
      const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
      const auto bits_of = [&](std::uint64_t row) { return packed.left(expected[row]) * packed.bits(); };
      for (std::uint64_t depth = 1 + random() % 70; !refiner.groups().empty(); depth += 1 + random() % 200) {
        refiner.refine(depth, nullptr);
        std::vector<item_group> groups;
        for (std::uint64_t begin = 0, end = 0; begin < text.size(); begin = end) {
          std::uint64_t max_reads = ~std::uint64_t{0};
          for (end = begin + 1; end < text.size() && std::min(bits_of(begin), bits_of(end)) >= depth &&
                                packed.compare(expected[begin], expected[end], 0, depth, max_reads) == 0;)
            ++end;
          if (end - begin >= 2) groups.push_back(make_group(begin, end));
        }
        ASSERT_EQ(refiner.groups().size(), groups.size()) << name << ", depth " << depth;
        for (std::size_t g = 0; g < groups.size(); ++g) {
          ASSERT_EQ(refiner.groups()[g].begin, groups[g].begin) << name << ", depth " << depth;
          ASSERT_EQ(refiner.groups()[g].end, groups[g].end) << name << ", depth " << depth;
        }
      }
      ASSERT_EQ(positions(items, layout), expected) << name;
    }
}

TEST(group_refiner, sorts_completely_unless_that_takes_too_long) {
  std::mt19937_64 random(6);
  for (const auto& [name, text] : suffix_texts(300)) {
    const suffix_string packed(symbols_of(text), {.threads = 1});
    const item_layout layout{9, 50};
    std::vector<std::uint64_t> items = shuffled(text.size(), random);
    group_refiner refiner(packed, layout);
    for (const std::uint64_t reads : {0, 1, 50, 1000}) {
      refiner.start(items, {make_group(0, text.size())}, 0);
      std::uint64_t reads_left = reads;
      if (refiner.sort(reads_left)) {
        ASSERT_EQ(positions(items, layout), sorted_by_divsufsort(text)) << name;
      }
      std::vector<std::uint32_t> all = positions(items, layout); // none is lost
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i) << name;
    }
    refiner.start(items, {make_group(0, text.size())}, 0);
    std::uint64_t reads_left = 1'000'000;
    ASSERT_TRUE(refiner.sort(reads_left)) << name;
    ASSERT_LE(reads_left, 1'000'000U);
    ASSERT_EQ(positions(items, layout), sorted_by_divsufsort(text)) << name;
  }
}

// Sorts the suffixes that agree in `depth` symbols by the anchors, and compares them with the expected order.
void expect_resolved(const suffix_string& text, const std::vector<std::uint32_t>& expected,
                     std::uint64_t depth, const std::string& name) {
  std::mt19937_64 random(depth);
  const auto position_bits = std::max(1U, static_cast<unsigned>(std::bit_width(text.size() - 1)));
  const item_layout layout{position_bits, 64 - position_bits};
  const auto agree = [&](std::uint64_t a, std::uint64_t b) {
    if (std::min(text.left(a), text.left(b)) < depth) return false;
    for (std::uint64_t k = 0; k < depth; ++k)
      if (text.from((a + k) * text.bits()) >> (64 - text.bits()) !=
          text.from((b + k) * text.bits()) >> (64 - text.bits()))
        return false;
    return true;
  };
  std::vector<std::uint64_t> items(expected.begin(), expected.end());
  std::vector<item_group> groups;
  for (std::uint64_t begin = 0, end = 0; begin < items.size(); begin = end) {
    for (end = begin + 1; end < items.size() && agree(items[begin], items[end]);) ++end;
    if (end - begin < 2) continue;
    groups.push_back(make_group(begin, end));
    std::shuffle(items.begin() + static_cast<std::ptrdiff_t>(begin),
                 items.begin() + static_cast<std::ptrdiff_t>(end), random);
  }
  for (const int threads : {1, 3}) {
    const suffix_anchors anchors(text, depth, {.threads = threads});
    ASSERT_LE(anchors.count(), text.size());
    std::vector<std::uint64_t> resolved = items;
    resolve_workspace work;
    anchors.resolve(resolved, layout, groups, work);
    ASSERT_EQ(positions(resolved, layout), expected) << name << ", depth " << depth;
  }
}

TEST(suffix_anchors, order_suffixes_that_agree) {
  for (const std::size_t n : {40, 1000})
    for (const auto& [name, text] : suffix_texts(n)) {
      const suffix_string packed(symbols_of(text), {.threads = 1});
      const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
      for (const std::uint64_t depth : {2, 3, 10, 17, 63, 80, 200})
        if (depth < n) expect_resolved(packed, expected, depth, name);
    }
}

TEST(suffix_anchors, order_suffixes_of_every_short_sequence) {
  for (const auto& [a, b] : {std::pair<std::string, std::string>{"ab", "abb"}, {"aaaa", "b"}, {"a", "ba"}})
    for_all_sequences(a, b, 8, [](const std::string& text) {
      const suffix_string packed(symbols_of(text), {.threads = 1});
      for (const std::uint64_t depth : {2, 3, 5})
        expect_resolved(packed, sorted_by_divsufsort(text), depth, text);
    });
}

TEST(suffix_anchors, order_suffixes_of_parts) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 60; ++round) {
    text_parts of = random_parts(random, 1 + random() % 20, 60);
    for (int copies = 0; copies < 5; ++copies) of.add(of.part(random() % of.parts()));
    of.add(repeated("ab", 70));
    const suffix_string packed(symbols_of(of.text), {.threads = 1}, of.offsets);
    for (const std::uint64_t depth : {2, 7, 40})
      expect_resolved(packed, sorted_records(of), depth, "round " + std::to_string(round));
  }
}

} // namespace
} // namespace weft::test
