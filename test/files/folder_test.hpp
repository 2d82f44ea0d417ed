// A fixture for tests that read and write files.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace weft::test {

// A test with a folder of its own, which is removed when the test ends.
class folder_test : public testing::Test {
protected:
  folder_test() {
    std::string name = testing::TempDir() + "weft_files_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~folder_test() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  // Writes a file, and returns its path.
  [[nodiscard]] std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  // Returns the bytes of a file.
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

private:
  std::filesystem::path folder_;
};

} // namespace weft::test
