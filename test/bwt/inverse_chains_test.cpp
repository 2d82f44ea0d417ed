// Runs on the host the steps of the inverse transform on a GPU: links, lanes in parallel and in turn, the
// order of chains, and the text assembled from their pieces.
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/core/inverse_chains.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

constexpr auto forms = {bwt_form::sentinel, bwt_form::rotation};

template <class Index> first_bytes<Index> table_of(const std::string& bytes) {
  first_bytes<Index> table{};
  for (const char c : bytes) ++table.begins[static_cast<unsigned char>(c) + 1];
  for (int b = 0; b < 256; ++b) table.begins[b + 1] += table.begins[b];
  table.shift = first_bytes<Index>::shift_for(bytes.size());
  for (unsigned cell = 0; cell < first_bytes<Index>::num_cells; ++cell)
    table.cells[cell] =
        first_bytes<Index>::byte_of_cell(table.begins, static_cast<Index>(Index{cell} << table.shift));
  return table;
}

// Packs links as the GPU does: 32 at a time, also beyond the end.
template <class Links>
std::vector<std::uint32_t> links_of(const std::string& bytes,
                                    const first_bytes<typename Links::index>& table) {
  using index = typename Links::index;
  std::vector<index> next_row(table.begins, table.begins + 256), links;
  for (const char c : bytes) links.push_back(next_row[static_cast<unsigned char>(c)]++);
  links.resize((links.size() + 31) / 32 * 32, 0);
  std::vector<std::uint32_t> words(Links::num_words(links.size()));
  for (std::size_t group = 0; group < links.size(); group += 32)
    for (int w = 0; w < Links::words_of_32; ++w)
      words[Links::num_words(group) + static_cast<std::size_t>(w)] =
          Links::word_of_32(w, [&](int i) { return links[group + static_cast<std::size_t>(i)]; });
  return words;
}

struct setting {
  int stretch_bits = 3, lanes = 4, chunk_bytes = 8;
  std::uint32_t quota = no_chain; // maximal number of symbols that a lane takes
  bool threads = false;
};

struct spelled {
  std::string text;     // the complete text of the cycle of the first row
  std::uint64_t period; // its length
};

template <class Links>
spelled spell(const std::string& bytes, std::uint64_t first_row, std::uint64_t primary, const setting& how) {
  using index = typename Links::index;
  const auto n = static_cast<index>(bytes.size()), chunk_bytes = static_cast<index>(how.chunk_bytes);
  const auto table = table_of<index>(bytes);
  const std::vector<std::uint32_t> words = links_of<Links>(bytes, table);
  const chain_starts<index> starts(n, static_cast<index>(first_row), how.stretch_bits);
  const std::size_t chunks = n / chunk_bytes + static_cast<std::size_t>(how.lanes);
  std::vector<std::uint64_t> pool(chunks * chunk_bytes / 8);
  std::vector<chain_bytes<index>> chains(starts.count());
  std::vector<chain_sum<index>> sums(starts.count());
  std::vector<chunk_owner<index>> owners(chunks);
  walk_counters counters{0, 0};
  chain_walk<Links> walk{{words.data()},
                         starts,
                         static_cast<index>(primary),
                         chunk_bytes,
                         starts.chain_of(static_cast<index>(first_row)),
                         reinterpret_cast<unsigned char*>(pool.data()),
                         chains.data(),
                         sums.data(),
                         owners.data(),
                         &counters};
  const auto lane = [&](int which) { // the last lane takes the chains that the others leave
    std::uint32_t left = which + 1 < how.lanes ? how.quota : no_chain;
    follow_chains(walk, table, [&](std::uint32_t* counter) {
      if (counter == &counters.chains && left != no_chain && left-- == 0) return no_chain;
      return std::atomic_ref(*counter).fetch_add(1);
    });
  };
  if (how.threads)
    run_team(how.lanes, lane);
  else
    for (int i = 0; i < how.lanes; ++i) lane(i);
  EXPECT_LE(counters.chunks, chunks);
  for (int jumps = num_jumps(starts.count()); jumps > 0; --jumps) {
    std::vector<chain_sum<index>> next;
    for (std::uint32_t chain = 0; chain < starts.count(); ++chain) next.push_back(jump(sums.data(), chain));
    sums.swap(next);
  }
  walk.sums = sums.data();
  spelled result{std::string(n, '?'), sums[walk.first_chain].sum};
  const auto copy = [&](const piece<index>& own) {
    ASSERT_LE(own.to + own.length, n);
    ASSERT_LE(own.from + own.length, chunks * chunk_bytes);
    std::copy_n(reinterpret_cast<const char*>(pool.data()) + own.from, own.length,
                result.text.begin() + static_cast<std::ptrdiff_t>(own.to));
  };
  for (std::uint32_t chain = 0; chain < starts.count(); ++chain) copy(piece_of_chain(walk, chain));
  for (std::uint32_t chunk = 0; chunk < counters.chunks; ++chunk) copy(piece_of_chunk(walk, chunk));
  for (std::uint64_t i = result.period; i < n; ++i) result.text[i] = result.text[i % result.period];
  return result;
}

