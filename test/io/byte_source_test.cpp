#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <random>
#include <string>
#include <weft/base/error.hpp>
#include <weft/io/byte_source.hpp>
#include <zlib.h>
#include <zstd.h>

namespace {

using weft::io::compression;

std::string compress(compression kind, const std::string& text) {
  std::string out(text.size() + text.size() / 50 + 4096, '\0');
  if (kind == compression::gzip) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
  } else if (kind == compression::bzip2) {
    unsigned size = static_cast<unsigned>(out.size());
    EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                                       static_cast<unsigned>(text.size()), 1, 0, 0),
              BZ_OK);
    out.resize(size);
  } else if (kind == compression::zstd) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
    ZSTD_freeCCtx(context);
  } else if (kind == compression::xz) {
    std::size_t size = 0;
    EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                                      reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                      reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
              LZMA_OK);
    out.resize(size);
  } else {
    return text;
  }
  return out;
}

std::string random_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>(random() % (seed % 2 == 0 ? 256 : 4));
  return text;
}

std::string decoded(const std::string& data, std::size_t step = 1 << 16) {
  const auto source = weft::io::memory_bytes(data, "memory");
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
}

} // namespace
