// Inputs of the cases whose instructions are counted, and options that run them on one thread of the CPU.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>
#include <weft/base/device.hpp>

namespace weft::test {

template <class Options> Options on_one_thread(Options options = {}) {
  if constexpr (requires { options.run; }) {
    options.run.device = {device_kind::cpu};
    options.run.threads = 1;
  } else {
    options.device = {device_kind::cpu};
    options.threads = 1;
  }
  return options;
}

template <class T> std::vector<T> numbers(std::size_t n) {
  std::mt19937_64 random(1);
  std::vector<T> made(n);
  for (T& number : made) number = static_cast<T>(random());
  return made;
}

inline std::string bases(std::size_t n, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::string made(n, 'A');
  for (char& base : made) base = "ACGT"[random() % 4];
  return made;
}

// Returns random words of a small vocabulary, separated by spaces; earlier words are more frequent.
inline std::string words(std::size_t n) {
  std::mt19937_64 random(2);
  std::vector<std::string> vocabulary(2000);
  for (std::string& word : vocabulary) {
    word.resize(2 + random() % 8);
    for (char& letter : word) letter = static_cast<char>('a' + random() % 26);
  }
  std::string text;
  while (text.size() < n) text += vocabulary[random() % (1 + random() % vocabulary.size())] + ' ';
  text.resize(n);
  return text;
}

// Returns the text with about one base in `every` replaced by a random one.
inline std::string changed(std::string text, std::uint64_t every) {
  std::mt19937_64 random(3);
  for (char& base : text)
    if (random() % every == 0) base = "ACGT"[random() % 4];
  return text;
}

// A temporary folder that the destructor removes.
class scratch_folder {
public:
  scratch_folder() {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~scratch_folder() { std::filesystem::remove_all(path_); }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_ = std::filesystem::temp_directory_path() / "weft-case-XXXXXX";
};

} // namespace weft::test
