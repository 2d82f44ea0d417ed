// The cases of `weft-bench bwt` that build an FM-index or find matches with one, and what these share with
// the other cases that search one.
#pragma once

#include <bench/bench.hpp>
#include <cstdint>
#include <string_view>
#include <vector>
#include <weft/bwt/fm_index.hpp>

namespace weft::bench {

// A text that is indexed.
struct text_definition {
  const char* name; // name of a text of text_maker
  const char* size_name;
  std::uint64_t size;
};

// The suffix array of a text has 32-bit entries, and is a yardstick up to this size.
constexpr std::uint64_t max_size_of_suffix_array = 250'000'000;

constexpr device_choice on_cpu = {device_kind::cpu, 0};

// Returns the alphabet of the text of this name.
[[nodiscard]] fm_alphabet alphabet_of(std::string_view text_name);

// Returns the suffix array of a text, sorted by libdivsufsort.
[[nodiscard]] std::vector<std::uint32_t> divsufsort_array(std::string_view text);

// Return the cases that build an index, and those that find maximal matches.
[[nodiscard]] std::vector<bench_case> index_build_cases(const limits& asked);
[[nodiscard]] std::vector<bench_case> match_cases(const limits& asked);

} // namespace weft::bench
