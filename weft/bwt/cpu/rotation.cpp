#include <weft/bwt/cpu/rotation.hpp>

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

// For a divisor d of n the text is a power of its first d bytes if and only if text[0 .. n - d) = text[d ..
// n).
std::uint64_t shortest_root(std::string_view text) {
  const std::uint64_t n = text.size();
  std::uint64_t best = n;
  for (std::uint64_t d = 1; d * d <= n; ++d)
    if (n % d == 0)
      for (const std::uint64_t root : {d, n / d})
        if (root < best && text.substr(root) == text.substr(0, n - root)) best = root;
  return best;
}

} // namespace weft::detail
