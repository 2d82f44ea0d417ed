#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/near_tree.hpp>
#include <weft/bwt/cpu/near_windows.hpp>

namespace weft::bwt_detail {

namespace {

// Nanoseconds to look up the rows of a string, and to prepare a strand.
constexpr double string_cost = 25, strand_cost = 400;

// How many strings, or what share of a random text, differ from some letters of a strand in 0, 1, ... of
// them.
class difference_counts {
public:
  // Adds a letter, which `matching` bases match; the bases weigh `weight` each.
  void add(unsigned matching, bool exact, double weight) {
    const double match = weight * matching, differ = exact ? 0 : weight * (4 - matching);
    for (std::size_t e = of_.size(); e-- > 0;) of_[e] = of_[e] * match + (e > 0 ? of_[e - 1] * differ : 0);
  }
  // Return the number or the share with so many differences, and with so many or fewer.
  [[nodiscard]] double of(unsigned differences) const { return of_[differences]; }
  [[nodiscard]] double up_to(unsigned differences) const {
    double sum = 0;
    for (unsigned e = 0; e <= differences; ++e) sum += of_[e];
    return sum;
  }

private:
  std::array<double, max_near_distance + 1> of_{1};
};

// Returns how many bases a letter of a strand matches.
unsigned bases_of(const near_strand& strand, std::uint64_t letter) {
  constexpr std::array<std::uint8_t, 16> sizes = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4}; // of sets
  return sizes[strand.sets[letter]];
}

// Returns whether the context of a row of a window has a letter of a strand.
bool is_in_context(const near_window& window, std::uint64_t letter) {
  const std::int64_t offset = static_cast<std::int64_t>(letter) - window.begin;
  return (offset < 0 && offset >= -std::int64_t{context_left}) ||
         (offset >= letters_left_out && offset < context_right);
}

double window_cost(const near_strand& strand, const near_window& window, unsigned max_distance,
                   const window_text& text) {
  difference_counts strings, around; // of the window, and of the other letters in a context
  for (std::uint64_t i = 0; i < strand.size; ++i)
    if (i >= window.begin && i < window.begin + window.size)
      strings.add(bases_of(strand, i), strand.is_exact(i), 1);
    else if (is_in_context(window, i))
      around.add(bases_of(strand, i), strand.is_exact(i), 0.25);
  const double rows = std::ldexp(text.num_rows, -2 * static_cast<int>(window.size));
  double cost = 0;
  for (unsigned e = 0; e <= std::min(window.max_mismatches, max_distance); ++e) {
    const double looked_up = std::min(1.0, around.up_to(max_distance - e) + text.incomplete_share);
    cost += strings.of(e) * (string_cost + rows * (near_context_cost + leaf_cost * looked_up));
  }
  return cost;
}

} // namespace

near_windows choose_windows(const near_strand& strand, unsigned max_distance, const window_text& text) {
  near_windows best;
  best.cost = std::numeric_limits<double>::infinity();
  const std::uint64_t max_count = std::min<std::uint64_t>(max_distance + 1, strand.size / letters_left_out);
  for (std::uint64_t count = 1; count <= max_count; ++count) {
    const std::uint64_t max_size = std::min<std::uint64_t>(text.kmer_size, strand.size / count);
    for (std::uint64_t size = letters_left_out; size <= max_size; ++size)
      for (std::uint64_t begin = 0; begin + count * size <= strand.size; ++begin) {
        near_windows windows{{}, strand_cost};
        for (std::uint64_t w = 0; w < count && windows.cost < best.cost; ++w) {
          const auto sum =
              static_cast<unsigned>((max_distance + 1) / count + (w < (max_distance + 1) % count));
          windows.windows.push_back(
              {static_cast<std::uint32_t>(begin + w * size), static_cast<std::uint32_t>(size), sum - 1});
          windows.cost += window_cost(strand, windows.windows.back(), max_distance, text);
        }
        if (windows.cost < best.cost) best = std::move(windows);
      }
  }
  return best;
}

std::string shape_of(const near_strand& strand) {
  std::string shape(strand.size, '\0');
  for (std::uint64_t i = 0; i < strand.size; ++i)
    shape[i] = static_cast<char>(bases_of(strand, i) + (strand.is_exact(i) ? 8 : 0));
  return shape;
}

context_filter make_filter(const near_strand& strand, const near_window& window, unsigned max_distance) {
  context_filter filter{{even_bits, even_bits, even_bits, even_bits}, 0, max_distance};
  for (unsigned slot = 0; slot < context_slots; ++slot) {
    const std::int64_t letter = letter_of_slot(window.begin, slot);
    if (slot == context_flag_slot || letter < 0 || letter >= static_cast<std::int64_t>(strand.size) ||
        (letter >= window.begin && letter < window.begin + window.size))
      continue; // the strings of the window account for its own letters
    const auto i = static_cast<std::uint64_t>(letter);
    const std::uint64_t bit = std::uint64_t{1} << (2 * slot);
    for (unsigned base = 0; base < 4; ++base)
      if ((strand.sets[i] >> base & 1) == 0) filter.contains[base] &= ~bit;
    if (strand.is_exact(i)) filter.exact |= bit;
  }
  return filter;
}

namespace {

// Lists the strings of a window by a depth-first search.
class string_lister {
public:
  string_lister(const near_strand& strand, const near_window& window, std::uint32_t kmer_size,
                std::uint32_t filter, std::vector<window_string>& strings)
      : strand_(strand), window_(window), shift_(2 * (kmer_size - window.size)), filter_(filter),
        strings_(strings) {}

  // Lists the strings that begin with the first `count` letters that `code` has.
  void list(std::uint32_t count, std::uint32_t code, unsigned mismatches) {
    if (count == window_.size) {
      strings_.push_back({code << shift_, ((code + 1) << shift_) - 1, filter_, mismatches});
      return;
    }
    const std::uint64_t letter = window_.begin + count;
    const bool may_differ = mismatches < window_.max_mismatches && !strand_.is_exact(letter);
    for (std::uint32_t base = 0; base < 4; ++base) {
      const bool match = (strand_.sets[letter] >> base & 1) != 0;
      if (match || may_differ) list(count + 1, code << 2 | base, mismatches + (match ? 0 : 1));
    }
  }

private:
  const near_strand& strand_;
  const near_window& window_;
  std::uint32_t shift_, filter_;
  std::vector<window_string>& strings_;
};

} // namespace

void list_strings(const near_strand& strand, const near_window& window, std::uint32_t kmer_size,
                  std::uint32_t filter, std::vector<window_string>& strings) {
  string_lister(strand, window, kmer_size, filter, strings).list(0, 0, 0);
}

} // namespace weft::bwt_detail
