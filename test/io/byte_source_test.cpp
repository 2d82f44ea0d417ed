#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/io/compress.hpp>
#include <weft/base/error.hpp>
#include <weft/io/byte_source.hpp>

namespace {

using weft::io::compression;
using weft::io::test::compress;

std::string random_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>(random() % (seed % 2 == 0 ? 256 : 4));
  return text;
}

std::string decoded(const std::string& data, std::size_t step = 1 << 16, std::size_t input_step = 0) {
  const auto source = weft::io::memory_bytes(data, "memory", input_step);
  std::string all, buffer(step, '\0');
  while (const std::size_t got = source->read({buffer.data(), buffer.size()})) all.append(buffer, 0, got);
  return all;
}

class compressed : public testing::TestWithParam<compression> {};
INSTANTIATE_TEST_SUITE_P(formats, compressed,
                         testing::Values(compression::none, compression::gzip, compression::bzip2,
                                         compression::zstd, compression::xz));

TEST_P(compressed, gives_the_bytes_back) {
  for (const std::size_t size : {0U, 1U, 2U, 5U, 6U, 100U, 70'000U, 1'000'000U})
    for (std::uint64_t seed : {1, 2}) {
      const std::string text = random_bytes(size, seed), data = compress(GetParam(), text);
      for (const std::size_t step : {1U << 20, 999U}) ASSERT_EQ(decoded(data, step), text) << size;
      if (size <= 100) {
        ASSERT_EQ(decoded(data, 1), text);
      }
      EXPECT_EQ(weft::io::memory_bytes(data, "m")->kind(), GetParam());
    }
}

TEST_P(compressed, any_steps_of_input_and_output) {
  const std::string one = random_bytes(700, 1), two = random_bytes(30, 2);
  const std::string data = compress(GetParam(), one) + compress(GetParam(), "") + compress(GetParam(), two);
  for (std::size_t out = 1; out <= 740; out = out < 40 ? out + 1 : out + 7)
    for (const std::size_t in : {0U, 1U, 2U, 3U, 64U}) ASSERT_EQ(decoded(data, out, in), one + two) << out;
}

TEST_P(compressed, members_follow_each_other) {
  const std::string one = random_bytes(3000, 1), two = random_bytes(50, 2);
  EXPECT_EQ(decoded(compress(GetParam(), one) + compress(GetParam(), two) + compress(GetParam(), "")),
            one + two);
}

TEST_P(compressed, truncation_and_garbage_are_errors) {
  if (GetParam() == compression::none) GTEST_SKIP() << "plain bytes have no structure to damage";
  const std::string data = compress(GetParam(), random_bytes(500, 1));
  for (std::size_t size = 6; size < data.size(); ++size)
    ASSERT_THROW((void)decoded(data.substr(0, size)), weft::parse_error) << size;
  EXPECT_THROW((void)decoded(data + "garbage behind it"), weft::parse_error);
  EXPECT_THROW((void)decoded(data + data.substr(0, data.size() - 1)), weft::parse_error);
}

TEST_P(compressed, damage_is_an_error_or_harmless) {
  const std::string text = random_bytes(500, 1), data = compress(GetParam(), text);
  if (GetParam() == compression::none) GTEST_SKIP() << "plain bytes have no structure to damage";
  int found = 0;
  for (std::size_t at = 6; at < data.size(); ++at) {
    std::string damaged = data;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    try {
      ASSERT_EQ(decoded(damaged), text) << at; // a field that carries no data, such as gzip's time
    } catch (const weft::parse_error&) {
      ++found;
    }
  }
  EXPECT_GT(found, static_cast<int>(data.size() / 2));
}

TEST(byte_source, gzip_may_be_padded_with_zeros) {
  const std::string data = compress(compression::gzip, "text");
  EXPECT_EQ(decoded(data + std::string(1000, '\0')), "text");
  EXPECT_THROW((void)decoded(data + std::string(10, '\0') + "x"), weft::parse_error);
}

std::string failure(const std::string& data) {
  try {
    return "read: " + decoded(data);
  } catch (const weft::parse_error& error) {
    return error.what();
  }
}

TEST(byte_source, xz_may_be_padded_in_fours) {
  const std::string data = compress(compression::xz, "text");
  EXPECT_EQ(decoded(data + std::string(8, '\0')), "text");
  EXPECT_EQ(decoded(data + std::string(4, '\0') + data, 1 << 16, 1), "texttext");
  for (const std::size_t size : {1U, 2U, 3U, 5U}) {
    const std::string padded = data + std::string(size, '\0');
    EXPECT_EQ(failure(padded), "memory: damaged xz data: the size of the zero padding is not a multiple "
                               "of 4 bytes");
    EXPECT_EQ(failure(padded + data), "memory: damaged xz data: the size of the zero padding is not a "
                                      "multiple of 4 bytes");
  }
}

TEST(byte_source, zstd_skippable_frames) {
  const std::string skippable("\x5f\x2a\x4d\x18\x03\0\0\0abc", 11),
      data = compress(compression::zstd, "text");
  EXPECT_EQ(decoded(skippable + data), "text");
  EXPECT_EQ(decoded(data + skippable + data + skippable), "texttext");
  EXPECT_EQ(decoded(skippable), "");
}

TEST(byte_source, faults_name_the_file_and_what_is_wrong) {
  const std::string gzip = compress(compression::gzip, "text"), bzip2 = compress(compression::bzip2, "text");
  EXPECT_EQ(failure(gzip.substr(0, gzip.size() - 1)), "memory: truncated gzip data");
  EXPECT_EQ(failure("\x1f\x8b"), "memory: truncated gzip data");
  EXPECT_EQ(failure(gzip + "xyz"), "memory: damaged gzip data: incorrect header check (in member 2)");
  EXPECT_EQ(failure(gzip + std::string(1, '\0') + gzip),
            "memory: damaged gzip data: there is extra data after the zero padding");
  EXPECT_EQ(failure(bzip2 + "xyz!"), "memory: damaged bzip2 data: a bzip2 header is missing (in member 2)");
  EXPECT_EQ(failure("BZh9"), "memory: truncated bzip2 data");
}

TEST(byte_source, short_plain_files_that_look_like_the_start_of_a_format) {
  for (const std::string& text :
       {std::string("B"), std::string("BZ"), std::string("BZh"), std::string("\x1f"),
        std::string("\xfd"
                    "7zX")})
    EXPECT_EQ(decoded(text), text);
}

TEST(byte_source, missing_files_and_directories) {
  EXPECT_THROW((void)weft::io::open_bytes("/no/such/file"), weft::io_error);
  EXPECT_THROW((void)weft::io::open_bytes("/"), weft::io_error);
}

TEST(byte_source, read_all_keeps_its_limit) {
  const std::string text(5000, 'x'), data = compress(compression::gzip, text);
  EXPECT_EQ(weft::io::read_all(*weft::io::memory_bytes(data, "m")), text);
  EXPECT_EQ(weft::io::read_all(*weft::io::memory_bytes(data, "m"), 5000), text);
  EXPECT_THROW((void)weft::io::read_all(*weft::io::memory_bytes(data, "m"), 4999), weft::memory_error);
  for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 65'537U, 200'000U}) {
    const std::string plain(size, 'x');
    EXPECT_EQ(weft::io::read_all(*weft::io::memory_bytes(plain, "m")), plain);
    EXPECT_EQ(weft::io::read_all(*weft::io::memory_bytes(plain, "m", 7), ~std::uint64_t{0}), plain);
    EXPECT_EQ(weft::io::read_all(*weft::io::memory_bytes(plain, "m"), size + 1), plain);
  }
}

