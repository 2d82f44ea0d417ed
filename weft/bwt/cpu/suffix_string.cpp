#include <weft/bwt/cpu/suffix_string.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <weft/base/parallel.hpp>

namespace weft::bwt_detail {

namespace {

// Threads pack ranges of this many symbols. It is a multiple of 8, so a range fills whole bytes.
constexpr std::uint64_t range_symbols = std::uint64_t{1} << 16;

} // namespace

void suffix_string::allocate_string() {
  allocate(bytes_, string_bytes() + 2 * margin);
  std::fill_n(bytes_.begin(), margin, 0);
  std::fill_n(bytes_.end() - margin, margin, 0);
  begin_ = bytes_.data() + margin;
}

template <class Symbol, class Code>
void suffix_string::pack(std::span<const Symbol> symbols, const Code& code, const run_options& run) {
  size_ = symbols.size();
  allocate_string();
  parallel_for(0, size_, range_symbols, run, [&](std::uint64_t first, std::uint64_t last) {
    const std::uint64_t bits = bits_;
    unsigned char* to = bytes_.data() + margin + first * bits / 8;
    std::uint64_t pending = 0, i = first;
    // Eight symbols fill whole bytes. The bytes behind them are overwritten by the next symbols.
    if (bits <= 8)
      for (; i + 64 <= last; i += 8, to += bits) {
        std::uint64_t word = 0;
        for (std::uint64_t k = 0; k < 8; ++k) word = word << bits | code(symbols[i + k]);
        word = __builtin_bswap64(word << (64 - 8 * bits));
        std::memcpy(to, &word, sizeof word);
      }
    unsigned num_pending = 0;
    for (; i < last; ++i) {
      pending = pending << bits | code(symbols[i]);
      for (num_pending += static_cast<unsigned>(bits); num_pending >= 8; num_pending -= 8)
        *to++ = static_cast<unsigned char>(pending >> (num_pending - 8));
    }
    if (num_pending > 0) *to = static_cast<unsigned char>(pending << (8 - num_pending));
  });
}

void suffix_string::mark_parts(std::span<const std::uint64_t> offsets, const run_options& run) {
  std::vector<std::uint64_t> begins; // of the parts that have symbols, and the end
  for (std::size_t part = 0; part < offsets.size(); ++part)
    if (part + 1 == offsets.size() || offsets[part] < offsets[part + 1]) begins.push_back(offsets[part]);
  parts_.resize(part_blocks(size_));
  parallel_for(0, parts_.size(), range_symbols / 64, run, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b)
      parts_[b] = part_block_of(b, begins.data(), begins.size() - 1);
  });
}

suffix_string::suffix_string(std::span<const unsigned char> symbols, const run_options& run,
                             std::span<const std::uint64_t> offsets) {
  std::array<std::atomic<bool>, 256> in_use{};
  parallel_for(0, symbols.size(), range_symbols, run, [&](std::uint64_t first, std::uint64_t last) {
    std::array<bool, 256> found{};
    for (std::uint64_t i = first; i < last; ++i) found[symbols[i]] = true;
    for (std::size_t s = 0; s < 256; ++s)
      if (found[s]) in_use[s].store(true, std::memory_order_relaxed);
  });
  for (std::size_t s = 0; s < 256; ++s)
    if (in_use[s].load()) {
      symbols_[letters_] = static_cast<std::uint8_t>(s);
      codes_[s] = static_cast<std::uint8_t>(letters_++);
    }
  bits_ = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::bit_width(letters_ == 0 ? 0 : letters_ - 1)));
  pack(
      symbols, [&](unsigned char symbol) { return codes_[symbol]; }, run);
  if (!offsets.empty()) mark_parts(offsets, run);
}

suffix_string::suffix_string(std::uint64_t size, std::uint64_t bits, bool has_parts,
                             const std::function<void(std::span<std::byte>)>& read)
    : size_(size), bits_(bits), parts_(has_parts ? part_blocks(size) : 0) {
  allocate_string();
  read(std::as_writable_bytes(std::span(symbols_)));
  read(std::as_writable_bytes(std::span(bytes_).subspan(margin, string_bytes())));
  if (has_parts) read(std::as_writable_bytes(std::span(parts_)));
}

void suffix_string::save(const std::function<void(std::span<const std::byte>)>& write) const {
  write(std::as_bytes(std::span(symbols_)));
  write(std::as_bytes(std::span(begin_, string_bytes())));
  if (has_parts()) write(std::as_bytes(std::span(parts_)));
}

namespace {

template <class Symbol> std::uint64_t bits_for(std::span<const Symbol> symbols) {
  Symbol all = 0;
  for (const Symbol symbol : symbols) all |= symbol;
  return static_cast<std::uint64_t>(std::max(1, static_cast<int>(std::bit_width(all))));
}

} // namespace

suffix_string::suffix_string(std::span<const std::uint16_t> symbols, const run_options& run)
    : bits_(bits_for(symbols)) {
  pack(
      symbols, [](std::uint16_t symbol) { return symbol; }, run);
}

suffix_string::suffix_string(std::span<const std::uint32_t> symbols, const run_options& run)
    : bits_(bits_for(symbols)) {
  pack(
      symbols, [](std::uint32_t symbol) { return symbol; }, run);
}

} // namespace weft::bwt_detail
