// Sorts numbers, and computes the order that sorts them.
// prints: -0 1.5 2
// prints: order: 1 2 0
#include <cstdio>
// example-begin
#include <weft/sort/sort.hpp>

void print_sorted() {
  std::vector<double> values = {2, -0.0, 1.5};
  const std::vector<std::uint64_t> order = weft::argsort(values); // values[order[0]] is the least
  weft::sort(values);                                             // any type, any comparator, all processors
  std::printf("%g %g %g\n", values[0], values[1], values[2]);
  std::printf("order: %d %d %d\n", static_cast<int>(order[0]), static_cast<int>(order[1]),
              static_cast<int>(order[2]));
}
// example-end

int main() { print_sorted(); }
