// Tests temporary files of one and of several segments.
#include <gtest/gtest.h>
#include <string>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/io/temporary_file.hpp>

namespace weft::test {

namespace {

std::string text_of(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * i % 26);
  return text;
}

std::string bytes_of(const io::temporary_file& file, std::uint64_t begin, std::uint64_t end) {
  return io::read_all(*file.read_back(begin, end));
}

} // namespace

TEST(temporary_file, segments_are_one_file) {
  const std::string text = text_of(1000);
  for (const std::size_t segments : {1, 2, 3, 8})
    for (const std::uint64_t bytes : {1, 7, 125, 999, 1000, 2000}) {
      io::temporary_file file("", segments, bytes);
      for (std::size_t at = 0; at < text.size(); at += 77) file.write(std::string_view(text).substr(at, 77));
      ASSERT_EQ(file.size(), text.size());
      ASSERT_EQ(bytes_of(file, 0, text.size()), text);
      for (std::size_t begin = 0; begin < 600; begin += 111)
        ASSERT_EQ(bytes_of(file, begin, text.size() - begin / 2),
                  text.substr(begin, text.size() - begin / 2 - begin));
      for (std::uint64_t position = 0; position <= 1000; position += 50) {
        file.discard_before(position);
        ASSERT_EQ(bytes_of(file, position, text.size()), text.substr(position));
      }
    }
}

TEST(temporary_file, is_written_by_threads_at_positions) {
  const std::string text = text_of(1 << 18);
  for (const std::size_t segments : {1, 8}) {
    io::temporary_file file("", segments, text.size() / segments + 1);
    parallel_for(0, text.size(), 1000, 8, [&](std::uint64_t first, std::uint64_t last) {
      file.write_at(first, std::string_view(text).substr(first, last - first));
    });
    ASSERT_EQ(file.size(), text.size());
    ASSERT_EQ(bytes_of(file, 0, text.size()), text);
    const auto source = file.read_once();
    std::string read;
    char piece[777];
    while (const std::size_t bytes = source->read(piece)) read.append(piece, bytes);
    ASSERT_EQ(read, text);
  }
}

TEST(temporary_file, errors_name_the_folder) {
  try {
    io::temporary_file file("/nowhere", 4, 10);
    FAIL();
  } catch (const io_error& failure) {
    EXPECT_NE(std::string(failure.what()).find("/nowhere"), std::string::npos);
  }
}

} // namespace weft::test