// Inverts as the GPU does. Returns nothing if no text has this transform.
template <class Links> std::optional<std::string> inverse(const bwt_text& from, const setting& how) {
  const bool sentinel = from.form == bwt_form::sentinel;
  const std::uint64_t n = from.bytes.size();
  const spelled result =
      spell<Links>(from.bytes, sentinel ? 0 : from.primary_index, sentinel ? from.primary_index : 0, how);
  if (result.period == n) return result.text;
  if (sentinel || n % result.period != 0) return std::nullopt;
  const std::uint64_t times = n / result.period;
  if (from.primary_index % times != 0) return std::nullopt;
  for (std::uint64_t i = 0; i < n; ++i)
    if (from.bytes[i] != from.bytes[i - i % times]) return std::nullopt;
  return result.text;
}

std::optional<std::string> on_cpu(const bwt_text& from) {
  try {
    return inverse_bwt(from, {.run = {.device = {device_kind::cpu, 0}, .threads = 1}});
  } catch (const error&) {
    return std::nullopt;
  }
}

TEST(inverse_chains, take_transforms_and_nothing_else) {
  for (const bwt_form form : forms)
    for (const auto& [sigma, longest] : {std::pair{2, 9}, {3, 6}})
      for_all_texts(sigma, longest, [&](const std::string& bytes) {
        const std::uint64_t min_index = form == bwt_form::sentinel ? 1 : 0;
        for (std::uint64_t index = min_index; index < bytes.size() + min_index; ++index) {
          const bwt_text given{bytes, index, form};
          const auto expected = on_cpu(given);
          for (const int bits : {0, 1, 2, 5}) {
            ASSERT_EQ(inverse<links_32>(given, {bits, 2, 8, 2}), expected) << bytes << ' ' << index;
            ASSERT_EQ(inverse<links_40>(given, {bits, 3, 8, 1}), expected) << bytes << ' ' << index;
          }
        }
      });
}

TEST(inverse_chains, texts_in_any_number_of_chains_lanes_and_chunks) {
  for (const std::size_t n : {1, 2, 31, 32, 33, 1000, 20'000})
    for (const auto& [name, text] : texts(n))
      for (const bwt_form form : forms) {
        const bwt_text from = bwt(text, form);
        for (const setting& how : {setting{0, 3, 8, 5}, setting{4, 7, 16, 2}, setting{7, 1, 64},
                                   setting{31, 2, 512}, setting{5, 4, 64, no_chain, true}}) {
          ASSERT_EQ(inverse<links_32>(from, how), text) << name << ' ' << n << ' ' << how.stretch_bits;
          ASSERT_EQ(inverse<links_40>(from, how), text) << name << ' ' << n << ' ' << how.stretch_bits;
        }
      }
}

TEST(inverse_chains, of_bytes_in_no_order) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    std::string bytes(1 + random() % 3000, ' ');
    const unsigned sigma = round % 3 == 0 ? 256 : 1 + random() % 4;
    for (char& c : bytes) c = static_cast<char>(random() % sigma);
    for (const bwt_form form : forms) {
      const bwt_text given{bytes, random() % bytes.size() + (form == bwt_form::sentinel ? 1 : 0), form};
      ASSERT_EQ(inverse<links_32>(given, {static_cast<int>(random() % 9), 3, 16, 9}), on_cpu(given)) << round;
    }
  }
}

// Uses as many copies of one unit as a stretch has rows: if every stretch started its chains at the same
// offset, one chain would be as long as the text.
TEST(inverse_chains, none_is_long) {
  const int bits = 6;
  std::mt19937_64 random(6);
  for (const std::size_t unit_size : {700, 1024, 3000}) {
    std::string unit(unit_size, ' '), text;
    for (char& c : unit) c = "ACGT"[random() % 4];
    for (int copy = 0; copy < 1 << bits; ++copy) text += unit;
    const bwt_text from = bwt(text);
    const auto table = table_of<std::uint32_t>(from.bytes);
    const auto words = links_of<links_32>(from.bytes, table);
    const links_32 links{words.data()};
    const auto n = static_cast<std::uint32_t>(text.size());
    const chain_starts<std::uint32_t> starts(n, 0, bits);
    std::uint32_t longest = 0, length = 0, row = 0;
    for (std::uint32_t step = 0; step < n; ++step) {
      row = row_after(links[row], static_cast<std::uint32_t>(from.primary_index));
      longest = std::max(longest, ++length);
      if (starts.is_start(row)) length = 0;
    }
    EXPECT_LT(longest, 40U << bits) << unit_size;
  }
}

