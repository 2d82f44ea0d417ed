// The files of weft lcs --by line and --by word: their bytes, the lines or words in them, and a number for
// each, equal for equal tokens.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/mapped_file.hpp>

namespace weft::cli {

enum class token_kind { line, word };

// Which tokens are equal.
struct token_rules {
  token_kind kind = token_kind::line;
  bool ignore_space = false;   // white space in a line counts for nothing, as in diff -w
  bool ignore_case = false;    // ASCII letters are equal in both cases, as in diff -i
  bool newline_counts = false; // a last line without a newline equals no line that has one (diff without -w)
};

// The bytes of a file: mapped if it is a regular file that is not compressed, else read into memory.
class token_file {
public:
  // "-" is standard input. Throws io_error, parse_error if compressed data is damaged, and memory_error if
  // the bytes must be held and `memory` (0: no limit) does not suffice.
  token_file(const std::string& path, std::uint64_t memory);
  token_file(const token_file&) = delete; // bytes() may lie in held_
  token_file& operator=(const token_file&) = delete;

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  // Bytes of private memory.
  [[nodiscard]] std::uint64_t held() const { return held_.capacity(); }

private:
  io::mapped_file mapped_;
  std::string held_;
  std::string_view bytes_;
};

// Walks over the tokens of a text from the first to the last. A line ends before its newline, and a last line
// may have none; words are separated by white space (space, \t, \n, \v, \f, \r).
class token_cursor {
public:
  token_cursor(std::string_view bytes, token_kind kind) : rest_(bytes), kind_(kind) {}
  // Sets `token` to the next one. Returns false if there is none.
  [[nodiscard]] bool next(std::string_view& token);

private:
  std::string_view rest_;
  token_kind kind_;
};

// The number of tokens. O(bytes).
[[nodiscard]] std::uint64_t count_tokens(std::string_view bytes, token_kind kind);

// Numbers for the tokens of two texts: those of A by first appearance, and in B the same number for an equal
// token and the number distinct() for every token that A does not have. Tokens are compared byte by byte
// where their hashes are equal, so equal numbers always mean equal tokens. 8 bytes a slot of an
// open-addressing table and 16 bytes a distinct token of A.
class token_numbers {
public:
  // `memory`: bytes that the table may take (0: no limit).
  token_numbers(token_rules rules, std::uint64_t memory);

  // The numbers of A's tokens; A must outlive this object. `count` is their number, as of count_tokens.
  // Throws memory_error, and error if there are 2^32 - 2 distinct tokens or more.
  [[nodiscard]] std::vector<std::uint32_t> number_a(std::string_view a, std::uint64_t count);
  // The numbers of B's tokens, after number_a.
  [[nodiscard]] std::vector<std::uint32_t> number_b(std::string_view b, std::uint64_t count) const;
  // Distinct tokens of A.
  [[nodiscard]] std::uint64_t distinct() const { return tokens_.size(); }
  // Bytes of the table.
  [[nodiscard]] std::uint64_t memory() const;

private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct slot {
    std::uint32_t hash = 0;
    std::uint32_t number = none;
  };

  [[nodiscard]] std::uint32_t hash_of(std::string_view token, std::string& scratch) const;
  [[nodiscard]] bool equal(std::string_view x, std::string_view y) const;
  // Where the token is, or the free slot that it would take.
  [[nodiscard]] std::size_t slot_of(std::string_view token, std::uint32_t hash) const;
  [[nodiscard]] std::uint32_t add(std::string_view token, std::uint32_t hash);
  void grow();
  // Calls take(token, hash) for each token in order, with its slot on the way into the cache.
  template <class Take> void for_each_token(std::string_view bytes, const Take& take) const;
  // Whether the token is a last line without a newline that must not equal a line with one.
  [[nodiscard]] bool is_open_line(std::string_view token, std::string_view bytes) const;

  token_rules rules_;
  std::uint64_t memory_;
  std::vector<slot> slots_;
  std::vector<std::string_view> tokens_; // by number
  std::uint32_t open_line_ = none;       // the number of A's last line if is_open_line
};

} // namespace weft::cli
