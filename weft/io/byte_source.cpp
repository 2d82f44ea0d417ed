#include <weft/io/byte_source.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/decoder.hpp>

namespace weft::io {

namespace {

constexpr std::size_t input_buffer_size = std::size_t{1} << 18;

// The source of the raw (compressed or plain) bytes: a file descriptor or a buffer.
class raw_input {
public:
  virtual ~raw_input() = default;
  virtual std::size_t read(char* out, std::size_t size) = 0; // returns 0 only at the end
  virtual std::uint64_t size() const noexcept = 0;
};

class file_input final : public raw_input {
public:
  file_input(const std::string& path, std::string name) : name_(std::move(name)) {
    descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw io_error("open", path, errno);
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) {
      const int saved_errno = errno;
      close();
      throw io_error("read", name_, saved_errno);
    }
    if (S_ISDIR(status.st_mode)) {
      close();
      throw io_error("read", name_, EISDIR);
    }
    if (S_ISREG(status.st_mode)) {
      const off_t at = ::lseek(descriptor_, 0, SEEK_CUR);
      size_ = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - std::max<off_t>(0, at)));
      (void)::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
  }
  ~file_input() override { close(); }
  file_input(const file_input&) = delete;
  file_input& operator=(const file_input&) = delete;

  std::size_t read(char* out, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, out, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw io_error("read", name_, errno);
    }
  }
  std::uint64_t size() const noexcept override { return size_; }

private:
  void close() noexcept {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
    descriptor_ = -1;
  }
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

class memory_input final : public raw_input {
public:
  memory_input(std::span<const char> data, std::size_t step)
      : data_(data), size_(data.size()), step_(step == 0 ? data.size() : step) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min({size, data_.size(), step_});
    if (count > 0) std::memcpy(out, data_.data(), count);
    data_ = data_.subspan(count);
    return count;
  }
  std::uint64_t size() const noexcept override { return size_; }

private:
  std::span<const char> data_;
  std::uint64_t size_;
  std::size_t step_;
};

compression detect(std::string_view start) {
  using namespace std::string_view_literals;
  if (start.starts_with("\x1f\x8b"sv)) return compression::gzip;
  if (start.size() >= 4 && start.starts_with("BZh"sv) && start[3] >= '1' && start[3] <= '9')
    return compression::bzip2;
  if (start.starts_with("\x28\xb5\x2f\xfd"sv)) return compression::zstd;
  if (start.size() >= 4 && (start[0] & 0xf0) == 0x50 && start.substr(1, 3) == "\x2a\x4d\x18"sv)
    return compression::zstd; // a skippable frame, which pzstd writes first
  if (start.starts_with("\xfd\x37zXZ\0"sv)) return compression::xz;
  return compression::none;
}

// Reads raw bytes and passes them through the decoder for the format that their first bytes show.
class stream final : public byte_source {
public:
  stream(std::unique_ptr<raw_input> input, std::string name, bool decompress, std::uint64_t memory)
      : input_(std::move(input)), name_(std::move(name)), memory_(memory), buffer_(input_buffer_size, '\0') {
    while (decompress && available_ < 6 && refill()) {
    }
    if (decompress) kind_ = detect({buffer_.data(), available_});
    decoder_ = make_decoder(kind_, decoder_memory(kind_, memory_));
  }

  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size() && !finished_)
      done += decoder_ ? decode(out.subspan(done)) : copy(out.subspan(done));
    return done;
  }
  const std::string& name() const noexcept override { return name_; }
  compression kind() const noexcept override { return kind_; }
  std::uint64_t position() const noexcept override { return raw_position_; }
  std::uint64_t size() const noexcept override { return input_->size(); }

