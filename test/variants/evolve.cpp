#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>

#include "evolve.hpp"

namespace weft::test {

namespace {

constexpr std::uint64_t min_distance = 1000; // between two segments
constexpr std::uint64_t composition = 500;   // inserted letters are drawn from so far to either side

// Random numbers that are the same on every machine.
class dice {
public:
  explicit dice(std::uint64_t seed) : next_(seed) {}
  // Returns a number less than `end`, which is positive.
  std::uint64_t below(std::uint64_t end) { return next_() % end; }
  // Returns true with this probability. The product is exact, because it only changes the exponent.
  bool chance(double probability) {
    return (next_() >> 11) < static_cast<std::uint64_t>(probability * 0x1p53);
  }
  // Returns a positive number of a geometric distribution. O(mean) time.
  std::uint64_t geometric(std::uint64_t mean) {
    std::uint64_t length = 1;
    while (below(mean) != 0) ++length;
    return length;
  }

private:
  std::mt19937_64 next_;
};

char complement(char c) {
  switch (c) {
  case 'A':
    return 'T';
  case 'C':
    return 'G';
  case 'G':
    return 'C';
  case 'T':
    return 'A';
  default:
    return c;
  }
}

bool is_base(char c) { return c == 'A' || c == 'C' || c == 'G' || c == 'T'; }

std::string reverse_complement(std::string_view letters) {
  std::string result(letters.rbegin(), letters.rend());
  std::transform(result.begin(), result.end(), result.begin(), complement);
  return result;
}

// A stretch of the genome that the copy contains, or lacks if `is_missing`.
struct piece {
  std::uint64_t begin = 0, end = 0;
  bool reverse = false, is_missing = false;
  bool is_reported = false; // whether it is the segment of `kind` itself, not what surrounds it
  planted_kind kind = planted_kind::missing;
};

// A position of the genome at which the copy continues with `pieces`, and then with the letter at `end`.
struct detour {
  std::uint64_t begin = 0, end = 0;
  std::vector<piece> pieces;
};

// Chooses the segments. They are in order, and do not overlap.
class segment_choice {
public:
  segment_choice(std::uint64_t size, const evolution_options& options, dice& random)
      : size_(size), options_(options), random_(random) {
    const std::pair<planted_kind, std::uint64_t> kinds[] = {{planted_kind::inversion, options.inversions},
                                                            {planted_kind::move, options.moves},
                                                            {planted_kind::duplication, options.duplications},
                                                            {planted_kind::missing, options.deletions}};
    for (const auto& [kind, count] : kinds)
      for (std::uint64_t i = 0; i < count; ++i) add(kind);
    std::sort(chosen_.begin(), chosen_.end(), [](auto& x, auto& y) { return x.begin < y.begin; });
  }
  // Returns the copy as pieces, in the order of the copy.
  [[nodiscard]] std::vector<piece> pieces() const {
    std::vector<piece> result;
    std::uint64_t at = 0;
    const auto keep = [&](std::uint64_t end) {
      if (end > at) result.push_back({at, end});
    };
    for (const detour& each : chosen_) {
      keep(each.begin);
      result.insert(result.end(), each.pieces.begin(), each.pieces.end());
      at = each.end;
    }
    keep(size_);
    return result;
  }

private:
  // Finds a free stretch of `length` letters and the distance around it.
  std::uint64_t find_free(std::uint64_t length) {
    if (size_ > length + 2 * min_distance)
      for (int attempt = 0; attempt < 10000; ++attempt) {
        const std::uint64_t begin = min_distance + random_.below(size_ - length - 2 * min_distance);
        const bool is_free = std::all_of(chosen_.begin(), chosen_.end(), [&](const detour& other) {
          return begin + length + min_distance <= other.begin || other.end + min_distance <= begin;
        });
        if (is_free) return begin;
      }
    throw std::invalid_argument("evolve: the genome has no space for the segments");
  }
  void add(planted_kind kind) {
    const std::uint64_t length = options_.min_segment + random_.geometric(options_.segment_mean);
    const std::uint64_t begin = find_free(length), end = begin + length;
    const bool reverse =
        kind == planted_kind::inversion || (kind == planted_kind::move && random_.chance(0.5));
    const piece segment{begin, end, reverse, kind == planted_kind::missing, true, kind};
    detour cut{begin, end, {}};
    if (kind == planted_kind::duplication) cut.pieces.push_back({begin, end});
    if (kind != planted_kind::move) cut.pieces.push_back(segment);
    chosen_.push_back(cut);
    if (kind != planted_kind::move) return;
    const std::uint64_t target = find_free(0);
    chosen_.push_back({target, target, {segment}});
  }

