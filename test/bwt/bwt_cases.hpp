// Texts that are difficult for suffix sorting.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/run.hpp>

namespace weft::test {

// Returns the index of the CUDA device that ran the call, or -1 for the CPU.
inline int gpu_of(const run_info& info) { return info.on_gpu() ? info.device.index : -1; }

// Calls check(text) for every text of up to `longest` letters from an alphabet of `sigma` letters.
inline void for_all_texts(int sigma, int longest, const std::function<void(const std::string&)>& check) {
  for (int n = 0; n <= longest; ++n) {
    std::string text(static_cast<std::size_t>(n), 'a');
    for (;;) {
      check(text);
      std::size_t i = 0;
      while (i < text.size() && text[i] == static_cast<char>('a' + sigma - 1)) text[i++] = 'a';
      if (i == text.size()) break;
      ++text[i];
    }
  }
}

inline std::vector<std::pair<std::string, std::string>> texts(std::size_t n) {
  std::mt19937_64 random(n);
  const auto random_text = [&](std::size_t size, const std::string& letters) {
    std::string text(size, ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    return text;
  };
  const auto repeated = [&](const std::string& unit) {
    std::string text;
    while (text.size() < n) text += unit;
    return text.substr(0, n);
  };
  std::string all(256, ' '), fibonacci = "a", before = "b", de_bruijn, mutated;
  for (std::size_t i = 0; i < 256; ++i) all[i] = static_cast<char>(i);
  while (fibonacci.size() < n) before = std::exchange(fibonacci, fibonacci + before);
  // Builds a text in which no word of log2 n letters occurs twice: the next letter is 'b' unless the word
  // that it would end has occurred before.
  std::size_t words = 1;
  while (words < n) words *= 2;
  std::vector<bool> seen(words);
  for (std::size_t word = 0; de_bruijn.size() < n;) {
    const std::size_t one = (word * 2 + 1) % words;
    word = seen[one] ? word * 2 % words : one;
    seen[word] = true;
    de_bruijn += word % 2 == 1 ? 'b' : 'a';
  }
  const std::string unit = random_text(n / 10 + 1, "ACGT");
  while (mutated.size() < n) mutated += unit;
  mutated.resize(n);
  for (char& c : mutated)
    if (random() % 1000 == 0) c = 'A';
  return {{"bytes", random_text(n, all)},
          {"DNA", random_text(n, "ACGT")},
          {"two letters", random_text(n, std::string("\0\xff", 2))},
          {"all equal", std::string(n, '\xff')},
          {"zeros", std::string(n, '\0')},
          {"period 2", repeated("ab")},
          {"period 7", repeated("abcabcb")},
          {"power", repeated(random_text(n / 4 + 1, "ab"))},
          {"Fibonacci", fibonacci.substr(0, n)},
          {"de Bruijn", de_bruijn},
          {"rising",
           [&] {
             std::string text(n, ' ');
             for (std::size_t i = 0; i < n; ++i) text[i] = static_cast<char>(i * 255 / (n + 1));
             return text;
           }()},
          {"one different at the end", std::string(n > 0 ? n - 1 : 0, 'a') + (n > 0 ? "b" : "")},
          {"copies with changes", mutated}};
}

} // namespace weft::test
