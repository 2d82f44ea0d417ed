// Opens FM-indexes from arbitrary bytes. The checksums of header and sections are corrected first, so that
// damage gets past them: an index that opens must then answer any question, or throw weft::error, without
// reading outside its bytes.
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <test/bwt/fm_sums.hpp>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/bwt/fm_index.hpp>

namespace {

void ask(const weft::fm_index& index) {
  std::string patterns;
  std::vector<std::uint64_t> offsets = {0};
  for (const char* pattern : {"", "A", "C", "AC", "TTAG", "GATTACA", "ACGTNACGTTAGGAT", "N", "acgt",
                              "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT"})
    offsets.push_back((patterns += pattern).size());
  for (std::uint64_t r = 0; r < index.num_records() && r < 100; ++r) {
    (void)index.name(r);
    if (index.length(r) > 1 << 16) continue; // a run of other letters may claim any length
    const std::string record = index.extract(r, 0, index.length(r));
    if (record.size() != index.length(r)) std::abort();
    offsets.push_back((patterns += record).size());
  }
  try {
    const std::vector<std::uint64_t> counts = index.count({patterns, offsets}, {.run = {.threads = 1}});
    const weft::fm_hits hits = index.locate({patterns, offsets}, {.run = {.threads = 1}});
    for (std::size_t p = 0; p < counts.size(); ++p)
      if (counts[p] != hits.totals[p] || hits.offsets[p + 1] - hits.offsets[p] != counts[p]) std::abort();
    for (const weft::fm_hit& hit : hits.hits)
      if (hit.record >= index.num_records()) std::abort();
    if (index.alphabet() != weft::fm_alphabet::dna) return;
    weft::sequences longer; // than the distance
    longer.add("ACGTNACGTTAGGAT");
    longer.add("GATTACAGATTACA");
    for (const weft::near_metric metric : {weft::near_metric::mismatches, weft::near_metric::errors})
      (void)index.locate_near(
          longer, {.metric = metric, .max_distance = 3, .both_strands = true, .run = {.threads = 1}});
  } catch (const weft::error&) {
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> words((size + 7) / 8); // the index must be aligned
  const std::span<char> bytes(reinterpret_cast<char*>(words.data()), size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  weft::test::put_sums_right(bytes);
  try {
    ask(weft::fm_index::from_bytes(bytes));
  } catch (const weft::error&) {
  }
  return 0;
}
