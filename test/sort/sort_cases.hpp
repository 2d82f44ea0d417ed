// Inputs that are difficult for sorts.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace weft::test {

// Returns distributions: a name, and n items as 64-bit numbers.
inline std::vector<std::pair<std::string, std::vector<std::uint64_t>>> distributions(std::uint64_t n) {
  std::mt19937_64 random(n);
  std::exponential_distribution<double> exponential(1e-3);
  std::normal_distribution<double> normal(1 << 30, 1 << 26);
  const std::vector<std::pair<std::string, std::function<std::uint64_t(std::uint64_t)>>> makers = {
      {"uniform", [&](std::uint64_t) { return random(); }},
      {"normal", [&](std::uint64_t) { return static_cast<std::uint64_t>(normal(random)); }},
      {"exponential", [&](std::uint64_t) { return static_cast<std::uint64_t>(exponential(random)); }},
      {"zipf", [&](std::uint64_t) { return 1'000'000 / (random() % 1'000'000 + 1); }},
      {"sorted", [&](std::uint64_t i) { return i * 3; }},
      {"reversed", [&](std::uint64_t i) { return (n - i) * 3; }},
      {"few distinct", [&](std::uint64_t) { return random() % 16; }},
      {"all equal", [&](std::uint64_t) { return std::uint64_t{7}; }},
      {"one smaller at the end", [&](std::uint64_t i) { return i + 1 == n ? std::uint64_t{0} : i + 1; }},
      {"organ pipe", [&](std::uint64_t i) { return i < n / 2 ? i : n - i; }},
      {"saw", [&](std::uint64_t i) { return i % 17; }},
      {"low entropy", [&](std::uint64_t) { return random() & random() & random() & random(); }},
      {"high bits", [&](std::uint64_t) { return random() << 48; }},
  };
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> result;
  for (const auto& [name, make] : makers) {
    std::vector<std::uint64_t> items(n);
    for (std::uint64_t i = 0; i < n; ++i) items[i] = make(i);
    result.emplace_back(name, std::move(items));
  }
  return result;
}

// Returns sizes around every threshold: of vectors, of insertion sort, and of the use of threads.
inline std::vector<std::uint64_t> sizes() {
  return {0,  1,  2,   3,   7,   8,   15,  16,   17,   31,    32,    33,    63,     64,
          65, 95, 127, 128, 129, 255, 257, 1000, 4095, 16385, 32769, 65537, 131073, 300'000};
}

} // namespace weft::test
