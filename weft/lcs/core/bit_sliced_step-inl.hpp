// The cells of core/bit_sliced_step.hpp, which explains them. Included there for integers, and once for each
// instruction set by the kernels: a function is compiled for the instructions in force where it is defined.
// words: of v and of h.
struct lcs_cell {
  static constexpr int words = 1;
  template <class Ops, class Word>
  WEFT_HOST_DEVICE [[gnu::always_inline]] static inline void step(Word* v, Word* h, Word s) {
    const Word down = Ops::or_but(v[0], s, h[0]);
    h[0] = Ops::or_but(h[0], s, v[0]);
    v[0] = down;
  }
  // Two rows. The h that leaves is (h & ~(v0 | v1)) | lone, with lone what would leave if none entered: a
  // chain of rows waits for one operation in two rows, not two.
  template <class Ops, class Word>
  WEFT_HOST_DEVICE [[gnu::always_inline]] static inline void two_steps(Word* v, Word* h, Word s0, Word s1) {
    const Word lone = Ops::or_but(Ops::but(s0, v[0]), s1, v[1]), either = Ops::or_(v[0], v[1]);
    const Word between = Ops::or_but(h[0], s0, v[0]);
    v[0] = Ops::or_but(v[0], s0, h[0]);
    v[1] = Ops::or_but(v[1], s1, between);
    h[0] = Ops::but_or(h[0], either, lone);
  }
};

struct edit_cell { // [0]: plus, [1]: minus
  static constexpr int words = 2;
  template <class Ops, class Word>
  WEFT_HOST_DEVICE [[gnu::always_inline]] static inline void step(Word* v, Word* h, Word s) {
    const Word zero = Ops::or_(s, v[1]); // without h-, for which nobody need wait
    const Word not_plus = Ops::or_(zero, v[0]);
    const Word v_plus = Ops::or_neither(h[1], zero, h[0]);
    const Word h_plus = Ops::or_neither(v[1], not_plus, h[1]);
    v[1] = Ops::or_and(zero, h[1], h[0]);
    h[1] = Ops::or_and(zero, h[1], v[0]);
    v[0] = v_plus;
    h[0] = h_plus;
  }
};

// The same by five operations after the match, not six, of which plus waits for two: for processors that are
// short of operations, not of independent ones. (On a CPU with AVX-512 it is 5 % slower.)
struct short_edit_cell {
  template <class Ops, class Word>
  WEFT_HOST_DEVICE [[gnu::always_inline]] static inline void step(Word* v, Word* h, Word s) {
    const Word zero = Ops::or3(s, v[1], h[1]);
    const Word v_plus = Ops::or_neither(h[1], zero, h[0]), v_minus = Ops::or_and(s, v[1], h[0]);
    const Word h_plus = Ops::or_neither(v[1], zero, v[0]), h_minus = Ops::or_and(s, h[1], v[0]);
    v[0] = v_plus, v[1] = v_minus;
    h[0] = h_plus, h[1] = h_minus;
  }
};
