#include <cstdio>
#include <vector>
#include <weft/sort/sort.hpp>

int main() {
  std::vector<int> items = {3, 1, 2};
  weft::sort(items);
  std::printf("sorted %d %d %d\n", items[0], items[1], items[2]);
}
