// The cells that core/bit_sliced_step.hpp explains. That header includes this file once for integers, and
// the kernels include it once for each instruction set, because a function is compiled for the instructions
// in force where it is defined. `words` is the number of words of v, and also of h.
struct lcs_cell {
  static constexpr int words = 1;
  template <class Ops, class Word>
  WEFT_HOST_DEVICE [[gnu::always_inline]] static inline void step(Word* v, Word* h, Word s) {
    const Word down = Ops::or_and_not(v[0], s, h[0]);
    h[0] = Ops::or_and_not(h[0], s, v[0]);
    v[0] = down;
  }
  // Computes two rows. The h that leaves is (h & ~(v0 | v1)) | lone, where `lone` is what would leave if no
  // h entered. So a chain of rows waits for one operation in two rows instead of two.
  template <class Ops, class Word>
  WEFT_HOST_DEVICE [[gnu::always_inline]] static inline void two_steps(Word* v, Word* h, Word s0, Word s1) {
    const Word lone = Ops::or_and_not(Ops::and_not(s0, v[0]), s1, v[1]), either = Ops::or_(v[0], v[1]);
    const Word between = Ops::or_and_not(h[0], s0, v[0]);
    v[0] = Ops::or_and_not(v[0], s0, h[0]);
    v[1] = Ops::or_and_not(v[1], s1, between);
    h[0] = Ops::and_not_or(h[0], either, lone);
  }
};

struct edit_cell { // index 0: plus, index 1: minus
  static constexpr int words = 2;
  template <class Ops, class Word>
  WEFT_HOST_DEVICE [[gnu::always_inline]] static inline void step(Word* v, Word* h, Word s) {
    const Word zero = Ops::or_(s, v[1]); // leaves out h-, so that it need not wait for h-
    const Word not_plus = Ops::or_(zero, v[0]);
    const Word v_plus = Ops::or_nor(h[1], zero, h[0]);
    const Word h_plus = Ops::or_nor(v[1], not_plus, h[1]);
    v[1] = Ops::or_and(zero, h[1], h[0]);
    h[1] = Ops::or_and(zero, h[1], v[0]);
    v[0] = v_plus;
    h[0] = h_plus;
  }
};

// The same cell in five operations after the match instead of six; plus waits for two of them. Meant for
// processors that are short of operations, not of independent operations. (On a CPU with AVX-512 it is 5 %
// slower.)
struct short_edit_cell {
  template <class Ops, class Word>
  WEFT_HOST_DEVICE [[gnu::always_inline]] static inline void step(Word* v, Word* h, Word s) {
    const Word zero = Ops::or3(s, v[1], h[1]);
    const Word v_plus = Ops::or_nor(h[1], zero, h[0]), v_minus = Ops::or_and(s, v[1], h[0]);
    const Word h_plus = Ops::or_nor(v[1], zero, v[0]), h_minus = Ops::or_and(s, h[1], v[0]);
    v[0] = v_plus, v[1] = v_minus;
    h[0] = h_plus, h[1] = h_minus;
  }
};
