// The instruction cases of suffix sorting, transforms and the index. Each returns whether the answer is
// right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/collection_bwt.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "inputs.hpp"

namespace weft::test {

inline bool transforms(const std::string& text, weft::bwt_form form) {
  const auto options = on_one_thread<weft::bwt_options>();
  const weft::bwt_text transformed = weft::bwt(text, form, options);
  return weft::inverse_bwt(transformed, options) == text;
}

// Returns the text `times` times, each copy with about one base in `every` replaced by another one.
inline std::string changed_copies(const std::string& text, std::size_t times, std::uint64_t every) {
  std::string made;
  for (std::size_t k = 0; k < times; ++k) made += text;
  return changed(std::move(made), every);
}

// Returns whether the suffix array of a text is in order, by comparing some of its neighbours.
inline bool is_in_order(const std::string& text, const std::vector<std::uint32_t>& sa) {
  for (std::size_t i = 1; i < sa.size(); i += 97)
    if (std::string_view(text).substr(sa[i - 1]) >= std::string_view(text).substr(sa[i])) return false;
  return sa.size() == text.size();
}

inline bool sorts_suffixes(const std::string& text) {
  return is_in_order(text, weft::suffix_array(text, on_one_thread<weft::bwt_options>()));
}

inline bool sorts_suffixes_of_symbols(const std::string& text) {
  std::vector<std::uint32_t> symbols;
  for (const unsigned char c : text) symbols.push_back(c * 1000U);
  const std::span<const std::uint32_t> view(symbols);
  return is_in_order(text, weft::suffix_array(view, on_one_thread<weft::bwt_options>()));
}

inline bool transforms_by_ranges(const std::string& text) {
  auto options = on_one_thread<weft::bwt_options>();
  options.run.memory = 4 * text.size(); // too little for a suffix array
  return weft::inverse_bwt(weft::bwt(text, weft::bwt_form::sentinel, options),
                           on_one_thread<weft::bwt_options>()) == text;
}

inline bool transforms_reads() {
  const std::string genome = bases(1 << 14);
  std::string reads;
  std::vector<std::uint64_t> offsets = {0};
  for (std::size_t k = 0; k < 2000; ++k) {
    reads.append(genome, k * 7919 % (genome.size() - 100), 100);
    offsets.push_back(reads.size());
  }
  const auto options = on_one_thread<weft::bwt_options>();
  const weft::collection_bwt_text made = weft::collection_bwt({reads, offsets}, options);
  return weft::inverse_collection_bwt(made, options).view().data == reads;
}

inline bool makes_lcp_arrays() {
  const std::string text = words(1 << 18);
  const auto both = weft::suffix_and_lcp_array(text, on_one_thread<weft::bwt_options>());
  for (std::size_t i = 1; i < text.size(); i += 97) {
    const std::string_view before = std::string_view(text).substr(both.sa[i - 1]),
                           after = std::string_view(text).substr(both.sa[i]);
    const std::uint32_t same = both.lcp[i];
    if (before.substr(0, same) != after.substr(0, same) || before.substr(same, 1) >= after.substr(same, 1))
      return false;
  }
  return true;
}

inline bool finds_patterns() {
  const std::string text = bases(1 << 18);
  const std::vector<std::uint64_t> records = {0, text.size()};
  const std::vector<std::string> names = {"one"};
  weft::fm_build_options build;
  build.run = on_one_thread<weft::run_options>();
  const weft::fm_index index = weft::fm_index::build({text, records, names}, build);
  std::string patterns;
  std::vector<std::uint64_t> offsets = {0};
  for (std::size_t at = 0; at + 40 < text.size(); at += 61) {
    patterns.append(text, at, 40);
    offsets.push_back(patterns.size());
  }
  const auto options = on_one_thread<weft::fm_search_options>();
  const weft::fm_hits hits = index.locate({patterns, offsets}, options);
  if (index.count({patterns, offsets}, options) != hits.totals || hits.hits.size() + 1 < offsets.size())
    return false;
  for (std::size_t p = 0; p + 1 < offsets.size(); ++p) {
    const auto first = hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p]),
               last = hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p + 1]);
    if (!std::any_of(first, last, [&](const weft::fm_hit& hit) { return hit.begin == p * 61; })) return false;
  }
  return true;
}

} // namespace weft::test
