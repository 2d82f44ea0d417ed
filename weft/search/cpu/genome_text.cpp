#include <weft/search/cpu/genome_text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <weft/base/parallel.hpp>

namespace weft::search_detail {

namespace {

// Returns what each byte of a record becomes in the text.
std::array<char, 256> letter_table(char separator) {
  std::array<char, 256> table;
  table.fill(separator);
  for (const char letter : {'A', 'C', 'G', 'T'}) {
    table[static_cast<unsigned char>(letter)] = letter;
    table[static_cast<unsigned char>(letter - 'A' + 'a')] = letter;
  }
  table['U'] = table['u'] = 'T';
  return table;
}

// The complement of each letter; a separator stays as it is.
constexpr std::array<char, 256> complements = [] {
  std::array<char, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<char>(i);
  table['A'] = 'T', table['C'] = 'G', table['G'] = 'C', table['T'] = 'A';
  return table;
}();

std::uint64_t load(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

} // namespace

std::uint64_t genome_text::record_at(std::uint64_t position) const {
  // The records of a reverse complement are in descending order.
  if (begins.size() < 2 || begins[0] < begins[1])
    return static_cast<std::uint64_t>(std::upper_bound(begins.begin(), begins.end(), position) -
                                      begins.begin()) -
           1;
  return static_cast<std::uint64_t>(
      std::lower_bound(begins.begin(), begins.end(), position, std::greater<>()) - begins.begin());
}

genome_text make_text(const sequences_view& genome, char separator, int threads) {
  genome_text text;
  std::uint64_t size = genome_text::padding;
  for (std::uint64_t i = 0; i < genome.count(); ++i) {
    text.begins.push_back(size);
    text.sizes.push_back(genome.size(i));
    size += genome.size(i) + 1;
  }
  text.letters.assign(size + 2 * genome_text::padding - 1, separator);
  const std::array<char, 256> table = letter_table(separator);
  for (std::uint64_t i = 0; i < genome.count(); ++i) {
    const std::string_view record = genome[i];
    char* const to = text.letters.data() + text.begins[i];
    parallel_for(0, record.size(), std::uint64_t{1} << 20, threads,
                 [&](std::uint64_t first, std::uint64_t last) {
                   for (std::uint64_t at = first; at < last; ++at)
                     to[at] = table[static_cast<unsigned char>(record[at])];
                 });
  }
  return text;
}

std::string reverse_complement(std::string_view letters) {
  std::string result(letters.size(), '\0');
  for (std::size_t i = 0; i < letters.size(); ++i)
    result[letters.size() - 1 - i] = complements[static_cast<unsigned char>(letters[i])];
  return result;
}

genome_text reverse_complement(const genome_text& text) {
  genome_text result{
      reverse_complement(std::string_view(text.letters).substr(0, text.size())), {}, text.sizes};
  result.letters.append(text.letters, text.size(), genome_text::padding);
  for (std::size_t i = 0; i < text.begins.size(); ++i)
    result.begins.push_back(text.size() - text.begins[i] - text.sizes[i]);
  return result;
}

std::uint64_t common_prefix(const char* a, const char* b, std::uint64_t limit) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t length = 0;
  while (length < limit) {
    const std::uint64_t different = load(a + length) ^ load(b + length);
    if (different != 0) return length + static_cast<std::uint64_t>(std::countr_zero(different)) / 8;
    length += sizeof different;
  }
  return length;
}

std::uint64_t common_suffix(const char* a, const char* b, std::uint64_t limit) {
  std::uint64_t length = 0;
  while (length < limit) {
    constexpr std::uint64_t step = sizeof length;
    const std::uint64_t different = load(a - length - step) ^ load(b - length - step);
    if (different != 0) return length + static_cast<std::uint64_t>(std::countl_zero(different)) / 8;
    length += step;
  }
  return length;
}

} // namespace weft::search_detail