// Returns a zstd frame with a window of 2^window_log bytes that holds `text`, as `zstd --long` writes it.
std::string zstd_frame(unsigned window_log, const std::string& text) {
  std::string data("\x28\xb5\x2f\xfd\0", 5);
  data += static_cast<char>((window_log - 10) << 3);
  const std::size_t header = text.size() << 3 | 1; // one raw block, which is the last
  for (int i = 0; i < 3; ++i) data += static_cast<char>(header >> (8 * i) & 255);
  return data + text;
}

// Compresses a text with preset 9 of xz, whose dictionary has 64 MiB.
std::string large_xz(const std::string& text) {
  std::string out(4096, '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(9, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

// Returns the decompressed bytes, or the message of the error if the task has too little memory.
std::string decoded_within(const std::string& data, std::uint64_t memory) {
  try {
    return weft::io::read_all(*weft::io::memory_bytes(data, "memory", 0, memory));
  } catch (const weft::memory_error& error) {
    return error.what();
  }
}

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

TEST(byte_source, decompression_takes_a_quarter_of_the_memory_at_most) {
  // the window of any usual level is always allowed
  EXPECT_EQ(decoded_within(zstd_frame(23, "text"), 1), "text");
  EXPECT_EQ(decoded_within(compress(compression::xz, "text"), 1), "text");
  EXPECT_EQ(decoded_within(zstd_frame(26, "text"), 64 * mebibyte),
            "memory: decompressing this zstd data needs 64 MiB of memory; the memory limit of 64 MiB "
            "allows 16 MiB for it; a limit of 256 MiB is enough");
  EXPECT_EQ(decoded_within(zstd_frame(26, "text"), 256 * mebibyte), "text");
  EXPECT_EQ(decoded_within(zstd_frame(26, "text"), 256 * mebibyte - 1).substr(0, 6), "memory");
  EXPECT_EQ(decoded_within(large_xz("text"), 64 * mebibyte),
            "memory: decompressing this xz data needs 65 MiB of memory; the memory limit of 64 MiB allows 16 "
            "MiB for it; a limit of 260 MiB is enough");
  EXPECT_EQ(decoded_within(large_xz("text"), 261 * mebibyte), "text");
  EXPECT_EQ(decoded_within(zstd_frame(27, "text"), 0), "text");
  EXPECT_EQ(decoded_within(zstd_frame(28, "text"), 0),
            "memory: decompressing this zstd data needs 256 MiB of memory; weft allows at most 128 MiB");
  // The header of a frame of 2^64 - 1 bytes in one segment, which no power of two can hold.
  EXPECT_EQ(decoded_within("\x28\xb5\x2f\xfd\xe0" + std::string(8, '\xff') + "text", 0).substr(0, 6),
            "memory");
  // Frame headers state the window as eighths of a power of two, or give the size of the content.
  EXPECT_NE(
      decoded_within(std::string("\x28\xb5\x2f\xfd\0\x75", 6) + "x", 64 * mebibyte).find("needs 32 MiB"),
      std::string::npos);
  EXPECT_NE(decoded_within(std::string("\x28\xb5\x2f\xfd\xa0\0\0\0\x02", 9) + "x", 64 * mebibyte)
                .find("needs 32 MiB"),
            std::string::npos);
}

TEST(byte_source, what_is_left_beside_a_decoder) {
  EXPECT_EQ(weft::io::memory_beside_decoder(compression::xz, 0), 0U);
  EXPECT_EQ(weft::io::memory_beside_decoder(compression::xz, 1), 1U);
  EXPECT_EQ(weft::io::memory_beside_decoder(compression::xz, 48 * mebibyte), 48 * mebibyte);
  EXPECT_EQ(weft::io::memory_beside_decoder(compression::xz, 64 * mebibyte), 48 * mebibyte);
  EXPECT_EQ(weft::io::memory_beside_decoder(compression::zstd, 4096 * mebibyte), (4096 - 128) * mebibyte);
  for (const compression kind : {compression::none, compression::gzip, compression::bzip2})
    EXPECT_EQ(weft::io::memory_beside_decoder(kind, 4096 * mebibyte), 4096 * mebibyte);
}

TEST(byte_source, read_all_says_at_once_what_a_plain_file_needs) {
  try {
    (void)weft::io::read_all(*weft::io::memory_bytes(std::string(3 << 20, 'x'), "m"), mebibyte);
    FAIL() << "no error";
  } catch (const weft::memory_error& error) {
    EXPECT_STREQ(error.what(), "'m' needs 3.0 MiB of memory, but only 1.0 MiB is allowed");
  }
}

TEST(byte_source, append_bytes_takes_what_is_there_of_a_claim) {
  const std::string text = random_bytes(3'000'000, 1), data = compress(compression::gzip, text);
  for (const std::uint64_t claim :
       {std::uint64_t{1} << 62, std::uint64_t{1} << 40, std::uint64_t{3'000'001}}) {
    std::string all = "before ";
    EXPECT_EQ(weft::io::append_bytes(*weft::io::memory_bytes(data, "m"), all, claim), text.size());
    EXPECT_EQ(all, "before " + text);
  }
  const auto source = weft::io::memory_bytes(data, "m");
  std::string some;
  EXPECT_EQ(weft::io::append_bytes(*source, some, 2'000'000), 2'000'000U);
  EXPECT_EQ(weft::io::append_bytes(*source, some, 0), 0U);
  EXPECT_EQ(weft::io::append_bytes(*source, some, 1'000'000), 1'000'000U);
  EXPECT_EQ(some, text);
}

} // namespace
