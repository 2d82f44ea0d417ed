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
//
// The free slots of a letter follow one another: in the first pass from the end of its bucket down, except
// that the stars of (a, b) lie between the slots of (a, b) and those before them; in the second pass from the
// begin of its bucket up. So only the pairs that stars begin with are listed, not all pairs of letters.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/suffix_stars.hpp>

namespace weft::bwt_detail {

namespace {

// Rows of a block that one thread reads. What it remembers of them fits in the cache next to its core.
constexpr std::uint64_t part_rows = std::uint64_t{1} << 16;
constexpr std::uint64_t single_rows = std::uint64_t{1} << 13; // of a block, if there is one thread
constexpr std::uint64_t min_block_rows = 20;                  // fewer rows are read one by one
constexpr std::uint64_t max_run_rows = 1024;                  // of one level
constexpr std::uint64_t min_parallel_rows = std::uint64_t{1} << 14;
constexpr std::uint64_t prefetched_rows = 32;
constexpr std::uint64_t max_run_before = std::uint64_t{1} << 22; // a call can be cancelled after so many rows

template <class Index> class inducer {
public:
  inducer(const suffix_string& text, const suffix_pairs<Index>& pairs, std::span<Index> sa,
          const run_options& run)
      : text_(text), letters_(pairs.letters), sa_(sa), run_(run),
        members_(static_cast<std::size_t>(thread_count(run.threads))), buckets_(letters_), slots_(letters_) {
    if (members_.size() > 1)
      for (member& each : members_) each.next.resize(letters_);
    put_stars(pairs);
  }

  void induce_rising() {
    for (unsigned a = 0; a < letters_; ++a) slots_[a] = buckets_[a].end;
    for (unsigned b = letters_; b-- > 0;) {
      std::uint64_t last = buckets_[b].end;
      slots_[b] = buckets_[b].rises_end; // of the run
      while (last > slots_[b]) {
        const std::uint64_t rows = std::min(last - slots_[b], block_rows());
        if (last <= buckets_[b].rises_end && rows <= max_run_rows) {
          last = finish_rising_runs(last, b);
        } else if (rows >= min_block_rows) {
          move_block(last - rows, last, true,
                     [&](auto counts, member& at, std::uint64_t begin, std::uint64_t end) {
                       find_rising(counts, at, begin, end, b);
                     });
          last -= rows;
        } else {
          induce_rising_row(--last, b);
        }
      }
      for (std::uint32_t k = buckets_[b].stars; k != none; k = star_lists_[k].next)
        slots_[star_lists_[k].letter] -= star_lists_[k].count;
    }
  }

  void induce_falling() {
    for (unsigned a = 0; a < letters_; ++a) slots_[a] = buckets_[a].begin;
    put_last_suffix();
    for (unsigned c = 0; c < letters_; ++c) {
      const bucket& of_c = buckets_[c];
      const std::uint64_t first = induce_falling_until(of_c.begin, slots_[c], of_c.falls_end, c);
      induce_falling_until(first, of_c.end, of_c.end, c);
    }
  }

private:
  static constexpr Index flag = Index{1} << (std::numeric_limits<Index>::digits - 1);

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // The rows of a letter: falling ones, those of runs last; then rising ones, those of runs first.
  struct bucket {
    std::uint64_t begin, falls_end, rises_end, end; // where runs of falling, and of rising suffixes, are put
    std::uint32_t stars; // the first of the list of stars whose second symbol is this letter
  };
  // The number of stars that begin with a letter and another one, and the next list of the latter.
  struct star_list {
    std::uint64_t count;
    std::uint32_t letter, next;
  };
  // A member remembers, for its part of a block, the suffixes to be put, their letters, and the next slot of
  // each letter (at first, their number).
  struct member {
    std::vector<std::uint16_t> letters;
    std::vector<Index> suffixes;
    std::vector<std::uint64_t> next;
    std::uint64_t count = 0;
  };

  [[nodiscard]] std::uint64_t letter_before(std::uint64_t i) const {
    return text_.two_before(i) & letter_mask();
  }
  // Returns how often letter b occurs in a row before symbol i, or max_run_before if it does more often.
  [[nodiscard]] std::uint64_t run_before(std::uint64_t i, unsigned b) const {
    const std::uint64_t bits = text_.bits(), letters = suffix_string::window_bits / bits;
    std::uint64_t run = 0, word = 0;
    for (std::uint64_t k = 0; k < letters; ++k) word = word << bits | b;
    const std::uint64_t end = std::min(i, max_run_before);
    while (run + letters <= end && text_.from((i - run - letters) * bits) >> (64 - letters * bits) == word)
      run += letters;
    while (run < end && letter_before(i - run) == b) ++run;
    return run;
  }
  [[nodiscard]] std::uint64_t letter_mask() const { return (std::uint64_t{1} << text_.bits()) - 1; }
  [[nodiscard]] std::uint64_t last_letter() const {
    return text_.from((text_.size() - 1) * text_.bits()) >> (64 - text_.bits());
  }
  [[nodiscard]] std::uint64_t block_rows() const {
    return members_.size() == 1 ? single_rows : part_rows * members_.size();
  }

  // Finds where the rows of each letter are, and moves the stars from the front of the array into their
  // slots. No star moves to the left, so the last ones are moved first.
  void put_stars(const suffix_pairs<Index>& pairs) {
    std::uint64_t row = text_.size(), end = pairs.num_stars;
    for (unsigned a = letters_; a-- > 0;) {
      bucket& of_a = buckets_[a];
      of_a.stars = none;
      of_a.end = row;
      for (unsigned b = letters_; b-- > a + 1;) {
        const std::uint64_t stars = pairs.count(a, b, false), others = pairs.count(a, b, true);
        row -= stars + others;
        if (stars == 0) continue;
        end -= stars;
        std::memmove(sa_.data() + row, sa_.data() + end, stars * sizeof(Index));
        star_lists_.push_back({stars, a, buckets_[b].stars});
        buckets_[b].stars = static_cast<std::uint32_t>(star_lists_.size() - 1);
      }
      of_a.rises_end = row;
      row -= pairs.count(a, a, false) + pairs.count(a, a, true);
      of_a.falls_end = row;
      for (unsigned b = 0; b < a; ++b) row -= pairs.count(a, b, false) + pairs.count(a, b, true);
      row -= std::uint64_t{a == last_letter()};
      of_a.begin = row;
    }
  }

  void put_last_suffix() {
    const std::uint64_t last = text_.size() - 1, letter = last_letter();
    sa_[slots_[letter]++] =
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

  // Reads the rows from `first` on up to `end`, which may grow meanwhile. Rows from `runs` on begin with the
  // letter c twice. Returns the end.
  std::uint64_t induce_falling_until(std::uint64_t first, const std::uint64_t& end, std::uint64_t runs,
                                     unsigned c) {
    while (first < end) {
      const std::uint64_t rows = std::min(end - first, block_rows());
      if (first >= runs && rows <= max_run_rows) {
        first = finish_falling_runs(first, c);
      } else if (rows >= min_block_rows) {
        move_block(first, first + rows, false,
                   [&](auto counts, member& at, std::uint64_t begin, std::uint64_t last) {
                     find_falling(counts, at, begin, last);
                   });
        first += rows;
      } else {
        induce_falling_row(first++);
      }
    }
    return first;
  }

  // Read the rows of runs of the letter b that are left, up to `last` and from `first` on: at most
  // max_run_rows, and those that are put in front of them, and behind them. A level of rows is put by the
  // level before, from which the runs that have ended are missing. Return where the rows end.
  std::uint64_t finish_rising_runs(std::uint64_t last, unsigned b) {
    std::array<std::uint64_t, max_run_rows> level;
    std::uint64_t row = last, free = slots_[b], count = last - free;
    for (std::uint64_t k = 0; k < count; ++k) level[k] = sa_[last - 1 - k];
    while (count > 0) {
      base_detail::check_cancelled(run_);
      if (count == 1) { // nearly all rows are of the longest run
        const std::uint64_t run = run_before(level[0], b);
        for (std::uint64_t k = 1; k <= run; ++k) sa_[free - k] = static_cast<Index>(level[0] - k);
        level[0] -= run;
        free -= run;
        row = free + 1;
      }
      std::uint64_t kept = 0;
      for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t i = level[k];
        --row;
        if (i == 0) continue;
        const std::uint64_t a = letter_before(i);
        if (a == b)
          sa_[--free] = static_cast<Index>(level[kept++] = i - 1);
        else if (a < b)
          sa_[--slots_[a]] = static_cast<Index>(i - 1);
        else
          sa_[row] = static_cast<Index>(i) | flag;
      }
      count = kept;
    }
    return slots_[b] = free;
  }
  std::uint64_t finish_falling_runs(std::uint64_t first, unsigned b) {
    std::array<std::uint64_t, max_run_rows> level;
    std::uint64_t free = slots_[b], count = 0;
    for (std::uint64_t row = first; row < free; ++row) {
      level[count] = sa_[row] & ~flag;
      count += std::uint64_t{(sa_[row] & flag) != 0};
      sa_[row] &= ~flag;
    }
    while (count > 0) {
      base_detail::check_cancelled(run_);
      if (count == 1) { // nearly all rows are of the longest run
        // The last suffix is put below, because it depends on the symbol before it whether to go on.
        const std::uint64_t run = std::max<std::uint64_t>(1, run_before(level[0], b)) - 1;
        for (std::uint64_t k = 0; k < run; ++k) sa_[free + k] = static_cast<Index>(level[0] - 1 - k);
        level[0] -= run;
        free += run;
      }
      std::uint64_t kept = 0;
      for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t i = level[k], two = text_.two_before(i), a = two & letter_mask(),
                            before = two >> text_.bits();
        const bool go_on = i > 1 && before >= a;
        if (a != b) {
          sa_[slots_[a]++] = static_cast<Index>(i - 1) | (go_on ? flag : Index{0});
          continue;
        }
        sa_[free++] = static_cast<Index>(i - 1);
        level[kept] = i - 1;
        kept += std::uint64_t{go_on};
      }
      count = kept;
    }
    return slots_[b] = free;
  }

