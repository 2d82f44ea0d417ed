// Random records, patterns and options for tests that compare two searches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>
#include <weft/files/find/pattern_search.hpp>

namespace weft::test {

constexpr std::uint64_t search_memory = std::uint64_t{1} << 27;

inline std::string random_text(std::size_t size, const std::string& letters, std::mt19937_64& random) {
  std::string text(size, ' ');
  std::generate(text.begin(), text.end(), [&] { return letters[random() % letters.size()]; });
  return text;
}

// Returns the letters of records: random ones, parts of one text, records that are the same, repeats of short
// words, records with other letters, and proteins.
inline std::vector<std::string> random_records(std::size_t count, unsigned kind, std::mt19937_64& random) {
  const std::string common = random_text(200, "ACGT", random);
  std::vector<std::string> records;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = random() % 100;
    switch (kind % 6) {
    case 0:
      records.push_back(random_text(i == 1 ? 1500 : size, "ACGT", random));
      break;
    case 1:
      records.push_back(common.substr(random() % 100, size));
      break;
    case 2:
      records.push_back(common.substr(random() % 2 * 60, 60));
      break;
    case 3: {
      const std::string word = std::vector<std::string>{"A", "AC", "ACGT", ""}[random() % 4];
      records.emplace_back();
      for (std::size_t k = 0; k < size / 8; ++k) records.back() += word;
      break;
    }
    case 4:
      records.push_back(random_text(size, "ACGTacgtNRU", random));
      break;
    default:
      records.push_back(random_text(size, "ACDEFGHIKLMNPQRSTVWY", random));
    }
  }
  return records;
}

inline std::string as_file(const std::vector<std::string>& records, bool fastq) {
  std::string result;
  for (std::size_t i = 0; i < records.size(); ++i) {
    result += (fastq ? "@r" : ">r") + std::to_string(i) + " of a test\n" + records[i] + "\n";
    if (fastq) result += "+\n" + std::string(records[i].size(), 'I') + "\n";
  }
  return result;
}

// Returns a list of patterns of few and of many letters, most of which occur in the records.
inline std::string random_patterns(std::size_t count, const std::vector<std::string>& records,
                                   std::mt19937_64& random) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& record = records.empty() ? list : records[random() % records.size()];
    std::string pattern = i % 10 == 7 || record.empty()
                              ? random_text(1 + random() % 6, "ACGT", random)
                              : record.substr(random() % record.size(), 1 + random() % (i % 3 == 0 ? 3 : 25));
    if (i % 40 == 13) pattern += "NA";
    list += pattern + "\n";
  }
  return list;
}

// Returns searches with every format and flag.
inline std::vector<files::find_options> searches_of_dna() {
  std::vector<files::find_options> cases;
  const auto add = [&](const auto& change) {
    cases.emplace_back();
    cases.back().memory = search_memory;
    cases.back().search.run.threads = cases.size() % 3 == 0 ? 2 : 1;
    change(cases.back());
  };
  for (const files::hit_format format :
       {files::hit_format::tsv, files::hit_format::bed, files::hit_format::sam, files::hit_format::paf,
        files::hit_format::gff3, files::hit_format::jsonl})
    for (const bool circular : {false, true})
      for (const int near : {0, 1, 2})
        add([&](files::find_options& options) {
          options.format = format;
          options.circular = circular;
          options.both_strands = near == 2 || circular;
          if (near > 0)
            options.near = near_options{.metric = near == 2 ? near_metric::errors : near_metric::mismatches,
                                        .max_distance = near == 2 ? 1U : 0U};
        });
  add([](files::find_options& options) { options.count = true; });
  add([](files::find_options& options) {
    options.count = options.circular = options.both_strands = true;
    options.near = near_options{.max_distance = 0};
    options.format = files::hit_format::jsonl;
  });
  for (const std::uint64_t max_hits : {1, 2, 7, 40, 0}) {
    add([&](files::find_options& options) { options.search.max_hits = max_hits; });
    add([&](files::find_options& options) {
      options.search.max_hits = max_hits;
      options.circular = options.both_strands = true;
      options.format = files::hit_format::sam;
    });
    add([&](files::find_options& options) {
      options.search.max_hits = max_hits;
      options.near = near_options{.metric = near_metric::errors, .best = max_hits == 7};
      options.circular = max_hits == 2;
      options.memory = std::uint64_t{1} << 21;
    });
  }
  return cases;
}

} // namespace weft::test