private:
  // Moves the buffered raw bytes to the front of the buffer and appends more. Returns false at the end of the
  // input.
  bool refill() {
    if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, available_);
    begin_ = 0;
    const std::size_t got = input_->read(buffer_.data() + available_, buffer_.size() - available_);
    available_ += got;
    raw_position_ += got;
    return got > 0;
  }

  std::size_t copy(std::span<char> out) {
    if (available_ > 0) {
      const std::size_t count = std::min(out.size(), available_);
      std::memcpy(out.data(), buffer_.data() + begin_, count);
      begin_ += count;
      available_ -= count;
      return count;
    }
    const std::size_t got = input_->read(out.data(), out.size());
    raw_position_ += got;
    finished_ = got == 0;
    return got;
  }

  std::size_t decode(std::span<char> out) {
    if (available_ == 0 && !at_end_) at_end_ = !refill();
    decoder::progress step;
    try {
      step = decoder_->decode({buffer_.data() + begin_, available_}, out, at_end_);
    } catch (const decode_failure& failure) {
      throw parse_error(name_, 0, 0, fmt::format("damaged {} data: {}", decoder_->format(), failure.what()));
    } catch (const decode_memory_failure& failure) {
      throw_memory_error(failure.needed());
    }
    begin_ += step.consumed;
    available_ -= step.consumed;
    if (step.finished) {
      finished_ = true;
    } else if (step.consumed == 0 && step.produced == 0 && !step.member_ended) {
      // The decoder needs more bytes than the buffer holds.
      if (at_end_) throw parse_error(name_, 0, 0, fmt::format("truncated {} data", decoder_->format()));
      at_end_ = !refill();
    }
    return step.produced;
  }

  // Throws memory_error for a decoder that needs `needed` bytes, more than it may take. zstd compares the
  // logarithms of window sizes, so the message rounds up to the next power of two for zstd.
  [[noreturn]] void throw_memory_error(std::uint64_t needed) const {
    constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
    const std::uint64_t largest = decoder_memory(kind_, 0);
    // A damaged header may ask for nearly 2^64 bytes, which cannot be rounded up.
    const std::uint64_t asked = std::min(needed, std::uint64_t{1} << 62);
    const std::uint64_t enough = kind_ == compression::zstd ? std::bit_ceil(asked) : asked;
    const std::uint64_t rounded = (enough + mebibyte - 1) / mebibyte * mebibyte;
    const std::string remedy =
        needed > largest ? fmt::format("weft allows at most {}", format_size(largest))
                         : fmt::format("the memory limit of {} allows {} for it; a limit of {} is enough",
                                       format_size(memory_), format_size(decoder_memory(kind_, memory_)),
                                       format_size(4 * rounded));
    throw memory_error(fmt::format("{}: decompressing this {} data needs {} of memory; {}", name_,
                                   decoder_->format(), format_size(rounded), remedy));
  }

  std::unique_ptr<raw_input> input_;
  std::string name_;
  std::uint64_t memory_;
  std::string buffer_;
  std::size_t begin_ = 0, available_ = 0;
  std::uint64_t raw_position_ = 0;
  compression kind_ = compression::none;
  std::unique_ptr<decoder> decoder_;
  bool at_end_ = false, finished_ = false;
};

} // namespace

namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
// Bytes that a decompressor may take however small the limit is: the usual levels of zstd and xz need 8 and 9
// MiB.
constexpr std::uint64_t min_decoder_memory = 12 * mebibyte;

} // namespace

std::uint64_t decoder_memory(compression kind, std::uint64_t memory) noexcept {
  // zstd itself allows windows of up to 128 MiB by default; xz -9 needs 65 MiB.
  const std::uint64_t largest = kind == compression::zstd ? 128 * mebibyte : 256 * mebibyte;
  switch (kind) {
  case compression::none:
    return 0;
  case compression::gzip:
    return mebibyte / 16;
  case compression::bzip2:
    return 4 * mebibyte;
  case compression::zstd:
  case compression::xz:
    return memory == 0 ? largest : std::clamp(memory / 4, min_decoder_memory, largest);
  }
  return 0;
}

std::uint64_t memory_beside_decoder(compression kind, std::uint64_t memory) noexcept {
  const std::uint64_t taken = decoder_memory(kind, memory);
  return memory == 0 || taken <= min_decoder_memory ? memory : memory - taken;
}

std::unique_ptr<byte_source> open_bytes(const std::string& path, bool decompress, std::uint64_t memory) {
  std::string name = path == "-" ? "<stdin>" : path;
  return std::make_unique<stream>(std::make_unique<file_input>(path, name), name, decompress, memory);
}