  // Reads the rows [first, last) by find(counts, member, begin, end) in parts, and puts what was found into
  // slots that follow one another backward or forward. If there are several parts, `counts` is true_type.
  template <class Find>
  void move_block(std::uint64_t first, std::uint64_t last, bool backward, const Find& find) {
    base_detail::check_cancelled(run_);
    const std::uint64_t rows = last - first;
    const std::uint64_t parts = rows < min_parallel_rows ? 1 : members_.size(),
                        each = (rows + parts - 1) / parts;
    const auto put = [&](member& at, std::uint64_t* next) {
      if (backward)
        put_rising(at, next);
      else
        put_falling(at, next);
    };
    for (std::uint64_t part = 0; part < parts; ++part) {
      members_[part].letters.resize(std::max(each, members_[part].letters.size()));
      members_[part].suffixes.resize(std::max(each, members_[part].suffixes.size()));
    }
    if (parts == 1) {
      find(std::false_type(), members_[0], first, last);
      return put(members_[0], slots_.data());
    }
    run_parts(parts, [&](std::uint64_t part) {
      member& at = members_[part];
      std::fill(at.next.begin(), at.next.end(), 0);
      find(std::true_type(), at, first + std::min(rows, part * each),
           first + std::min(rows, (part + 1) * each));
    });
    for (unsigned letter = 0; letter < letters_; ++letter)
      for (std::uint64_t k = 0; k < parts; ++k) {
        std::uint64_t& next = members_[backward ? parts - 1 - k : k].next[letter];
        const std::uint64_t count = std::exchange(next, slots_[letter]);
        slots_[letter] += backward ? ~count + 1 : count;
      }
    run_parts(parts, [&](std::uint64_t part) { put(members_[part], members_[part].next.data()); });
  }
  template <class Body> void run_parts(std::uint64_t parts, const Body& body) {
    team_.run(static_cast<int>(parts), [&](int part) { body(static_cast<std::uint64_t>(part)); });
  }

