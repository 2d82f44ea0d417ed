// Helpers for tests of scan engines on a GPU: the occurrences that an engine finds in a text, and those of
// the CPU's shift-and, in the encoding of code_buffer.
#pragma once

#include "scan_cases.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <test/base/gpu_suite.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/cuda/gpu_searcher.hpp>
#include <weft/scan/cuda/text/resident_text.hpp>
#include <weft/scan/published/nfa_engines.hpp>

namespace weft_test {

using weft::scan_detail::edge;
using weft::scan_detail::gpu_searcher;
using weft::test::gpu_suite;

struct found_on_gpu {
  std::vector<std::uint64_t> found; // in the order in which they were found
  std::uint64_t count;              // larger than found.size() if the buffer was too small
};

inline found_on_gpu find_once(gpu_searcher& engine, const weft::sequences_view& sequences,
                              std::uint64_t begin, std::uint64_t end, std::uint64_t capacity) {
  const weft::gpu::stream work;
  const weft::scan_detail::uploaded_text text(sequences, work.get());
  const weft::gpu::device_buffer<std::uint64_t> found(capacity + 1, work.get());
  const weft::gpu::device_buffer<unsigned long long> count(1, work.get());
  const std::uint64_t untouched = 0xabababababababab;
  weft::gpu::copy(found.data() + capacity, &untouched, 1, work.get(), "prepare");
  weft::gpu::check(cudaMemsetAsync(count.data(), 0, count.bytes(), work.get()), "prepare");
  engine.find(text.text(), begin, end, {found.data(), capacity, count.data()}, work.get());
  unsigned long long counted = 0;
  std::uint64_t behind = 0;
  weft::gpu::copy(&counted, count.data(), 1, work.get(), "read the count");
  weft::gpu::copy(&behind, found.data() + capacity, 1, work.get(), "read behind the buffer");
  work.wait();
  EXPECT_EQ(behind, untouched) << "written behind the buffer";
  found_on_gpu result{std::vector<std::uint64_t>(std::min<std::uint64_t>(counted, capacity)), counted};
  weft::gpu::copy(result.found.data(), found.data(), result.found.size(), work.get(), "read what was found");
  work.wait();
  return result;
}

// Returns all occurrences that the engine finds, sorted and distinct.
inline std::vector<std::uint64_t> found_by(gpu_searcher& engine, const weft::sequences_view& sequences,
                                           std::uint64_t begin, std::uint64_t end) {
  found_on_gpu result = find_once(engine, sequences, begin, end, 1 << 20);
  if (result.count > result.found.size()) result = find_once(engine, sequences, begin, end, result.count);
  EXPECT_EQ(result.count, result.found.size()) << "the count differs from call to call";
  std::sort(result.found.begin(), result.found.end());
  result.found.erase(std::unique(result.found.begin(), result.found.end()), result.found.end());
  return result.found;
}

inline std::vector<std::uint64_t> expected_by_cpu(const weft::motif_set& motifs,
                                                  const weft::sequences_view& sequences, std::uint64_t begin,
                                                  std::uint64_t end, edge which) {
  std::vector<std::uint64_t> found;
  weft::scan_detail::shift_and(
      motifs.data(), sequences, begin, end, which, [&](const weft::scan_detail::occurrence_block& block) {
        for (std::uint64_t k = 0; k + 1 < block.offsets.size(); ++k)
          for (std::uint32_t i = block.offsets[k]; i < block.offsets[k + 1]; ++i)
            found.push_back(k << weft::scan_detail::position_bits | block.positions[i]);
      });
  std::sort(found.begin(), found.end());
  return found;
}

inline std::string difference(const weft::motif_set& motifs, const std::vector<std::uint64_t>& want,
                              const std::vector<std::uint64_t>& have) {
  return difference(want, have, [&](std::uint64_t found) {
    return pattern_of(motifs, found >> weft::scan_detail::position_bits) + "@" +
           std::to_string(found & ((std::uint64_t{1} << weft::scan_detail::position_bits) - 1));
  });
}

// Returns random motifs of which at most `frequent` match very often; otherwise the sorting on the host would
// take most of the time of a case.
inline weft::motif_set mostly_rare_motifs(std::mt19937_64& random, std::size_t count, std::size_t frequent,
                                          const weft::sequences_view& texts) {
  const weft::motif_set drawn = random_motifs(random, 4 * count);
  std::vector<std::size_t> found(drawn.motifs().size());
  for (const std::uint64_t each : expected_by_cpu(drawn, texts, 0, texts.data.size(), edge::ends))
    ++found[each >> weft::scan_detail::position_bits];
  std::vector<weft::motif> motifs;
  for (std::size_t k = 0; k < found.size() && motifs.size() < count; ++k) {
    if (found[k] > texts.data.size() / 64) {
      if (frequent == 0) continue;
      --frequent;
    }
    motifs.push_back(drawn.motifs()[k]);
  }
  return weft::motif_set(std::move(motifs));
}

// Patterns whose lengths are near the widths of words: 32, 64, 128, 256 and more positions.
inline const std::vector<std::string> long_patterns = {
    "A-x(60,70)-C",  "A-x(105)-C",    "A(64)",      "C-x(0,130)-D>",  "A-x(63)-C-x(64,66)-A",
    "D-x(127)-C",    "<x(100,200)-A", "A(29)-C",    "A(30)-C",        "A-x*-D-x*-C",
    "A(31)-C",       "A-x(29)",       "x(0,31)-C",  "A(62)-D",        "A(63)-D",
    "A(126)-C",      "A(127)-C",      "A(255)",     "A(254)-x(0,1)",  "A(0,40)-x(0,40)-C(0,40)",
    "A(256)-C",      "x(0,255)-D",    "<x(0,400)>", "A-x(300,310)-C", "C-x(1,40)-[AC](2,30)-D",
    "{D}(200)-[D>]", "D-x(0,700)-D",  "C*-D",       "<{C}*>",         "<A-x*-C>"};

} // namespace weft_test
