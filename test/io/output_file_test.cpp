#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>
#include <weft/base/error.hpp>
#include <weft/io/output_file.hpp>

namespace {

namespace fs = std::filesystem;

class output : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("weft_output_" + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }
  static std::string text(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path folder_;
};

TEST_F(output, appears_whole_on_commit) {
  weft::io::output_file file(path("x"));
  file.write("one ");
  file.write(std::string(1 << 20, 'y'));
  EXPECT_FALSE(fs::exists(path("x")));
  file.commit();
  EXPECT_EQ(text(path("x")), "one " + std::string(1 << 20, 'y'));
  EXPECT_EQ(files(), 1);
}

TEST_F(output, leaves_nothing_without_commit) {
  std::ofstream(path("x")) << "old";
  {
    weft::io::output_file file(path("x"));
    file.write("new");
    file.flush();
    EXPECT_EQ(files(), 2);
  }
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(text(path("x")), "old");
  weft::io::output_file file(path("x"));
  weft::io::remove_temporaries();
  EXPECT_EQ(files(), 1);
}

TEST_F(output, keeps_permissions_and_links) {
  std::ofstream(path("x")) << "old";
  fs::permissions(path("x"), fs::perms(0640));
  fs::create_symlink(path("x"), path("link"));
  weft::io::output_file file(path("link"));
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text(path("x")), "new");
  EXPECT_EQ(fs::status(path("x")).permissions(), fs::perms(0640));
}

TEST_F(output, devices_are_written_directly) {
  weft::io::output_file file("/dev/null");
  file.write("x");
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  weft::io::output_file full("/dev/full");
  full.write("x");
  EXPECT_THROW(full.commit(), weft::io_error);
}

TEST_F(output, bad_paths) {
  EXPECT_THROW(weft::io::output_file("/no/such/folder/x"), weft::io_error);
  EXPECT_THROW(weft::io::output_file(folder_.string()), weft::io_error);
}

} // namespace