  // Finds the suffixes before rising suffixes of letter b that have a letter of at most b before them. Marks
  // the rows of the others.
  template <class Counts>
  void find_rising(Counts, member& at, std::uint64_t begin, std::uint64_t end, unsigned b) {
    const std::uint64_t bits = text_.bits(), mask = letter_mask();
    std::uint64_t count = 0;
    for (std::uint64_t row = end; row-- > begin;) {
      text_.prefetch(sa_[row - std::min(row - begin, prefetched_rows)] * bits);
      const std::uint64_t i = sa_[row];
      const std::uint64_t a = text_.two_before(i) & mask;
      at.suffixes[count] = static_cast<Index>(i - 1);
      at.letters[count] = static_cast<std::uint16_t>(a);
      const bool put = i != 0 && a <= b;
      if constexpr (Counts::value) at.next[a] += std::uint64_t{put};
      count += std::uint64_t{put};
      sa_[row] = static_cast<Index>(i) | (i != 0 && a > b ? flag : Index{0});
    }
    at.count = count;
  }
  void put_rising(const member& at, std::uint64_t* next) {
    for (std::uint64_t k = 0; k < at.count; ++k) sa_[--next[at.letters[k]]] = at.suffixes[k];
  }

  // Finds the suffixes before marked rows, and takes the marks away.
  template <class Counts> void find_falling(Counts, member& at, std::uint64_t begin, std::uint64_t end) {
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
      if constexpr (Counts::value) ++at.next[a];
    }
  }
  void put_falling(const member& at, std::uint64_t* next) {
    for (std::uint64_t k = 0; k < at.count; ++k) sa_[next[at.letters[k]]++] = at.suffixes[k];
  }

  const suffix_string& text_;
  unsigned letters_;
  std::span<Index> sa_;
  const run_options& run_;
  std::vector<member> members_;
  std::vector<bucket> buckets_;
  std::vector<std::uint64_t> slots_; // where the next suffix of each letter is put
  std::vector<star_list> star_lists_;
  kept_team team_;
};

} // namespace

template <class Index>
void induce(const suffix_string& text, const suffix_pairs<Index>& pairs, std::span<Index> sa,
            const run_options& run) {
  inducer<Index> all(text, pairs, sa, run);
  all.induce_rising();
  all.induce_falling();
}

template void induce(const suffix_string&, const suffix_pairs<std::uint32_t>&, std::span<std::uint32_t>,
                     const run_options&);
template void induce(const suffix_string&, const suffix_pairs<std::uint64_t>&, std::span<std::uint64_t>,
                     const run_options&);

} // namespace weft::bwt_detail