  std::uint64_t size_;
  const evolution_options& options_;
  dice& random_;
  std::vector<detour> chosen_;
};

// Writes the copy, piece by piece, and plants the small differences.
class copyist {
public:
  copyist(std::string_view genome, const evolution_options& options, dice& random)
      : genome_(genome), options_(options), random_(random) {}
  void copy(const piece& from) {
    const std::uint64_t begin = result_.letters.size();
    if (from.is_reported) ++segment_;
    const std::string letters =
        from.is_missing ? std::string() : std::string(genome_.substr(from.begin, from.end - from.begin));
    copy_letters(from, from.reverse ? reverse_complement(letters) : letters);
    if (from.is_reported)
      segments_.push_back(
          {from.kind, from.begin, from.end, begin, result_.letters.size(), from.reverse, "", "", segment_});
  }
  // Returns the copy. The segments get their numbers in the order of the genome.
  evolved_genome finish() {
    const auto by_begin = [](const auto& x, const auto& y) { return x.a_begin < y.a_begin; };
    std::stable_sort(segments_.begin(), segments_.end(), by_begin);
    std::vector<std::uint64_t> number(segments_.size() + 1, 0);
    for (std::size_t i = 0; i < segments_.size(); ++i) number[segments_[i].segment] = i + 1;
    auto& all = result_.differences;
    std::stable_sort(all.begin(), all.end(), by_begin);
    all.insert(all.begin(), segments_.begin(), segments_.end());
    for (planted_difference& each : all) each.segment = number[each.segment];
    return std::move(result_);
  }

private:
  // Copies the letters of a piece, on the strand of the copy.
  void copy_letters(const piece& from, const std::string& letters) {
    std::uint64_t changeable = 1; // no difference is planted before this letter, nor at the end of a piece
    for (std::uint64_t i = 0; i < letters.size();) {
      std::uint64_t taken = 0;
      bool is_changed = false;
      if (i >= changeable && i + 1 < letters.size()) {
        const bool snp = random_.chance(options_.snp), indel = random_.chance(options_.indel);
        if (snp && is_base(letters[i])) {
          plant(from, planted_kind::substitution, i, 1, std::string(1, substitute(letters[i])));
          taken = 1, is_changed = true;
        } else if (indel) {
          taken = plant_indel(from, letters, i);
          is_changed = true;
        }
      }
      if (is_changed) changeable = i + taken + options_.spacing;
      if (!is_changed || taken == 0) result_.letters += letters[i + taken++];
      i += taken;
    }
  }
  char substitute(char c) {
    const std::string_view transitions = "AGCT";
    const std::size_t index = transitions.find(c);
    if (random_.chance(options_.transitions)) return transitions[index ^ 1U];
    return transitions[(index ^ 2U) ^ random_.below(2)];
  }
  // Plants an insertion before letter i of the piece, or a deletion from it on, and returns how many letters
  // of the piece it removes.
  std::uint64_t plant_indel(const piece& from, const std::string& letters, std::uint64_t i) {
    const std::uint64_t mean =
        random_.chance(options_.long_indels) ? options_.long_mean : options_.indel_mean;
    const std::uint64_t length = random_.geometric(mean);
    if (random_.below(2) == 0) {
      const std::uint64_t removed = std::min<std::uint64_t>(length, letters.size() - i - 1);
      plant(from, planted_kind::deletion, i, removed, "");
      return removed;
    }
    std::string inserted;
    if (length <= result_.letters.size() && random_.chance(options_.tandem)) {
      inserted = result_.letters.substr(result_.letters.size() - length);
    } else {
      const std::uint64_t begin = i < composition ? 0 : i - composition;
      const std::uint64_t end = std::min<std::uint64_t>(letters.size(), i + composition);
      for (std::uint64_t k = 0; k < length; ++k) inserted += letters[begin + random_.below(end - begin)];
    }
    plant(from, planted_kind::insertion, i, 0, inserted);
    return 0;
  }
  // Records that `alternative` replaces `size` letters of the piece from letter i on, and writes it.
  void plant(const piece& from, planted_kind kind, std::uint64_t i, std::uint64_t size,
             const std::string& alternative) {
    planted_difference found;
    found.kind = kind;
    found.a_begin = from.reverse ? from.end - i - size : from.begin + i;
    found.reference = genome_.substr(found.a_begin, size);
    found.alternative = from.reverse ? reverse_complement(alternative) : alternative;
    found.b_begin = result_.letters.size();
    result_.letters += alternative;
    found.b_end = result_.letters.size();
    found.reverse = from.reverse;
    found.segment = from.is_reported ? segment_ : 0;
    if (kind != planted_kind::substitution) move_left(found);
    found.a_end = found.a_begin + size;
    result_.differences.push_back(found);
  }
  // Moves an insertion or a deletion as far to the left as the genome allows.
  void move_left(planted_difference& of) const {
    std::string& letters = of.kind == planted_kind::insertion ? of.alternative : of.reference;
    std::uint64_t shift = 0;
    const std::size_t size = letters.size();
    while (shift < of.a_begin && genome_[of.a_begin - 1 - shift] == letters[size - 1 - shift % size]) ++shift;
    std::rotate(letters.begin(), letters.end() - static_cast<std::ptrdiff_t>(shift % size), letters.end());
    of.a_begin -= shift;
  }

  std::string_view genome_;
  const evolution_options& options_;
  dice& random_;
  std::uint64_t segment_ = 0; // the number of the segments so far
  std::vector<planted_difference> segments_;
  evolved_genome result_;
};

void check(const evolution_options& options) {
  for (const double rate :
       {options.snp, options.transitions, options.indel, options.tandem, options.long_indels})
    if (!(rate >= 0 && rate <= 1)) throw std::invalid_argument("evolve: a rate must be from 0 to 1");
  if (options.indel_mean == 0 || options.long_mean == 0 || options.segment_mean == 0 || options.spacing == 0)
    throw std::invalid_argument("evolve: means and the spacing must be positive");
}

} // namespace

evolved_genome evolve(std::string_view genome, const evolution_options& options) {
  check(options);
  dice random(options.seed);
  const segment_choice segments(genome.size(), options, random);
  copyist copy(genome, options, random);
  for (const piece& each : segments.pieces()) copy.copy(each);
  return copy.finish();
}

} // namespace weft::test