std::unique_ptr<byte_source> memory_bytes(std::span<const char> data, std::string name, std::size_t step,
                                          std::uint64_t memory) {
  return std::make_unique<stream>(std::make_unique<memory_input>(data, step), std::move(name), true, memory);
}

namespace {

// A source that returns some bytes and then those of another source.
class resumed_source final : public byte_source {
public:
  resumed_source(std::string start, std::unique_ptr<byte_source> rest)
      : start_(std::move(start)), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t first = std::min(out.size(), start_.size() - given_);
    std::copy_n(start_.data() + given_, first, out.data());
    given_ += first;
    return first < out.size() ? first + rest_->read(out.subspan(first)) : first;
  }
  const std::string& name() const noexcept override { return rest_->name(); }
  compression kind() const noexcept override { return rest_->kind(); }
  std::uint64_t position() const noexcept override { return rest_->position(); }
  std::uint64_t size() const noexcept override { return rest_->size(); }

private:
  std::string start_;
  std::size_t given_ = 0;
  std::unique_ptr<byte_source> rest_;
};

} // namespace

peeked_bytes peek(std::unique_ptr<byte_source> source, std::size_t count) {
  std::string start(count, '\0');
  start.resize(source->read(start));
  return {start, std::make_unique<resumed_source>(start, std::move(source))};
}

peeked_bytes peek_text(std::unique_ptr<byte_source> source, std::size_t count) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  std::string start(count + byte_order_mark.size(), '\0');
  start.resize(source->read(start));
  if (start.starts_with(byte_order_mark)) start.erase(0, byte_order_mark.size());
  return {start, std::make_unique<resumed_source>(start, std::move(source))};
}

namespace {

// Appends at most `count` bytes to `text`, without exceeding its capacity. Returns false if the source ended.
bool fill_capacity(byte_source& source, std::string& text, std::uint64_t count) {
  // Steps are small because resize() clears the memory that is read into, which should then still be in the
  // cache.
  constexpr std::uint64_t step = std::uint64_t{1} << 20;
  while (count > 0 && text.size() < text.capacity()) {
    const std::size_t old_size = text.size();
    const std::size_t read_size = std::min({step, count, std::uint64_t{text.capacity() - old_size}});
    text.resize(old_size + read_size);
    const std::size_t got = source.read({text.data() + old_size, read_size});
    text.resize(old_size + got);
    if (got < read_size) return false; // read() returns fewer bytes than asked for only at the end
    count -= got;
  }
  return true;
}

} // namespace

std::uint64_t append_bytes(byte_source& source, std::string& text, std::uint64_t count) {
  // A larger claim has to be confirmed by the bytes that come.
  constexpr std::uint64_t large = std::uint64_t{1} << 30;
  const std::uint64_t before = text.size();
  const std::uint64_t claimed = before + std::min(count, ~std::uint64_t{0} - before);
  text.reserve(before + std::min(count, large));
  while (text.size() < claimed) {
    reserve_within(text, text.size() + 1, claimed);
    if (!fill_capacity(source, text, claimed - text.size())) break;
  }
  return text.size() - before;
}

std::string read_all(byte_source& source, std::uint64_t limit) {
  const std::uint64_t known = source.kind() == compression::none ? source.size() : 0;
  const std::uint64_t longest = std::string().max_size() - 1;
  const std::uint64_t allowed = limit == 0 ? longest : std::min(limit, longest);
  if (known > allowed)
    throw memory_error(fmt::format("'{}' needs {} of memory, but only {} is allowed", source.name(),
                                   format_size(known), format_size(allowed)));
  std::string all;
  all.reserve(known + 1); // one byte more, so that the end is seen without growing
  while (fill_capacity(source, all, allowed + 1 - all.size())) {
    if (all.size() > allowed)
      throw memory_error(fmt::format("'{}' needs more than the {} of memory that is allowed", source.name(),
                                     format_size(allowed)));
    reserve_within(all, all.size() + 1, limit == 0 ? 0 : allowed + 1);
  }
  return all;
}

} // namespace weft::io
