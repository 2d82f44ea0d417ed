// Files that are compared by line or by word: their bytes, the lines or words in them, and a number for each
// line or word. Equal tokens (lines or words) have equal numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/mapped_file.hpp>

namespace weft::files {

enum class token_kind { line, word };

// The rules by which tokens are equal.
struct token_rules {
  token_kind kind = token_kind::line;
  bool ignore_space = false; // white space in a line is ignored, as in diff -w
  bool ignore_case = false;  // ASCII letters are equal in both cases, as in diff -i
  // A last line without a newline differs from all lines with a newline (as in diff without -w).
  bool newline_counts = false;
};

// The bytes of a file. A regular file that is not compressed is mapped, any other file is read into memory.
class token_file {
public:
  // Opens the file; "-" is standard input. Throws io_error, parse_error if compressed data is damaged, and
  // memory_error if the bytes must be read into memory and `memory` (0: no limit) does not suffice.
  token_file(const std::string& path, std::uint64_t memory);
  token_file(const token_file&) = delete; // bytes() may refer to held_
  token_file& operator=(const token_file&) = delete;

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  // Returns the bytes of private memory that the object holds.
  [[nodiscard]] std::uint64_t held() const { return held_.capacity(); }

private:
  io::mapped_file mapped_;
  std::string held_;
  std::string_view bytes_;
};

// Iterates over the tokens of a text. A line ends before its newline, and the last line may have none. Words
// are separated by white space (space, \t, \n, \v, \f, \r).
class token_cursor {
public:
  token_cursor(std::string_view bytes, token_kind kind) : rest_(bytes), kind_(kind) {}
  // Sets `token` to the next token. Returns false if there is none.
  [[nodiscard]] bool next(std::string_view& token);

private:
  std::string_view rest_;
  token_kind kind_;
};

// Returns the number of tokens. O(bytes).
[[nodiscard]] std::uint64_t count_tokens(std::string_view bytes, token_kind kind);

// Numbers the tokens of two texts. Tokens of A are numbered in the order of their first appearance. A token
// of B has the number of the equal token of A, or the number distinct() if A has no such token. Tokens with
// equal hashes are compared byte by byte, so that equal numbers always mean equal tokens. Takes 8 bytes per
// slot of an open-addressing table and 16 bytes per distinct token of A.
class token_numbers {
public:
  // `memory` is the number of bytes that the table may take (0: no limit).
  token_numbers(token_rules rules, std::uint64_t memory);

  // Returns the numbers of A's tokens; A must outlive this object. `count` is the number of tokens, as
  // count_tokens() returns it. Throws memory_error, and error if there are 2^32 - 2 distinct tokens or more.
  [[nodiscard]] std::vector<std::uint32_t> number_a(std::string_view a, std::uint64_t count);
  // Returns the numbers of B's tokens. Must be called after number_a().
  [[nodiscard]] std::vector<std::uint32_t> number_b(std::string_view b, std::uint64_t count) const;
  // Returns the number of distinct tokens of A.
  [[nodiscard]] std::uint64_t distinct() const { return tokens_.size(); }
  // Returns the bytes of the table.
  [[nodiscard]] std::uint64_t memory() const;

private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct slot {
    std::uint32_t hash = 0;
    std::uint32_t number = none;
  };

  [[nodiscard]] std::uint32_t hash_of(std::string_view token, std::string& scratch) const;
  [[nodiscard]] bool equal(std::string_view x, std::string_view y) const;
  // Returns the slot of the token, or the free slot that it would take.
  [[nodiscard]] std::size_t slot_of(std::string_view token, std::uint32_t hash) const;
  [[nodiscard]] std::uint32_t add(std::string_view token, std::uint32_t hash);
  void grow();
  // Calls take(token, hash) for each token in order, after prefetching its slot.
  template <class Take> void for_each_token(std::string_view bytes, const Take& take) const;
  // Returns true if the token is a last line without a newline, which must not equal a line with one.
  [[nodiscard]] bool is_open_line(std::string_view token, std::string_view bytes) const;

  token_rules rules_;
  std::uint64_t memory_;
  std::vector<slot> slots_;
  std::vector<std::string_view> tokens_; // the tokens of A by their numbers
  std::uint32_t open_line_ = none;       // the number of A's last line if it is an open line
};

// Two files as the numbers of their lines or words, which lcs() compares.
struct token_pair {
  // Reads the files, of which at most one is "-", and numbers their tokens. Throws what token_file and
  // token_numbers throw; and memory_error if `memory` (0: no limit) does not suffice for the texts and the
  // numbers, of which lcs() makes up to three copies.
  token_pair(const std::string& a_path, const std::string& b_path, const token_rules& rules,
             std::uint64_t memory);

  token_file a, b;
  std::vector<std::uint32_t> a_numbers, b_numbers;
  std::uint64_t left_memory = 0; // for lcs(); 0: no limit
};

} // namespace weft::files
