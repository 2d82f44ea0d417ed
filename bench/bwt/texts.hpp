// Makes texts of any size for the benchmarks of transforms. The texts are seeded: the same name and size
// always give the same text.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weft::bench {

// A text_maker generates one text of a given size.
class text_maker {
public:
  explicit text_maker(std::uint64_t size) : size_(size) { text_.reserve(size + 1'000'000); }

  // Returns a text of this name: random-dna, random-protein, random-bytes, genome-like, word-text,
  // repetitive, periodic, fibonacci, equal (all symbols are the same), or one-b (as equal, but the first
  // symbol differs).
  std::string make(const std::string& name) {
    if (name == "random-dna")
      bases(size_);
    else if (name == "random-protein")
      residues();
    else if (name == "random-bytes")
      bytes();
    else if (name == "genome-like")
      genome();
    else if (name == "word-text")
      words();
    else if (name == "repetitive")
      copies();
    else if (name == "periodic")
      periods();
    else if (name == "fibonacci")
      fibonacci();
    else if (name == "equal" || name == "one-b")
      text_.assign(size_, 'a');
    else
      throw std::invalid_argument("no text " + name);
    if (name == "one-b") text_[0] = 'b';
    text_.resize(size_);
    return std::move(text_);
  }

private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  char base() {
    if (left_ == 0) {
      bits_ = random_();
      left_ = 32;
    }
    const char c = "ACGT"[bits_ & 3];
    bits_ >>= 2;
    --left_;
    return c;
  }
  void bases(std::uint64_t count) {
    while (count-- > 0) text_ += base();
  }
  void residues() {
    while (text_.size() < size_) text_ += "ACDEFGHIKLMNPQRSTVWY"[below(20)];
  }
  void bytes() {
    while (text_.size() < size_) text_ += static_cast<char>(random_() >> 56);
  }
  // Appends a copy of `count` earlier symbols. Each symbol is replaced by a random base with probability
  // `changed`.
  void copy(std::uint64_t count, double changed) {
    const std::uint64_t from = below(text_.size() - std::min<std::uint64_t>(count, text_.size() - 1));
    const auto limit = static_cast<std::uint64_t>(changed * 0x1p32);
    for (std::uint64_t i = 0; i < count; ++i)
      text_ += below(0x100000000ULL) < limit ? base() : text_[from + i];
  }

  // Makes a text of new bases and mutated copies of earlier ones in equal shares, with some tandem repeats
  // and rare runs of N.
  void genome() {
    bases(10'000);
    while (text_.size() < size_) {
      const std::uint64_t length = 300 + below(6001);
      if (below(2) == 0)
        bases(length);
      else
        copy(length, 0.01 + 0.19 * static_cast<double>(below(1000)) / 1000);
      if (below(100) < 3) {
        const std::uint64_t period = 1 + below(60), times = 5 + below(61), begin = text_.size();
        bases(period);
        for (std::uint64_t i = 0; i < period * (times - 1); ++i) text_ += text_[begin + i % period];
      }
      if (below(2000) == 0) text_.append(1000 + below(199'001), 'N');
    }
  }

  // Draws words of a vocabulary of 60,000, the k-th one with a probability proportional to 1 / k. 15 % of the
  // pieces are copies of earlier text.
  void words() {
    std::vector<std::string> vocabulary(60'000);
    std::vector<double> sums;
    for (std::size_t k = 0; k < vocabulary.size(); ++k) {
      for (std::uint64_t letters = 2 + below(9); letters > 0; --letters)
        vocabulary[k] += static_cast<char>('a' + std::min(below(26), below(26)));
      sums.push_back((sums.empty() ? 0 : sums.back()) + 1 / static_cast<double>(k + 1));
    }
    while (text_.size() < size_) {
      if (text_.size() > 10'000 && below(100) < 15) {
        copy(20 + below(180), 0);
        continue;
      }
      const double at = static_cast<double>(random_() >> 11) * 0x1p-53 * sums.back();
      text_ +=
          vocabulary[static_cast<std::size_t>(std::lower_bound(sums.begin(), sums.end(), at) - sums.begin())];
      text_ += ' ';
    }
  }

  // Repeats a text of 1 MB and changes one symbol in a thousand.
  void copies() {
    bases(1'000'000);
    for (std::uint64_t i = 0; text_.size() < size_; ++i)
      text_ += below(1000) == 0 ? base() : text_[i % 1'000'000];
  }

  // Repeats a text of 12,345 bases.
  void periods() {
    bases(12'345);
    while (text_.size() < size_) text_ += text_[text_.size() - 12'345];
  }

  void fibonacci() {
    std::string before = "b";
    text_ = "a";
    while (text_.size() < size_) {
      std::string next = text_ + before;
      before = std::move(text_);
      text_ = std::move(next);
    }
  }

  std::uint64_t size_;
  std::mt19937_64 random_{1};
  std::uint64_t bits_ = 0;
  int left_ = 0;
  std::string text_;
};

// Returns whether ternary-quicksort is not measured with a text: its time grows with the square of the
// lengths of repeats.
inline bool repeats_itself(std::string_view name) {
  return name == "fibonacci" || name == "repetitive" || name == "periodic" || name == "equal";
}

// Return estimates of the seconds that making a text of this size takes, and sorting its suffixes on the CPU
// or, if `on_gpu`, on a GPU.
constexpr double seconds_to_make(std::uint64_t size) { return 25e-9 * static_cast<double>(size); }
constexpr double seconds_to_sort(std::uint64_t size, bool on_gpu) {
  return (on_gpu ? 5e-9 : 125e-9) * static_cast<double>(size);
}

} // namespace weft::bench
