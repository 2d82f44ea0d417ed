// Searches patterns with differences, and compares the hits with the plain definitions. The input begins with
// four bytes of options. Lines follow: the records, an empty line, and the patterns. Bytes that are no
// letters stand for letters.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <test/bwt/near_cases.hpp>
#include <test/reference/near_reference.hpp>
#include <vector>
#include <weft/bwt/cpu/near_search.hpp>
#include <weft/bwt/fm_index.hpp>

namespace {

using std::string;
using weft::near_hits;
using weft::near_options;

constexpr std::size_t max_record_letters = 600, max_pattern_letters = 70, max_patterns = 6;

void check(bool is_right) {
  if (!is_right) std::abort();
}

char letter_of(std::uint8_t byte) {
  const bool is_letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
  return is_letter ? static_cast<char>(byte) : "ACGTN"[byte % 5];
}

struct search_input {
  near_options options;
  std::vector<string> records, patterns;
  bool contexts = false; // whether the index has contexts
};

search_input parse(const std::uint8_t* bytes, std::size_t size) {
  search_input input;
  near_options& options = input.options;
  options.metric = (bytes[0] & 1) != 0 ? weft::near_metric::errors : weft::near_metric::mismatches;
  options.both_strands = (bytes[0] & 2) != 0;
  options.iupac = (bytes[0] & 4) != 0;
  options.all_ends = (bytes[0] & 8) != 0;
  options.best = (bytes[0] & 16) != 0;
  input.contexts = (bytes[0] & 32) != 0;
  options.max_distance = bytes[1] % (weft::max_near_distance + 1);
  options.exact_prefix = bytes[2] % 16 < 8 ? 0 : bytes[2] % 8;
  options.exact_suffix = bytes[2] / 16 < 8 ? 0 : bytes[2] / 16 % 8;
  if (bytes[3] < 128) options.max_hits = bytes[3] % 16;
  options.run.threads = 1;
  bool in_patterns = false;
  string line;
  for (std::size_t i = 4; i <= size; ++i) {
    if (i < size && bytes[i] != '\n') {
      line += letter_of(bytes[i]);
      continue;
    }
    if (!in_patterns && line.empty())
      in_patterns = true;
    else
      (in_patterns ? input.patterns : input.records).push_back(line);
    line.clear();
  }
  const std::size_t shortest =
      std::max({std::size_t{options.max_distance} + 1, options.exact_prefix, options.exact_suffix});
  std::erase_if(input.patterns, [&](const string& pattern) {
    return pattern.size() < shortest || pattern.size() > max_pattern_letters;
  });
  if (input.patterns.size() > max_patterns) input.patterns.resize(max_patterns);
  return input;
}

// Checks the hits of one pattern.
void check_pattern(const search_input& input, std::size_t p, const near_hits& found) {
  const near_options& options = input.options;
  const string& pattern = input.patterns[p];
  auto hits = options.metric == weft::near_metric::errors
                  ? weft::test::plain_error_hits(input.records, pattern, options)
                  : weft::test::plain_near_hits(input.records, pattern, options);
  for (unsigned d = 0; d <= options.max_distance; ++d)
    check(found.totals[p * (options.max_distance + 1) + d] == weft::test::num_with_distance(hits, d));
  hits = weft::test::plain_listed_hits(std::move(hits), options);
  check(found.offsets[p + 1] - found.offsets[p] == hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const std::uint64_t h = found.offsets[p] + i;
    check(hits[i] == weft::test::plain_near_hit(found.record[h], found.begin[h], found.reverse[h],
                                                found.end[h], found.distance[h]));
    const string letters =
        input.records[found.record[h]].substr(found.begin[h], found.end[h] - found.begin[h]);
    check(!weft::near_cigar(pattern, letters, found.distance[h], options, found.reverse[h] != 0).empty());
  }
}

void check_hits(const search_input& input, const near_hits& found) {
  check(found.offsets.size() == input.patterns.size() + 1);
  for (std::size_t p = 0; p < input.patterns.size(); ++p) check_pattern(input, p, found);
}

// Searches strands by windows, and completes their hits. Returns the strands that are left.
std::vector<weft::bwt_detail::near_strand>
search_by_windows_alone(const weft::fm_index::view& view,
                        const std::vector<weft::bwt_detail::near_strand>& strands,
                        const near_options& options, weft::bwt_detail::near_costs& costs,
                        weft::bwt_detail::near_collector& collector) {
  std::vector<weft::bwt_detail::near_strand> found;
  std::vector<weft::bwt_detail::near_strand> left =
      weft::bwt_detail::search_by_windows(view, strands, options, costs, collector, found);
  weft::bwt_detail::search_other_letters(view, found, options, collector);
  return left;
}

// Checks the methods that the public function would choose for larger texts: seeds, windows or trees where
// they are possible, and a scan for the other strands.
void check_methods(const search_input& input, const weft::fm_index& index,
                   const weft::sequences_view& patterns) {
  namespace detail = weft::bwt_detail;
  const auto& view = static_cast<const weft::fm_index::view&>(index.parts());
  const detail::near_patterns coded(patterns, 0, patterns.count(), input.options);
  const std::vector<detail::near_strand> possible =
      weft::test::possible_strands(coded, input.options.max_distance);
  enum class method { scan, trees, windows, seeds };
  for (const method first : {method::scan, method::trees, method::windows, method::seeds}) {
    detail::near_costs costs(view, input.options, std::uint64_t{1} << 40); // of a text of so many letters
    detail::near_collector collector(patterns.count(), input.options);
    std::vector<detail::near_strand> left = possible;
    if (first == method::seeds)
      left = detail::search_by_seeds(view, possible, input.options, costs, collector);
    else if (first == method::windows)
      left = search_by_windows_alone(view, possible, input.options, costs, collector);
    else if (first == method::trees && input.options.metric == weft::near_metric::mismatches)
      left = detail::search_by_trees(view, possible, input.options, costs, collector);
    detail::search_by_scan(view, left, input.options, collector);
    check_hits(input, collector.finish());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 4) return 0;
  const search_input input = parse(bytes, size);
  std::size_t letters = 0;
  for (const string& record : input.records) letters += record.size() + 1;
  if (letters > max_record_letters || input.patterns.empty()) return 0;
  weft::sequences records, patterns;
  for (const string& record : input.records) records.add(record);
  for (const string& pattern : input.patterns) patterns.add(pattern);
  const weft::fm_index index =
      weft::fm_index::build(records, {.contexts = input.contexts, .run = {.threads = 1}});
  check_hits(input, index.locate_near(patterns, input.options));
  check_methods(input, index, patterns);
  return 0;
}
