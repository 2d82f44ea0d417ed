// Makes batches of concatenated patterns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

struct pattern_list {
  std::string text;
  std::vector<std::uint64_t> offsets{0};
  void add(std::string_view pattern) { offsets.push_back((text += pattern).size()); }
  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
};

// Returns `count` substrings of the text, each of `shortest` to `longest` letters; one in four has one letter
// replaced.
inline pattern_list sampled_patterns(std::mt19937_64& random, const std::string& text, std::size_t count,
                                     std::size_t shortest, std::size_t longest, std::string_view letters) {
  pattern_list patterns;
  while (patterns.count() < count) {
    const std::size_t size = shortest + random() % (longest - shortest + 1);
    std::string piece = text.substr(random() % (text.size() - size), size);
    if (random() % 4 == 0) piece[random() % size] = letters[random() % letters.size()];
    patterns.add(piece);
  }
  return patterns;
}

} // namespace weft::test
