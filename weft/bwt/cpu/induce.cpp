// The plain version, after the stars have been put into their slots:
//     for b = last letter .. first letter:
//         for each row of b's rising suffixes, from the last one to the first, which is put there meanwhile:
//             a = the symbol before; if a <= b: put the suffix before into the last free rising slot of (a,
//             b)
//     put suffix n - 1 into the first slot of its letter
//     for c = first letter .. last letter:
//         for each row of c's suffixes, from the first one to the last:
//             a = the symbol before; if a >= c: put the suffix before into the first free falling slot of (a,
//             c)
//
// Which rows of a bucket are complete is known in advance, except for runs of the same letter, which extend
// the bucket while it is read. So a block of rows is read at once, in parts: first each thread finds the
// letters before the rows of its part and counts them, then each puts the suffixes into the slots that follow
// from the counts. In the second pass, the highest bit of a row says whether the suffix before it is to be
// put anywhere. It is known when a row is written, because the two symbols before a suffix are read together.
#include <algorithm>
#include <cstring>
#include <limits>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/suffix_stars.hpp>

namespace weft::bwt_detail {

namespace {

// Rows of a block that one thread reads. What it remembers of them fits in the cache next to its core.
constexpr std::uint64_t part_rows = std::uint64_t{1} << 16;
constexpr std::uint64_t min_block_rows = 64; // fewer rows are read one by one
constexpr std::uint64_t min_parallel_rows = std::uint64_t{1} << 14;
constexpr std::uint64_t prefetched_rows = 32;

template <class Index> class inducer {
public:
  inducer(const suffix_string& text, const suffix_pairs& pairs, std::span<Index> sa, const run_options& run)
      : text_(text), pairs_(pairs), sa_(sa), run_(run), letters_(pairs.letters),
        members_(static_cast<std::size_t>(thread_count(run.threads))), slots_(letters_) {
    for (member& each : members_) each.next.resize(letters_);
    make_layout();
  }

  // Moves the stars from the front of the array into their slots. No star moves to the left, so the last ones
  // are moved first.
  void put_stars() {
    std::uint64_t end = pairs_.num_stars;
    for (unsigned a = letters_; a-- > 0;)
      for (unsigned b = letters_; b-- > a + 1;) {
        const std::uint64_t count = pairs_.count(a, b, false);
        end -= count;
        std::memmove(sa_.data() + slot(a, b), sa_.data() + end, count * sizeof(Index));
      }
  }

  void induce_rising() {
    for (unsigned b = letters_; b-- > 0;) {
      for (unsigned a = 0; a < b; ++a)
        slots_[a] = slot(a, b) + pairs_.count(a, b, false) + pairs_.count(a, b, true);
      std::uint64_t last = buckets_[b].end;
      slots_[b] = buckets_[b].rises_end; // of the run
      while (last > slots_[b]) {
        const std::uint64_t rows = std::min(last - slots_[b], block_rows());
        if (rows < min_block_rows) {
          induce_rising_row(--last, b);
          continue;
        }
        move_block(last - rows, last, true, [&](member& at, std::uint64_t begin, std::uint64_t end) {
          find_rising(at, begin, end, b);
        });
        last -= rows;
      }
    }
  }

  void induce_falling() {
    put_last_suffix();
    for (unsigned c = 0; c < letters_; ++c) {
      for (unsigned a = c + 1; a < letters_; ++a) slots_[a] = slot(a, c);
      slots_[c] = buckets_[c].falls_end; // of the run
      std::uint64_t first = induce_falling_until(buckets_[c].begin, slots_[c]);
      induce_falling_until(first, buckets_[c].end);
    }
  }

private:
  static constexpr Index flag = Index{1} << (std::numeric_limits<Index>::digits - 1);

  // The rows of a letter: falling ones, those of runs last; then rising ones, those of runs first.
  struct bucket {
    std::uint64_t begin, falls_end, rises_end, end; // where runs of falling, and of rising suffixes, are put
  };
  // A member remembers, for its part of a block, the suffixes to be put, their letters, and the next slot of
  // each letter (at first, their number).
  struct member {
    std::vector<std::uint16_t> letters;
    std::vector<Index> suffixes;
    std::vector<std::uint64_t> next;
    std::uint64_t count = 0;
  };

  // Returns the first slot of the suffixes that begin with a, b. If a < b, stars come first.
  [[nodiscard]] std::uint64_t slot(unsigned a, unsigned b) const {
    return pair_slots_[std::uint64_t{a} * letters_ + b];
  }
  [[nodiscard]] std::uint64_t letter_before(std::uint64_t i) const {
    return text_.two_before(i) & letter_mask();
  }
  [[nodiscard]] std::uint64_t letter_mask() const { return (std::uint64_t{1} << text_.bits()) - 1; }
  [[nodiscard]] std::uint64_t last_letter() const {
    return text_.from((text_.size() - 1) * text_.bits()) >> (64 - text_.bits());
  }
  [[nodiscard]] std::uint64_t block_rows() const { return part_rows * members_.size(); }

  void make_layout() {
    buckets_.resize(letters_);
    pair_slots_.resize(std::uint64_t{letters_} * letters_);
    std::uint64_t row = 0;
    for (unsigned a = 0; a < letters_; ++a) {
      buckets_[a].begin = row;
      row += std::uint64_t{a == last_letter()};
      for (unsigned b = 0; b < letters_; ++b) {
        if (b == a) {
          buckets_[a].falls_end = row;
          row += pairs_.count(a, a, false) + pairs_.count(a, a, true);
          buckets_[a].rises_end = row;
          continue;
        }
        pair_slots_[std::uint64_t{a} * letters_ + b] = row;
        row += pairs_.count(a, b, false) + pairs_.count(a, b, true);
      }
      buckets_[a].end = row;
    }
  }

  void put_last_suffix() {
    const std::uint64_t last = text_.size() - 1, letter = last_letter();
    sa_[buckets_[letter].begin] =
        static_cast<Index>(last) | (last > 0 && letter_before(last) >= letter ? flag : Index{0});
  }

  // Read one row.
  void induce_rising_row(std::uint64_t row, unsigned b) {
    const std::uint64_t i = sa_[row];
    if (i == 0) return;
    if (const std::uint64_t a = letter_before(i); a <= b)
      sa_[--slots_[a]] = static_cast<Index>(i - 1);
    else
      sa_[row] = static_cast<Index>(i) | flag;
  }
  void induce_falling_row(std::uint64_t row) {
    const Index marked = sa_[row];
    if ((marked & flag) == 0) return;
    const std::uint64_t i = marked & ~flag;
    sa_[row] = static_cast<Index>(i);
    const std::uint64_t two = text_.two_before(i), a = two & letter_mask(), before = two >> text_.bits();
    sa_[slots_[a]++] = static_cast<Index>(i - 1) | (i > 1 && before >= a ? flag : Index{0});
  }

  // Reads the rows from `first` on up to `end`, which may grow meanwhile. Returns the end.
  std::uint64_t induce_falling_until(std::uint64_t first, const std::uint64_t& end) {
    while (first < end) {
      const std::uint64_t rows = std::min(end - first, block_rows());
      if (rows < min_block_rows) {
        induce_falling_row(first++);
        continue;
      }
      move_block(first, first + rows, false,
                 [&](member& at, std::uint64_t begin, std::uint64_t last) { find_falling(at, begin, last); });
      first += rows;
    }
    return first;
  }

  // Reads the rows [first, last) by find(member, begin, end) in parts, and puts what was found into slots
  // that follow one another backward or forward.
  template <class Find>
  void move_block(std::uint64_t first, std::uint64_t last, bool backward, const Find& find) {
    base_detail::check_cancelled(run_);
    const std::uint64_t rows = last - first;
    const std::uint64_t parts = rows < min_parallel_rows ? 1 : members_.size(),
                        each = (rows + parts - 1) / parts;
    const auto find_part = [&](std::uint64_t part) {
      member& at = members_[part];
      std::fill(at.next.begin(), at.next.end(), 0);
      at.letters.resize(each);
      at.suffixes.resize(each);
      find(at, first + std::min(rows, part * each), first + std::min(rows, (part + 1) * each));
    };
    run_parts(parts, find_part);
    for (unsigned letter = 0; letter < letters_; ++letter)
      for (std::uint64_t k = 0; k < parts; ++k) {
        std::uint64_t& next = members_[backward ? parts - 1 - k : k].next[letter];
        const std::uint64_t count = std::exchange(next, slots_[letter]);
        slots_[letter] += backward ? ~count + 1 : count;
      }
    run_parts(parts, [&](std::uint64_t part) {
      if (backward)
        put_rising(members_[part]);
      else
        put_falling(members_[part]);
    });
  }
  template <class Body> void run_parts(std::uint64_t parts, const Body& body) {
    if (parts == 1) return body(0);
    team_.run(static_cast<int>(parts), [&](int part) { body(static_cast<std::uint64_t>(part)); });
  }

  // Finds the suffixes before rising suffixes of letter b that have a letter of at most b before them. Marks
  // the rows of the others.
  void find_rising(member& at, std::uint64_t begin, std::uint64_t end, unsigned b) {
    const std::uint64_t bits = text_.bits(), mask = letter_mask();
    std::uint64_t count = 0;
    for (std::uint64_t row = end; row-- > begin;) {
      text_.prefetch(sa_[row - std::min(row - begin, prefetched_rows)] * bits);
      const std::uint64_t i = sa_[row];
      const std::uint64_t a = text_.two_before(i) & mask;
      at.suffixes[count] = static_cast<Index>(i - 1);
      at.letters[count] = static_cast<std::uint16_t>(a);
      const bool put = i != 0 && a <= b;
      at.next[a] += std::uint64_t{put};
      count += std::uint64_t{put};
      sa_[row] = static_cast<Index>(i) | (i != 0 && a > b ? flag : Index{0});
    }
    at.count = count;
  }
  void put_rising(member& at) {
    for (std::uint64_t k = 0; k < at.count; ++k) sa_[--at.next[at.letters[k]]] = at.suffixes[k];
  }

  // Finds the suffixes before marked rows, and takes the marks away.
  void find_falling(member& at, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t bits = text_.bits(), mask = letter_mask();
    std::uint64_t count = 0;
    for (std::uint64_t row = begin; row < end; ++row) {
      const Index i = sa_[row];
      at.suffixes[count] = i & ~flag;
      count += std::uint64_t{(i & flag) != 0};
      sa_[row] = i & ~flag;
    }
    at.count = count;
    for (std::uint64_t k = 0; k < count; ++k) {
      text_.prefetch(at.suffixes[std::min(k + prefetched_rows, count - 1)] * bits);
      const std::uint64_t i = at.suffixes[k], two = text_.two_before(i), a = two & mask, before = two >> bits;
      at.suffixes[k] = static_cast<Index>(i - 1) | (i > 1 && before >= a ? flag : Index{0});
      at.letters[k] = static_cast<std::uint16_t>(a);
      ++at.next[a];
    }
  }
  void put_falling(member& at) {
    for (std::uint64_t k = 0; k < at.count; ++k) sa_[at.next[at.letters[k]]++] = at.suffixes[k];
  }

  const suffix_string& text_;
  const suffix_pairs& pairs_;
  std::span<Index> sa_;
  const run_options& run_;
  unsigned letters_;
  std::vector<bucket> buckets_;
  std::vector<std::uint64_t> pair_slots_;
  std::vector<member> members_;
  std::vector<std::uint64_t> slots_; // where the next suffix of each letter is put, in the current bucket
  kept_team team_;
};

} // namespace

template <class Index>
void induce(const suffix_string& text, const suffix_pairs& pairs, std::span<Index> sa,
            const run_options& run) {
  inducer<Index> all(text, pairs, sa, run);
  all.put_stars();
  all.induce_rising();
  all.induce_falling();
}

template void induce(const suffix_string&, const suffix_pairs&, std::span<std::uint32_t>, const run_options&);
template void induce(const suffix_string&, const suffix_pairs&, std::span<std::uint64_t>, const run_options&);

} // namespace weft::bwt_detail
