#include <weft/io/alphabet_guess.hpp>

namespace weft::io {

void alphabet_guess::add(std::string_view residues) noexcept {
  for (const char c : residues) {
    if (is_full()) return;
    const char upper = static_cast<char>(c & ~0x20);
    if (upper < 'A' || upper > 'Z') continue;
    ++num_letters_;
    if (std::string_view("ACGTUN").find(upper) != std::string_view::npos) ++num_nucleotides_;
  }
}

} // namespace weft::io
