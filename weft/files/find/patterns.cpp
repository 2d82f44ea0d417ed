#include <weft/files/find/patterns.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <weft/base/parallel.hpp>

namespace weft::files {

pattern_source::pattern_source(const std::vector<std::string>& words) {
  for (const std::string& word : words) words_.add("", word);
}

bool pattern_source::next(io::pattern_chunk& chunk, std::uint64_t bytes) {
  if (reader_) return reader_->read(chunk, bytes);
  chunk = std::move(words_);
  words_.clear();
  return chunk.count() > 0;
}

std::uint64_t pattern_source::estimate_count(std::uint64_t num_read) const {
  if (!reader_) return num_read;
  const std::uint64_t size = reader_->source().size(), position = reader_->source().position();
  if (size == 0 || position == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(num_read) * static_cast<double>(size) /
                                    static_cast<double>(std::min(size, position)));
}

std::string why_impossible(fm_alphabet alphabet, std::string_view pattern) {
  if (pattern.empty()) return "it has no letters";
  if (alphabet == fm_alphabet::bytes) return "";
  static constexpr auto bases = [] {
    std::array<bool, 256> is_base{};
    for (const char c : std::string_view("ACGTUacgtu")) is_base[static_cast<unsigned char>(c)] = true;
    return is_base;
  }();
  const bool dna = alphabet == fm_alphabet::dna;
  const auto impossible = [dna](char c) {
    return dna ? !bases[static_cast<unsigned char>(c)] : c <= ' ' || c > '~';
  };
  const auto at = std::find_if(pattern.begin(), pattern.end(), impossible);
  if (at == pattern.end()) return "";
  return fmt::format("letter {} is '{}', and {}", at - pattern.begin() + 1, *at,
                     dna ? "an index of DNA has only A, C, G, T and U"
                         : "an index of proteins has only printable letters");
}

std::string why_impossible(std::string_view pattern, const near_options& options) {
  std::uint64_t num_wrong = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char letter = (pattern[i] | 0x20) == 'u' ? 'T' : pattern[i];
    if (near_letter_set(letter, options.iupac) != 0) continue;
    if (i < options.exact_prefix || i >= pattern.size() - options.exact_suffix)
      return fmt::format("letter {} is '{}', which matches no base, and must match exactly", i + 1,
                         pattern[i]);
    ++num_wrong;
  }
  if (num_wrong <= options.max_distance) return "";
  return fmt::format("{} match{} no base, and only {} may differ",
                     num_wrong == 1 ? std::string("1 letter") : fmt::format("{} letters", num_wrong),
                     num_wrong == 1 ? "es" : "", options.max_distance);
}

std::string why_not_dna(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if ((c | 0x20) == 'u' || near_letter_set(c, true) != 0) continue;
    return c > ' ' && c <= '~'
               ? fmt::format("character {} is '{}', which is no IUPAC letter of DNA", i + 1, c)
               : fmt::format("character {} is byte 0x{:02x}, which is no IUPAC letter of DNA", i + 1,
                             static_cast<unsigned char>(c));
  }
  return "";
}

bool has_other_letters(std::string_view pattern) {
  return std::any_of(pattern.begin(), pattern.end(),
                     [](char c) { return (c | 0x20) != 'u' && near_letter_set(c, false) == 0; });
}

std::string why_too_short(std::string_view pattern, const near_options& options) {
  const std::uint64_t size = pattern.size(), exact = std::max(options.exact_prefix, options.exact_suffix);
  const std::string letters = fmt::format("the pattern has {} letter{}", size, size == 1 ? "" : "s");
  if (size <= options.max_distance)
    return fmt::format("{}, but must have more than the {} that may differ", letters, options.max_distance);
  if (size < exact) return fmt::format("{}, fewer than the {} that must match exactly", letters, exact);
  return "";
}

bool has_u(std::string_view text) {
  return std::memchr(text.data(), 'U', text.size()) != nullptr ||
         std::memchr(text.data(), 'u', text.size()) != nullptr;
}

void replace_u_by_t(std::string& bases, int threads) {
  parallel_for(0, bases.size(), std::uint64_t{1} << 20, threads,
               [symbols = bases.data()](std::uint64_t first, std::uint64_t last) {
                 char* const at = symbols; // a local copy, without which the loop is not vectorised
                 for (std::uint64_t i = first; i < last; ++i)
                   at[i] = static_cast<char>(at[i] - ((at[i] | 0x20) == 'u' ? 1 : 0));
               });
}

// The codes of A and T differ in the bits 0x15, those of C and G in the bits 0x04, and bit 1 distinguishes
// the two pairs.
void reverse_complement(std::string_view bases, char* out) {
  const char* const from = bases.data();
  const std::size_t size = bases.size();
  for (std::size_t i = 0; i < size; ++i) {
    const char c = from[size - 1 - i];
    out[i] = static_cast<char>(c ^ ((c & 2) != 0 ? 0x04 : 0x15));
  }
}

void reverse_complement_iupac(std::string_view letters, char* out) {
  static constexpr auto complements = [] {
    constexpr std::string_view from = "ACGTURYKMBVDHacgturykmbvdh", to = "TGCAAYRMKVBHDTGCAAYRMKVBHD";
    std::array<char, 256> table{};
    table.fill('N');
    for (const char c : std::string_view("SsWw"))
      table[static_cast<unsigned char>(c)] = static_cast<char>(c & ~0x20);
    for (std::size_t i = 0; i < from.size(); ++i) table[static_cast<unsigned char>(from[i])] = to[i];
    return table;
  }();
  std::transform(letters.rbegin(), letters.rend(), out,
                 [](char c) { return complements[static_cast<unsigned char>(c)]; });
}

} // namespace weft::files
