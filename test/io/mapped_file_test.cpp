// Tests files that are mapped into memory.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <weft/base/error.hpp>
#include <weft/io/mapped_file.hpp>

namespace weft::test {

namespace {

class mapped_file : public testing::Test {
protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string put(const std::string& name, const std::string& bytes) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string folder_ = (std::filesystem::temp_directory_path() / "weft_mapped_XXXXXX").string();
};

TEST_F(mapped_file, holds_the_bytes) {
  for (const std::size_t size : {1U, 4095U, 4096U, 4097U, 1'000'000U}) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 256);
    const io::mapped_file file = io::map_file(put("file", bytes));
    EXPECT_TRUE(std::string_view(file.bytes.data(), file.bytes.size()) == bytes) << size;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.bytes.data()) % 4096, 0U);
  }
}

TEST_F(mapped_file, of_no_bytes) { EXPECT_TRUE(io::map_file(put("empty", "")).bytes.empty()); }

TEST_F(mapped_file, outlives_the_file_name_and_other_copies) {
  const std::string path = put("file", "some bytes");
  io::mapped_file first = io::map_file(path);
  const io::mapped_file second = first;
  std::filesystem::remove(path);
  first = {};
  EXPECT_EQ(std::string(second.bytes.data(), second.bytes.size()), "some bytes");
}

TEST_F(mapped_file, refuses_what_cannot_be_mapped) {
  EXPECT_THROW((void)io::map_file(folder_ + "/missing"), io_error);
  EXPECT_THROW((void)io::map_file(folder_), io_error);
  EXPECT_THROW((void)io::map_file("/dev/null"), io_error);
}

} // namespace
TEST_F(mapped_file, addresses_know_their_file) {
  const std::string path = put("named", "bytes");
  const char* address = nullptr;
  {
    const io::mapped_file file = io::map_file(path);
    address = file.bytes.data();
    EXPECT_EQ(std::string(io::mapped_path(address + 4)), path);
    EXPECT_EQ(io::mapped_path(address + 5), nullptr);
  }
  EXPECT_EQ(io::mapped_path(address), nullptr);
}

} // namespace weft::test
