// The automata of nfa-array and shift-and as one thread runs them for its motif. Each automaton is a type
// with these functions:
//   load   loads the motif's constants and sets the state to no active positions
//   step   processes one entry of the tile's text: the offset of the mask row of the residue's code, or 0 for
//          the border of two sequences
#pragma once

#include <cstddef>
#include <cstdint>
#include <weft/scan/core/nfa_classes.hpp>
#include <weft/scan/core/shift_and.hpp>

namespace weft::scan_detail {

template <class T> struct strided {
  T* first;
  std::size_t step;
  WEFT_HOST_DEVICE T& operator[](int i) const { return first[static_cast<std::size_t>(i) * step]; }
};

// The motif of a thread: thread `t` of group `group` of a class.
struct lane_context {
  const nfa_class_view* motifs;
  std::size_t group;
  unsigned t;
  // Memory for the states of all threads of the block, scratch_bytes() bytes.
  unsigned char* state;
};

// Returns the words of a mask row for one thread. `row`: the row's offset in bytes.
template <class Word>
WEFT_HOST_DEVICE inline strided<const Word> row_words(const unsigned char* rows, std::uint32_t row,
                                                      std::size_t threads) {
  return {reinterpret_cast<const Word*>(rows + row), threads};
}

template <class Word>
WEFT_HOST_DEVICE inline strided<const Word> field_words(const lane_context& at, int field) {
  const nfa_class_view& motifs = *at.motifs;
  const std::size_t words = static_cast<std::size_t>(motifs.words);
  return {reinterpret_cast<const Word*>(motifs.fields) +
              (at.group * nfa_fields + static_cast<std::size_t>(field)) * words * motifs.threads + at.t,
          motifs.threads};
}

template <class Word>
WEFT_HOST_DEVICE inline std::size_t masks_bytes(const nfa_class_view& motifs) { // of a group
  return static_cast<std::size_t>(motifs.codes + 1) * static_cast<std::size_t>(motifs.words) *
         motifs.threads * sizeof(Word);
}

// shift-and with the state in Words registers. At the border of two sequences all masks are 0, which makes
// the state 0.
template <class Word_, int Words, nfa_kind Kind> struct bit_lane {
  using Word = Word_;
  static constexpr bool edges = Kind == nfa_kind::full, has_masks = true;
  static constexpr bool floods = Kind != nfa_kind::rigid;
  static constexpr int unrolled = sizeof(Word) * Words == 4 ? 16 : 8; // residues between tests for acceptance

  Word state[Words], entry[Words], accept[Words], before[Words], last[Words];
  Word repeats[Words], entry_first[Words], accept_last[Words]; // used by nfa_kind::full only

  WEFT_HOST_DEVICE static std::uint32_t row_bytes(const nfa_class_view& motifs) {
    return static_cast<std::uint32_t>(Words * motifs.threads * sizeof(Word));
  }
  WEFT_HOST_DEVICE static std::size_t scratch_bytes(const nfa_class_view&) { return 0; }

  WEFT_HOST_DEVICE void load(const lane_context& at) {
    load_field(at, field_entry, entry);
    load_field(at, field_accept, accept);
    if constexpr (floods) {
      load_field(at, field_before, before);
      load_field(at, field_last, last);
    }
    if constexpr (edges) {
      load_field(at, field_repeats, repeats);
      load_field(at, field_entry_first, entry_first);
      load_field(at, field_accept_last, accept_last);
    }
    WEFT_UNROLL
    for (int i = 0; i < Words; ++i) state[i] = 0;
  }

  // Processes one residue. A match ends with the residue if the result and accepting() have a bit in common.
  WEFT_HOST_DEVICE Word step(const strided<const Word>& accepts) {
    static_assert(!edges);
    consume(state, entry, no_bits{}, accepts, Words);
    if constexpr (floods) flood(state, before, last, Words);
    return Words == 1 ? state[0] : ending(accept);
  }
  WEFT_HOST_DEVICE Word accepting() const { return Words == 1 ? accept[0] : static_cast<Word>(~Word{0}); }

  // Processes one residue and returns whether a match ends with it. `is_first`, `is_last`: the residue is the
  // first, the last of its sequence.
  WEFT_HOST_DEVICE bool step(const unsigned char* rows, std::uint32_t row, std::size_t threads, bool is_first,
                             bool is_last) {
    Word enter[Words];
    WEFT_UNROLL
    for (int i = 0; i < Words; ++i) enter[i] = is_first ? entry_first[i] : entry[i];
    consume(state, enter, repeats, row_words<Word>(rows, row, threads), Words);
    flood(state, before, last, Words);
    return (is_last ? ending(accept_last) : ending(accept)) != 0;
  }

private:
  WEFT_HOST_DEVICE Word ending(const Word* which) const {
    Word all = 0;
    WEFT_UNROLL
    for (int i = 0; i < Words; ++i) all |= state[i] & which[i];
    return all;
  }
  WEFT_HOST_DEVICE static void load_field(const lane_context& at, int field, Word* to) {
    const strided<const Word> from = field_words<Word>(at, field);
    WEFT_UNROLL
    for (int i = 0; i < Words; ++i) to[i] = from[i];
  }
};

// shift-and for motifs of any length, with the state and the masks in memory.
struct longer_lane {
  using Word = std::uint64_t;
  static constexpr bool edges = true, has_masks = true;

