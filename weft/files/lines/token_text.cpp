#include <weft/files/lines/token_text.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/byte_source.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace weft::files {

namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace

token_file::token_file(const std::string& path, std::uint64_t memory) {
  const auto source = io::open_bytes(path, true, memory);
  std::error_code unknown; // ignored: the file is then read
  if (source->kind() == io::compression::none && path != "-" &&
      std::filesystem::is_regular_file(path, unknown)) {
    mapped_ = io::map_file(path);
    bytes_ = {mapped_.bytes.data(), mapped_.bytes.size()};
    return;
  }
  held_ = io::read_all(*source, io::memory_beside_decoder(source->kind(), memory));
  bytes_ = held_;
}

bool token_cursor::next(std::string_view& token) {
  if (kind_ == token_kind::line) {
    if (rest_.empty()) return false;
    const void* const newline = std::memchr(rest_.data(), '\n', rest_.size());
    token = newline == nullptr
                ? rest_
                : rest_.substr(0, static_cast<std::size_t>(static_cast<const char*>(newline) - rest_.data()));
    rest_.remove_prefix(std::min(token.size() + 1, rest_.size()));
    return true;
  }
  const char* const end = rest_.data() + rest_.size();
  const char* const first = std::find_if_not(rest_.data(), end, is_space);
  const char* const last = std::find_if(first, end, is_space);
  token = {first, static_cast<std::size_t>(last - first)};
  rest_ = {last, static_cast<std::size_t>(end - last)};
  return !token.empty();
}

std::uint64_t count_tokens(std::string_view bytes, token_kind kind) {
  if (kind == token_kind::line)
    return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n')) +
           (!bytes.empty() && bytes.back() != '\n' ? 1 : 0);
  std::uint64_t count = 0;
  bool after_space = true;
  for (const char c : bytes) {
    const bool space = is_space(c);
    count += after_space && !space ? 1 : 0;
    after_space = space;
  }
  return count;
}

token_numbers::token_numbers(token_rules rules, std::uint64_t memory)
    : rules_(rules), memory_(memory), slots_(1024) {}

std::vector<std::uint32_t> token_numbers::number_a(std::string_view a, std::uint64_t count) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(count);
  for_each_token(a, [&](std::string_view token, std::uint32_t hash) {
    if (is_open_line(token, a)) {
      open_line_ = static_cast<std::uint32_t>(tokens_.size());
      tokens_.push_back(token); // in no slot, because only B's open line may equal it
      numbers.push_back(open_line_);
    } else {
      numbers.push_back(add(token, hash));
    }
  });
  return numbers;
}

std::vector<std::uint32_t> token_numbers::number_b(std::string_view b, std::uint64_t count) const {
  const auto absent = static_cast<std::uint32_t>(distinct());
  std::vector<std::uint32_t> numbers;
  numbers.reserve(count);
  for_each_token(b, [&](std::string_view token, std::uint32_t hash) {
    std::uint32_t number = none;
    if (!is_open_line(token, b))
      number = slots_[slot_of(token, hash)].number;
    else if (open_line_ != none && equal(token, tokens_[open_line_]))
      number = open_line_;
    numbers.push_back(number == none ? absent : number);
  });
  return numbers;
}

std::uint64_t token_numbers::memory() const {
  return slots_.capacity() * sizeof(slot) + tokens_.capacity() * sizeof(std::string_view);
}

std::uint32_t token_numbers::hash_of(std::string_view token, std::string& scratch) const {
  if (rules_.ignore_space || rules_.ignore_case) {
    scratch.clear();
    for (const char c : token)
      if (!rules_.ignore_space || !is_space(c)) scratch += rules_.ignore_case ? lower(c) : c;
    token = scratch;
  }
  return static_cast<std::uint32_t>(XXH3_64bits(token.data(), token.size()));
}