TEST(inverse_chains, starts_are_one_in_each_stretch) {
  for (const std::uint32_t rows : {1U, 2U, 63U, 64U, 65U, 1000U, 4096U})
    for (const int bits : {0, 1, 6, 31})
      for (std::uint32_t first = 0; first < rows; first += 1 + rows / 50) {
        const chain_starts<std::uint32_t> starts(rows, first, bits);
        const chain_starts<std::uint64_t> wide(rows, first, bits);
        ASSERT_TRUE(starts.is_start(first));
        std::vector<std::uint32_t> found(starts.count(), no_chain);
        for (std::uint32_t row = 0; row < rows; ++row) {
          ASSERT_EQ(starts.is_start(row), wide.is_start(row));
          if (!starts.is_start(row)) continue;
          ASSERT_EQ(found.at(starts.chain_of(row)), no_chain);
          found[starts.chain_of(row)] = row;
        }
        for (std::uint32_t chain = 0; chain < starts.count(); ++chain) {
          const std::uint32_t row = starts.row_of(chain);
          ASSERT_EQ(row < rows ? row : no_chain, found[chain]);
          ASSERT_TRUE(row < rows || chain + 1 == starts.count());
          ASSERT_EQ(starts.chain_of(row), chain);
        }
      }
  const std::uint64_t rows = (std::uint64_t{1} << 33) + 5, first = rows - 3;
  const chain_starts<std::uint64_t> starts(rows, first, 10);
  EXPECT_EQ(starts.row_of(starts.chain_of(first)), first);
  EXPECT_EQ(starts.count(), (1U << 23) + 1);
  for (std::uint32_t chain = 0; chain < starts.count(); chain += 1001)
    ASSERT_TRUE(starts.is_start(starts.row_of(chain)) && starts.chain_of(starts.row_of(chain)) == chain);
}

// Checks the largest possible links, and lookups of bytes by position among more than 2^32 rows.
TEST(inverse_chains, large_numbers) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> links(96);
  for (std::uint64_t& link : links) link = random() >> 24;
  links[31] = links[0] = (std::uint64_t{1} << 40) - 1;
  std::vector<std::uint32_t> words;
  for (std::size_t group = 0; group < links.size(); group += 32)
    for (int w = 0; w < links_40::words_of_32; ++w)
      words.push_back(
          links_40::word_of_32(w, [&](int i) { return links[group + static_cast<std::size_t>(i)]; }));
  ASSERT_EQ(words.size(), links_40::num_words(links.size()));
  for (std::size_t i = 0; i < links.size(); ++i) ASSERT_EQ(links_40{words.data()}[i], links[i]) << i;

  const auto check = [&](auto index, std::uint64_t rows) {
    using type = decltype(index);
    first_bytes<type> table{};
    std::vector<std::uint64_t> begins = {0, rows};
    for (int b = 1; b < 256; ++b) begins.push_back(b % 3 == 0 ? begins.back() : random() % rows);
    std::sort(begins.begin(), begins.end());
    std::copy(begins.begin(), begins.end(), table.begins);
    table.shift = first_bytes<type>::shift_for(rows);
    ASSERT_LT((rows - 1) >> table.shift, first_bytes<type>::num_cells);
    for (unsigned cell = 0; cell < first_bytes<type>::num_cells; ++cell)
      table.cells[cell] =
          first_bytes<type>::byte_of_cell(table.begins, static_cast<type>(type{cell} << table.shift));
    const auto expect = [&](std::uint64_t row) {
      const auto after = std::upper_bound(begins.begin(), begins.end(), row);
      ASSERT_EQ(table.of(static_cast<type>(row)), after - begins.begin() - 1) << row;
    };
    for (const std::uint64_t begin : begins)
      for (const std::uint64_t row : {begin - 1, begin, begin + 1})
        if (row < rows) expect(row);
    for (int i = 0; i < 10'000; ++i) expect(random() % rows);
  };
  check(std::uint32_t{}, 0xffffffffU);
  check(std::uint32_t{}, 1000);
  check(std::uint64_t{}, (std::uint64_t{1} << 34) + 77);
}

} // namespace
} // namespace weft::test
