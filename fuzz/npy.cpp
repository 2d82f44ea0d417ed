// Reads headers of .npy files. Checks that nothing crashes, that steps of any size give the same header, and
// that a header that was read survives writing.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <weft/base/error.hpp>
#include <weft/io/npy.hpp>

namespace {

std::optional<weft::io::npy_array> read(std::span<const char> data, std::size_t step) {
  try {
    return weft::io::read_npy_header(*weft::io::memory_bytes(data, "fuzz", step));
  } catch (const weft::error&) {
    return {};
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::span<const char> data(reinterpret_cast<const char*>(bytes), size);
  const auto array = read(data, 0), again = read(data, 1);
  if (array.has_value() != again.has_value()) std::abort();
  if (!array) return 0;
  const std::string header = weft::io::npy_header(*array);
  const auto back = read(header, 0);
  if (!back || back->type != array->type || back->count != array->count || again->count != array->count)
    std::abort();
  return 0;
}