bool token_numbers::equal(std::string_view x, std::string_view y) const {
  if (!rules_.ignore_space && !rules_.ignore_case) return x == y;
  std::size_t i = 0, j = 0;
  for (;; ++i, ++j) {
    while (rules_.ignore_space && i < x.size() && is_space(x[i])) ++i;
    while (rules_.ignore_space && j < y.size() && is_space(y[j])) ++j;
    if (i == x.size() || j == y.size()) return i == x.size() && j == y.size();
    if (rules_.ignore_case ? lower(x[i]) != lower(y[j]) : x[i] != y[j]) return false;
  }
}

std::size_t token_numbers::slot_of(std::string_view token, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const slot& here = slots_[at];
    if (here.number == none || (here.hash == hash && equal(token, tokens_[here.number]))) return at;
  }
}

std::uint32_t token_numbers::add(std::string_view token, std::uint32_t hash) {
  const std::size_t at = slot_of(token, hash);
  if (slots_[at].number != none) return slots_[at].number;
  const auto number = static_cast<std::uint32_t>(tokens_.size());
  if (number >= none - 2)
    throw error(errc::invalid_input, "at most 4,294,967,293 distinct lines or words can be compared");
  slots_[at] = {hash, number};
  tokens_.push_back(token);
  if (2 * tokens_.size() > slots_.size()) grow();
  return number;
}

void token_numbers::grow() {
  const std::size_t size = 2 * slots_.size();
  const std::uint64_t needed = (size + slots_.size()) * sizeof(slot) + size / 2 * sizeof(std::string_view);
  if (memory_ != 0 && needed > memory_)
    throw memory_error(fmt::format("comparing more than {} distinct lines or words needs {} of memory, "
                                   "but only {} of the allowed memory is left",
                                   tokens_.size(), format_size(needed), format_size(memory_)));
  std::vector<slot> larger(size);
  tokens_.reserve(size / 2);
  for (const slot& old : slots_) {
    if (old.number == none) continue;
    std::size_t at = old.hash & (size - 1);
    while (larger[at].number != none) at = (at + 1) & (size - 1);
    larger[at] = old;
  }
  slots_ = std::move(larger);
}

template <class Take> void token_numbers::for_each_token(std::string_view bytes, const Take& take) const {
  constexpr std::size_t batch = 32; // number of tokens whose slots are prefetched together
  std::array<std::string_view, batch> tokens;
  std::array<std::uint32_t, batch> hashes{};
  token_cursor cursor(bytes, rules_.kind);
  std::string scratch;
  for (std::size_t filled = batch; filled == batch;) {
    filled = 0;
    while (filled < batch && cursor.next(tokens[filled])) {
      hashes[filled] = hash_of(tokens[filled], scratch);
      __builtin_prefetch(&slots_[hashes[filled] & (slots_.size() - 1)]);
      ++filled;
    }
    for (std::size_t i = 0; i < filled; ++i) take(tokens[i], hashes[i]);
  }
}

bool token_numbers::is_open_line(std::string_view token, std::string_view bytes) const {
  return rules_.newline_counts && !rules_.ignore_space && rules_.kind == token_kind::line &&
         token.data() + token.size() == bytes.data() + bytes.size();
}

token_pair::token_pair(const std::string& a_path, const std::string& b_path, const token_rules& rules,
                       std::uint64_t memory)
    : a(a_path, memory), b(b_path, memory_left(memory, a.held())) {
  const std::uint64_t m = count_tokens(a.bytes(), rules.kind), n = count_tokens(b.bytes(), rules.kind);
  const std::uint64_t texts = a.held() + b.held(), numbers_bytes = sizeof(std::uint32_t) * (m + n);
  // The table of distinct tokens, which is freed before lcs() runs, may take as much as its three copies.
  if (const std::uint64_t needed = texts + 4 * numbers_bytes; memory != 0 && needed > memory)
    throw memory_error(fmt::format("comparing {} with {} lines or words needs {} of memory, but only {} "
                                   "is allowed",
                                   m, n, format_size(needed), format_size(memory)));
  token_numbers numbers(rules, memory_left(memory, texts + numbers_bytes));
  a_numbers = numbers.number_a(a.bytes(), m);
  b_numbers = numbers.number_b(b.bytes(), n);
  left_memory = memory_left(memory, texts + 4 * numbers_bytes);
}

} // namespace weft::files