  strided<Word> state;
  strided<const Word> entry, entry_first, before, last, repeats, accept, accept_last;
  int words;

  WEFT_HOST_DEVICE static std::uint32_t row_bytes(const nfa_class_view& motifs) {
    return static_cast<std::uint32_t>(static_cast<std::size_t>(motifs.words) * motifs.threads * sizeof(Word));
  }
  WEFT_HOST_DEVICE static std::size_t scratch_bytes(const nfa_class_view& motifs) {
    return row_bytes(motifs);
  }

  WEFT_HOST_DEVICE void load(const lane_context& at) {
    words = at.motifs->words;
    state = {reinterpret_cast<Word*>(at.state) + at.t, at.motifs->threads};
    entry = field_words<Word>(at, field_entry);
    entry_first = field_words<Word>(at, field_entry_first);
    before = field_words<Word>(at, field_before);
    last = field_words<Word>(at, field_last);
    repeats = field_words<Word>(at, field_repeats);
    accept = field_words<Word>(at, field_accept);
    accept_last = field_words<Word>(at, field_accept_last);
    for (int i = 0; i < words; ++i) state[i] = 0;
  }

  WEFT_HOST_DEVICE bool step(const unsigned char* rows, std::uint32_t row, std::size_t threads, bool is_first,
                             bool is_last) {
    consume(state, is_first ? entry_first : entry, repeats, row_words<Word>(rows, row, threads), words);
    flood(state, before, last, words);
    const strided<const Word>& which = is_last ? accept_last : accept;
    Word all = 0;
    for (int i = 0; i < words; ++i) all |= state[i] & which[i];
    return all != 0;
  }
};

// nfa-array, with the sets, the flags, and the old and the new state of each position in arrays of integers.
// The offset of a code's row is the code itself.
struct array_lane {
  using Word = std::uint32_t;
  static constexpr bool edges = true, has_masks = false;

  strided<const Word> fields;
  strided<Word> now, next; // element p: whether state p is active
  int positions, set_words;
  bool anchor_begin, anchor_end;

  WEFT_HOST_DEVICE static std::uint32_t row_bytes(const nfa_class_view&) { return 1; }
  WEFT_HOST_DEVICE static std::size_t scratch_bytes(const nfa_class_view& motifs) {
    return 2 * (static_cast<std::size_t>(motifs.words) + 1) * motifs.threads * sizeof(Word);
  }

  WEFT_HOST_DEVICE void load(const lane_context& at) {
    const nfa_class_view& motifs = *at.motifs;
    const std::size_t max_positions = static_cast<std::size_t>(motifs.words), threads = motifs.threads;
    set_words = static_cast<int>(array_set_words(motifs.codes));
    const std::size_t first = at.group * (1 + max_positions * static_cast<std::size_t>(set_words + 1));
    fields = {reinterpret_cast<const Word*>(motifs.fields) + first * threads + at.t, threads};
    positions = static_cast<int>(fields[0] / 4);
    anchor_begin = (fields[0] & array_anchor_begin) != 0;
    anchor_end = (fields[0] & array_anchor_end) != 0;
    now = {reinterpret_cast<Word*>(at.state) + at.t, threads};
    next = {now.first + (max_positions + 1) * threads, threads};
    for (int p = 0; p <= positions; ++p) now[p] = next[p] = 0;
  }

  WEFT_HOST_DEVICE bool step(const unsigned char*, std::uint32_t code, std::size_t, bool is_first,
                             bool is_last) {
    const int word = static_cast<int>(code / 32);
    // `reached`: whether state p - 1 is active, or can be reached at the start of a match by skipping
    // positions.
    Word reached = is_first || !anchor_begin;
    Word entered = reached;
    for (int p = 1; p <= positions; ++p) {
      const Word is = flags(p), old = now[p];
      const Word from = reached | ((is & array_repeats) != 0 ? old : 0);
      next[p] = from & (fields[position(p) + 1 + word] >> (code % 32) & 1);
      entered &= static_cast<Word>((is & (array_optional | (is_first ? array_optional_first : 0))) != 0);
      reached = old | entered;
    }
    for (int p = 2; p <= positions; ++p) // skips optional positions, from states reached by residues
      if ((flags(p) & array_optional) != 0) next[p] |= next[p - 1];
    const strided<Word> old = now;
    now = next;
    next = old;
    return accepted(is_last);
  }

private:
  WEFT_HOST_DEVICE int position(int p) const { return 1 + (p - 1) * (set_words + 1); }
  WEFT_HOST_DEVICE Word flags(int p) const { return fields[position(p)]; }
  WEFT_HOST_DEVICE bool accepted(bool is_last) const {
    if (anchor_end && !is_last) return false;
    for (int p = positions; p > 0; --p) {
      if (now[p] != 0) return true;
      if ((flags(p) & (array_optional | (is_last ? array_optional_last : 0))) == 0) return false;
    }
    return false;
  }
};

} // namespace weft::scan_detail
