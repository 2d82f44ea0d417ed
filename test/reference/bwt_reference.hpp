// Computes Burrows-Wheeler transforms and suffix arrays directly from their definitions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/collection_bwt.hpp>

namespace weft::reference {

// char_traits compares bytes as unsigned
inline bool bytes_less(std::string_view a, std::string_view b) { return a < b; }

inline std::vector<std::uint32_t> suffix_array(std::string_view text) {
  std::vector<std::uint32_t> sa(text.size());
  std::iota(sa.begin(), sa.end(), 0U);
  std::sort(sa.begin(), sa.end(), [&](auto a, auto b) { return bytes_less(text.substr(a), text.substr(b)); });
  return sa;
}

inline bwt_text bwt(const std::string& text, bwt_form form) {
  if (text.empty()) return {"", 0, form};
  std::vector<std::uint32_t> rows(text.size());
  std::iota(rows.begin(), rows.end(), 0U);
  const std::string twice = text + text;
  const auto row = [&](std::uint32_t i) {
    return form == bwt_form::sentinel ? std::string_view(text).substr(i)
                                      : std::string_view(twice).substr(i, text.size());
  };
  std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return bytes_less(row(a), row(b)); });
  bwt_text result{"", 0, form};
  if (form == bwt_form::sentinel) result.bytes += text.back(); // the row of the end mark
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    if (rows[r] != 0 || form == bwt_form::rotation)
      result.bytes += text[(rows[r] + text.size() - 1) % text.size()];
    if (rows[r] == 0) result.primary_index = r + (form == bwt_form::sentinel ? 1 : 0);
  }
  return result;
}

// Returns the suffix array of records with sentinels: the sentinel of record r is the symbol r, and bytes are
// larger than all sentinels.
inline std::vector<std::uint32_t> collection_suffix_array(std::string_view text,
                                                          const std::vector<std::uint64_t>& offsets) {
  std::vector<std::pair<std::vector<std::uint64_t>, std::uint32_t>> suffixes;
  for (std::uint64_t r = 0; r + 1 < offsets.size(); ++r)
    for (std::uint64_t i = offsets[r]; i < offsets[r + 1]; ++i) {
      std::vector<std::uint64_t> symbols;
      for (std::uint64_t j = i; j < offsets[r + 1]; ++j)
        symbols.push_back(offsets.size() + static_cast<unsigned char>(text[j]));
      symbols.push_back(r);
      suffixes.emplace_back(std::move(symbols), static_cast<std::uint32_t>(i));
    }
  std::sort(suffixes.begin(), suffixes.end());
  std::vector<std::uint32_t> sa;
  for (const auto& suffix : suffixes) sa.push_back(suffix.second);
  return sa;
}

// Returns the transform of a collection. Its rows are the suffixes of each record with its sentinel, the
// empty suffix included, with the byte before each (-1: none).
inline collection_bwt_text collection_bwt(const std::vector<std::string>& records) {
  struct row {
    std::vector<std::uint64_t> symbols;
    std::uint64_t record;
    int before;
  };
  std::vector<row> rows;
  for (std::uint64_t r = 0; r < records.size(); ++r)
    for (std::uint64_t i = 0; i <= records[r].size(); ++i) {
      row next{{}, r, i == 0 ? -1 : static_cast<unsigned char>(records[r][i - 1])};
      for (std::uint64_t j = i; j < records[r].size(); ++j)
        next.symbols.push_back(records.size() + static_cast<unsigned char>(records[r][j]));
      next.symbols.push_back(r);
      rows.push_back(std::move(next));
    }
  std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) { return a.symbols < b.symbols; });
  collection_bwt_text result{"", std::vector<std::uint64_t>(records.size())};
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    if (rows[i].before < 0)
      result.starts[rows[i].record] = i;
    else
      result.bytes += static_cast<char>(rows[i].before);
  }
  return result;
}

} // namespace weft::reference
