// Parses key specifications and sorts by them. The input is the specification up to the first newline, then
// lines. Checks that nothing crashes, that a bad specification is an error, that lines compare as a strict
// weak order, and that sorting gives that order.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/sort/line_order.hpp>
#include <weft/sort/line_sort.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view data(reinterpret_cast<const char*>(bytes), size);
  const std::size_t cut = std::min(data.find('\n'), data.size());
  std::string text(data.substr(std::min(cut + 1, data.size())));
  if (text.size() > 4000) return 0;
  try {
    const weft::line_order order({.stable = size % 2 == 0, .separator = size % 3 == 0 ? ',' : -1},
                                 {std::string(data.substr(0, cut))});
    weft::line_sorter sorter(order, '\n',
                             {.run = {.device = {weft::device_kind::cpu}, .threads = 1, .memory = 1 << 20}});
    // the text is smaller than the free space
    std::memcpy(sorter.free_space().data(), text.data(), text.size());
    sorter.add(text.size());
    sorter.end_text();
    sorter.sort();
    std::string sorted;
    sorter.write([&](std::string_view lines) { sorted += lines; }, false);
    if (!text.empty() && text.back() != '\n') text += '\n';
    if (sorted.size() != text.size()) std::abort();
    std::vector<std::string_view> lines;
    for (std::string_view rest = sorted; !rest.empty(); rest.remove_prefix(lines.back().size() + 1))
      lines.push_back(rest.substr(0, rest.find('\n')));
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const int forward = order.compare(lines[i - 1], lines[i]),
                backward = order.compare(lines[i], lines[i - 1]);
      if (forward > 0 || (forward == 0) != (backward == 0)) std::abort();
    }
  } catch (const weft::error&) {
    return 0;
  }
  return 0;
}
