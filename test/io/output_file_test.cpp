#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <thread>
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

TEST_F(output, goes_where_a_link_leads) {
  fs::create_symlink("target", path("link"));
  weft::io::output_file file(path("link"));
  file.write("text");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text(path("target")), "text");
}

TEST_F(output, links_that_lead_nowhere_are_refused) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  fs::create_symlink("self", path("self"));
  for (const char* name : {"a", "b", "self"}) try {
      const weft::io::output_file file(path(name));
      ADD_FAILURE() << name;
    } catch (const weft::io_error& failure) {
      EXPECT_EQ(failure.what(), "cannot write '" + path(name) + "': Too many levels of symbolic links");
      EXPECT_EQ(failure.error_number(), ELOOP);
    }
  EXPECT_EQ(files(), 3);
  EXPECT_TRUE(fs::is_symlink(path("a")));
}

TEST_F(output, goes_where_many_links_lead) {
  std::string last = "target";
  for (int i = 0; i < 30; ++i) {
    const std::string next = std::to_string(i);
    fs::create_symlink(last, path(next.c_str()));
    last = next;
  }
  weft::io::output_file file(path(last.c_str()));
  file.write("text");
  file.commit();
  EXPECT_EQ(text(path("target")), "text");
  EXPECT_EQ(files(), 31);
}

void commit_together(weft::io::output_file& one, weft::io::output_file& two) {
  weft::io::output_file::commit_all(std::array{&one, &two});
}

TEST_F(output, many_appear_together_or_not_at_all) {
  {
    weft::io::output_file one(path("one")), two(path("two")), three(path("three"));
    fs::create_directory(path("three")); // a file cannot replace a folder
    EXPECT_THROW(weft::io::output_file::commit_all(std::array{&one, &two, &three}), weft::io_error);
    EXPECT_FALSE(fs::exists(path("one")) || fs::exists(path("two")));
  }
  fs::remove(path("three"));
  weft::io::output_file one(path("one")), two(path("two")), three(path("three"));
  two.write("2");
  three.write("3");
  weft::io::output_file::commit_all(std::array{&one, &two, &three});
  EXPECT_EQ(text(path("one")) + text(path("two")) + text(path("three")), "23");
  EXPECT_EQ(files(), 3);
}

// Two names can denote one file, for example on file systems that ignore case. weft detects this when the
// first output has appeared.
TEST_F(output, two_that_turn_out_to_be_one_file_do_not_appear) {
  fs::create_directory(path("a"));
  fs::create_directory(path("b"));
  {
    weft::io::output_file one(path("a/x")), two(path("b/x"));
    for (const auto& entry : fs::directory_iterator(path("b")))
      fs::rename(entry.path(), path("a") / entry.path().filename());
    fs::remove(path("b"));
    fs::create_symlink("a", path("b"));
    EXPECT_THROW(commit_together(one, two), weft::error);
  }
  EXPECT_TRUE(fs::is_empty(path("a")));
}

TEST_F(output, two_appear_together) {
  {
    weft::io::output_file one(path("one")), two(path("two"));
    one.write("1");
    two.write("2");
    commit_together(one, two);
    EXPECT_EQ(text(path("one")) + text(path("two")), "12");
  }
  fs::remove(path("one"));
  fs::remove(path("two"));
  {
    weft::io::output_file one(path("one")), two(path("two"));
    fs::create_directory(path("two")); // a file cannot replace a folder
    EXPECT_THROW(commit_together(one, two), weft::io_error);
  }
  EXPECT_EQ(files(), 1);
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  weft::io::output_file one(path("one")), two("/dev/full");
  two.write("2");
  EXPECT_THROW(commit_together(one, two), weft::io_error);
  EXPECT_FALSE(fs::exists(path("one")));
}

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

TEST_F(output, new_files_follow_the_umask_and_names_may_be_long) {
  const std::string name(255, 'n');
  const mode_t before = ::umask(027);
  weft::io::output_file file(path(name.c_str()));
  ::umask(before);
  file.write("x");
  file.commit();
  EXPECT_EQ(fs::status(path(name.c_str())).permissions(), fs::perms(0640));
  EXPECT_EQ(files(), 1);
}

TEST_F(output, named_descriptors_are_written_where_they_stand) {
  const int descriptor = ::open(path("x").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(descriptor, "one ", 4), 4);
  weft::io::output_file file("/dev/fd/" + std::to_string(descriptor));
  file.write("two");
  file.commit();
  ::close(descriptor);
  EXPECT_EQ(text(path("x")), "one two");
  EXPECT_EQ(files(), 1);
  EXPECT_THROW(weft::io::output_file("/dev/fd/9999"), weft::io_error);
}

TEST_F(output, a_pipe_without_reader_is_told_apart) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto handler = std::signal(SIGPIPE, SIG_IGN);
  weft::io::output_file file("/dev/fd/" + std::to_string(ends[1]));
  ::close(ends[0]);
  file.write("x");
  EXPECT_THROW(file.flush(), weft::io::broken_pipe);
  ::close(ends[1]);
  std::signal(SIGPIPE, handler);
}

TEST_F(output, a_pipe_that_does_not_block_gets_everything) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  ASSERT_EQ(::fcntl(ends[0], F_SETFL, 0), 0);
  const std::string sent(1 << 20, 'z');
  std::string received;
  std::thread reader([&] {
    char buffer[1000];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      received.append(buffer, static_cast<std::size_t>(got));
  });
  {
    weft::io::output_file file("/dev/fd/" + std::to_string(ends[1]));
    file.write(sent);
    file.commit();
  }
  ::close(ends[1]);
  reader.join();
  EXPECT_EQ(received, sent);
  ::close(ends[0]);
}

TEST_F(output, bad_paths) {
  EXPECT_THROW(weft::io::output_file("/no/such/folder/x"), weft::io_error);
  EXPECT_THROW(weft::io::output_file(folder_.string()), weft::io_error);
}

} // namespace
