// Texts that are divided into parts.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <test/reference/bwt_reference.hpp>
#include <vector>
#include <weft/bwt/bwt_batch.hpp>

namespace weft::test {

// Part p is text[offsets[p], offsets[p + 1]).
struct text_parts {
  std::string text;
  std::vector<std::uint64_t> offsets = {0};

  void add(std::string_view part) { offsets.push_back((text += part).size()); }
  [[nodiscard]] std::size_t parts() const { return offsets.size() - 1; }
  [[nodiscard]] std::string part(std::size_t p) const {
    return text.substr(offsets[p], offsets[p + 1] - offsets[p]);
  }
};

// Calls check for every way to cut the text into `parts` parts.
inline void for_all_parts(const std::string& text, int parts,
                          const std::function<void(const text_parts&)>& check) {
  const std::function<void(const text_parts&, int)> cut = [&](const text_parts& before, int more) {
    const std::size_t at = before.text.size();
    for (std::size_t size = more == 1 ? text.size() - at : 0; at + size <= text.size(); ++size) {
      text_parts next = before;
      next.add(std::string_view(text).substr(at, size));
      if (more == 1)
        check(next);
      else
        cut(next, more - 1);
    }
  };
  cut({}, parts);
}

// Returns random parts of up to `longest` letters, over small and large alphabets: empty parts, copies of
// other parts and of their middles, and runs of one letter.
inline text_parts random_parts(std::mt19937_64& random, std::size_t parts, std::size_t longest) {
  text_parts result;
  for (std::size_t p = 0; p < parts; ++p) {
    std::string part(random() % (longest + 1), 'A');
    const std::uint64_t kind = random() % 6;
    if (kind < 3)
      for (char& c : part) c = static_cast<char>(kind == 0 ? random() % 256 : 'A' + random() % (2 * kind));
    if (kind >= 4 && p > 0) part = result.part(random() % p);
    if (kind == 5 && !part.empty()) part = part.substr(random() % part.size());
    result.add(part);
  }
  return result;
}

// Returns the reference transforms of the parts, each transformed alone.
inline bwt_batch_text reference_batch(const text_parts& of, bwt_form form) {
  bwt_batch_text result{"", {}, form};
  for (std::size_t p = 0; p < of.parts(); ++p) {
    const bwt_text one = reference::bwt(of.part(p), form);
    result.bytes += one.bytes;
    result.primary_indexes.push_back(one.primary_index);
  }
  return result;
}

} // namespace weft::test
