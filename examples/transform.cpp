// Computes a Burrows-Wheeler transform, inverts it, and computes a suffix array.
// prints: annbaa 4 banana
// prints: least suffix at 5, greatest at 2
#include <cstdio>
// example-begin
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/suffix_array.hpp>

void print_transform() {
  const weft::bwt_text transformed = weft::bwt("banana");
  std::printf("%s %d %s\n", transformed.bytes.c_str(), static_cast<int>(transformed.primary_index),
              weft::inverse_bwt(transformed).c_str());
  const std::vector<std::uint32_t> sa = weft::suffix_array("banana");
  std::printf("least suffix at %d, greatest at %d\n", static_cast<int>(sa.front()),
              static_cast<int>(sa.back()));
}
// example-end

int main() { print_transform(); }
