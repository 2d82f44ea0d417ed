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
};

struct edit_cell { // [0]: plus, [1]: minus
  static constexpr int words = 2;
  template <class Ops, class Word>
  WEFT_HOST_DEVICE [[gnu::always_inline]] static inline void step(Word* v, Word* h, Word s) {
    const Word zero = Ops::or3(s, v[1], h[1]);
    const Word v_plus = Ops::or_neither(h[1], zero, h[0]);
    const Word h_plus = Ops::or_neither(v[1], zero, v[0]);
    v[1] = Ops::and_(zero, h[0]);
    h[1] = Ops::and_(zero, v[0]);
    v[0] = v_plus;
    h[0] = h_plus;
  }
};
