#include <weft/io/decoder.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace weft::io {

namespace {

using progress = decoder::progress;

constexpr std::size_t max_step = std::size_t{1} << 30; // the libraries count in 32 bits

// Passes both spans, at most max_step bytes of each, to zlib or bzlib as pointers and counters.
template <class Stream, class Byte>
void set_buffers(Stream& stream, std::span<const char> in, std::span<char> out) {
  stream.next_in = reinterpret_cast<Byte*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<unsigned>(std::min(in.size(), max_step));
  stream.next_out = reinterpret_cast<Byte*>(out.data());
  stream.avail_out = static_cast<unsigned>(std::min(out.size(), max_step));
}
// Returns how many bytes of the spans the library has consumed and produced since offer().
template <class Stream>
progress progress_of(const Stream& stream, std::span<const char> in, std::span<char> out) {
  return {std::min(in.size(), max_step) - stream.avail_in, std::min(out.size(), max_step) - stream.avail_out};
}

class gzip_codec {
public:
  static constexpr const char* name = "gzip";
  static constexpr std::size_t padding = 1; // tapes are padded with zeros, and gzip(1) accepts them
  static constexpr bool member_after_padding = false;
  explicit gzip_codec(std::uint64_t /*memory*/) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_codec() { inflateEnd(&stream_); }
  gzip_codec(const gzip_codec&) = delete;
  gzip_codec& operator=(const gzip_codec&) = delete;
  void start() { inflateReset(&stream_); }
  bool step(progress& done, std::span<const char> in, std::span<char> out) {
    set_buffers<z_stream, Bytef>(stream_, in, out);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    done = progress_of(stream_, in, out);
    if (status == Z_STREAM_END) return true;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_NEED_DICT) throw decode_failure("it needs a preset dictionary, which is not supported");
    if (status != Z_OK && status != Z_BUF_ERROR) throw decode_failure(stream_.msg ? stream_.msg : "invalid");
    return false;
  }

private:
  z_stream stream_{};
};

class bzip2_codec {
public:
  static constexpr const char* name = "bzip2";
  static constexpr std::size_t padding = 0;
  static constexpr bool member_after_padding = false;
  explicit bzip2_codec(std::uint64_t /*memory*/) {}
  ~bzip2_codec() { stop(); }
  bzip2_codec(const bzip2_codec&) = delete;
  bzip2_codec& operator=(const bzip2_codec&) = delete;
  void start() {
    stop();
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    open_ = true;
  }
  bool step(progress& done, std::span<const char> in, std::span<char> out) {
    set_buffers<bz_stream, char>(stream_, in, out);
    const int status = BZ2_bzDecompress(&stream_);
    done = progress_of(stream_, in, out);
    if (status == BZ_STREAM_END) return true;
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status == BZ_DATA_ERROR_MAGIC) throw decode_failure("a bzip2 header is missing");
    if (status != BZ_OK) throw decode_failure("the checksum or the structure is wrong");
    return false;
  }

private:
  void stop() noexcept {
    if (open_) BZ2_bzDecompressEnd(&stream_);
    open_ = false;
  }
  bz_stream stream_{};
  bool open_ = false;
};

class zstd_codec {
public:
  static constexpr const char* name = "zstd";
  static constexpr std::size_t padding = 0;
  static constexpr bool member_after_padding = false;
  explicit zstd_codec(std::uint64_t memory) : stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
    const int window_log = std::bit_width(memory) - 1; // the largest power of two that `memory` holds
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, std::clamp(window_log, 10, 30));
  }
  void start() {
    ZSTD_DCtx_reset(stream_.get(), ZSTD_reset_session_only);
    header_.clear();
  }
  bool step(progress& done, std::span<const char> in, std::span<char> out) {
    if (header_.size() < longest_header)
      header_.append(in.data(), std::min(in.size(), longest_header - header_.size()));
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_.get(), &output, &input);
    done = {input.pos, output.pos};
    if (ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge)
      throw decode_memory_failure(window_size());
    if (ZSTD_isError(status)) throw decode_failure(ZSTD_getErrorName(status));
    return status == 0;
  }

private:
  struct free_stream {
    void operator()(ZSTD_DStream* stream) const noexcept { ZSTD_freeDStream(stream); }
  };
  // Returns the window size that the frame header asks for (RFC 8878, 3.1.1.1): from its window descriptor
  // or, if the frame has a single segment, from the size of its content.
  [[nodiscard]] std::uint64_t window_size() const {
    const auto byte = [&](std::size_t i) {
      return i < header_.size() ? static_cast<std::uint64_t>(static_cast<unsigned char>(header_[i])) : 0;
    };
    const std::uint64_t descriptor = byte(4);
    if ((descriptor & 0x20) == 0) {
      const std::uint64_t base = std::uint64_t{1} << (10 + (byte(5) >> 3));
      return base + base / 8 * (byte(5) & 7);
    }
    constexpr std::array<std::size_t, 4> dictionary_bytes = {0, 1, 2, 4}, content_bytes = {1, 2, 4, 8};
    const std::size_t first = 5 + dictionary_bytes[descriptor & 3];
    std::uint64_t size = 0;
    for (std::size_t i = content_bytes[descriptor >> 6]; i-- > 0;) size = size << 8 | byte(first + i);
    return size;
  }

  static constexpr std::size_t longest_header = 18;
  std::unique_ptr<ZSTD_DStream, free_stream> stream_;
  std::string header_; // the first bytes of the frame
};

class xz_codec {
public:
  static constexpr const char* name = "xz";
  static constexpr std::size_t padding = 4; // the format's "stream padding" comes in multiples of four bytes
  static constexpr bool member_after_padding = true;
  explicit xz_codec(std::uint64_t memory) : memory_(memory) {}
  ~xz_codec() { lzma_end(&stream_); }
  xz_codec(const xz_codec&) = delete;
  xz_codec& operator=(const xz_codec&) = delete;
  void start() {
    if (lzma_stream_decoder(&stream_, memory_, 0) != LZMA_OK) throw std::bad_alloc();
  }
  bool step(progress& done, std::span<const char> in, std::span<char> out) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = lzma_code(&stream_, LZMA_RUN);
    done = {in.size() - stream_.avail_in, out.size() - stream_.avail_out};
    switch (status) {
    case LZMA_STREAM_END:
      return true;
    case LZMA_OK:
    case LZMA_BUF_ERROR:
      return false;
    case LZMA_MEM_ERROR:
      throw std::bad_alloc();
    case LZMA_MEMLIMIT_ERROR:
      throw decode_memory_failure(lzma_memusage(&stream_));
    case LZMA_FORMAT_ERROR:
      throw decode_failure("an xz header is missing");
    case LZMA_OPTIONS_ERROR:
      throw decode_failure("it uses a filter that is not supported");
    default:
      throw decode_failure("the checksum or the structure is wrong");
    }
  }

private:
  std::uint64_t memory_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

} // namespace

std::unique_ptr<decoder> make_decoder(compression kind, std::uint64_t memory) {
  switch (kind) {
  case compression::none:
    return nullptr;
  case compression::gzip:
    return std::make_unique<member_decoder<gzip_codec>>(memory);
  case compression::bzip2:
    return std::make_unique<member_decoder<bzip2_codec>>(memory);
  case compression::zstd:
    return std::make_unique<member_decoder<zstd_codec>>(memory);
  case compression::xz:
    return std::make_unique<member_decoder<xz_codec>>(memory);
  }
  return nullptr;
}

} // namespace weft::io
