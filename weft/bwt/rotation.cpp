#include <weft/bwt/rotation.hpp>

#include <algorithm>

namespace weft::detail {

// Two candidates i < j for the start, equal for k bytes: on a difference the greater one, and every start in
// the k bytes behind it, is out.
std::uint64_t least_rotation(std::string_view text) noexcept {
  const std::uint64_t n = text.size();
  std::uint64_t i = 0, j = 1, k = 0;
  while (i < n && j < n && k < n) {
    const auto a = static_cast<unsigned char>(text[i + k < n ? i + k : i + k - n]);
    const auto b = static_cast<unsigned char>(text[j + k < n ? j + k : j + k - n]);
    if (a == b) {
      ++k;
      continue;
    }
    (a > b ? i : j) += k + 1;
    if (i == j) ++j;
    k = 0;
  }
  return std::min(i, j);
}

// For a divisor d of n the text is a power of its first d bytes if and only if
// text[0 .. n - d) = text[d .. n). With d and e so does their greatest common divisor: each prime of n can be
// taken off on its own.
std::uint64_t shortest_root(std::string_view text) {
  const std::uint64_t n = text.size();
  std::uint64_t root = n;
  const auto take_off = [&](std::uint64_t prime) {
    while (root % prime == 0 && text.substr(root / prime) == text.substr(0, n - root / prime)) root /= prime;
  };
  std::uint64_t left = n; // without the primes seen
  for (std::uint64_t d = 2; d * d <= left; ++d) {
    if (left % d != 0) continue;
    take_off(d);
    while (left % d == 0) left /= d;
  }
  if (left > 1) take_off(left);
  return root;
}

} // namespace weft::detail
