#include <weft/scan/cpu/bit_automaton.hpp>

namespace weft::scan_detail {

struct backward_matcher::state {
  explicit state(const motif& m) : nfa(m, true), automaton(nfa) {}
  linear_nfa nfa;
  bit_automaton automaton;
};

backward_matcher::backward_matcher(const motif& m) : state_(std::make_unique<state>(m)) {}
backward_matcher::~backward_matcher() = default;
backward_matcher::backward_matcher(backward_matcher&&) noexcept = default;

std::uint64_t backward_matcher::operator()(std::string_view text, bool whole) {
  state_->automaton.reset();
  for (std::uint64_t i = text.size(); i-- > 0;) {
    const bool first = i + 1 == text.size(); // from the right, matches begin only here
    if (state_->automaton.step(static_cast<unsigned char>(text[i]), first && whole, i == 0, first))
      return text.size() - i;
  }
  return 0;
}

} // namespace weft::scan_detail
