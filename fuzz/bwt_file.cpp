// Reads .wbwt files without a crash. A file that was read is written back as the same bytes, and its
// transform is inverted to a text with that transform or refused. The rest of the input is treated the same
// way as a raw transform, with any primary index.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/io/bwt_file.hpp>

namespace {

void invert(std::string_view bytes, std::uint64_t primary_index, weft::bwt_form form) {
  std::string text;
  try {
    text = weft::inverse_bwt(bytes, primary_index, form, {.run = {.threads = 1}});
  } catch (const weft::error&) {
    return;
  }
  if (weft::bwt(text, form) != weft::bwt_text{std::string(bytes), primary_index, form}) std::abort();
}

// Returns the bytes of the file that write_bwt_file writes for `content`.
std::string written(const weft::io::bwt_file& content) {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("weft-fuzz-" + std::to_string(getpid()) + ".wbwt")).string();
  weft::io::output_file out(path);
  weft::io::write_bwt_file(out, content);
  out.commit();
  const auto source = weft::io::open_bytes(path);
  std::string bytes = weft::io::read_all(*source);
  std::filesystem::remove(path);
  return bytes;
}

void read(std::span<const char> data) {
  weft::io::bwt_file file;
  try {
    const auto source = weft::io::memory_bytes(data, "fuzz", 0);
    file = weft::io::read_bwt_file(*source);
  } catch (const weft::error&) {
    return;
  }
  const std::string_view given(data.data(), data.size());
  // otherwise the file was compressed
  if (given.substr(0, 1) == "\x89" && written(file) != given) std::abort();
  invert(file.bytes, file.primary_index, static_cast<weft::bwt_form>(file.form));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::span<const char> data(reinterpret_cast<const char*>(bytes), size);
  read(data);
  if (size < 2) return 0;
  std::uint16_t index = 0;
  std::memcpy(&index, bytes, sizeof(index));
  const std::string_view rest(data.data() + 2, size - 2);
  const auto rows = static_cast<std::uint16_t>(rest.size() + 2);
  for (const weft::bwt_form form : {weft::bwt_form::sentinel, weft::bwt_form::rotation})
    invert(rest, index % rows, form);
  return 0;
}
