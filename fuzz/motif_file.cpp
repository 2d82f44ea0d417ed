// Reads PROSITE flat files and pattern lists. Checks that nothing crashes and that every pattern character
// knows its position.
#include <cstdlib>
#include <span>
#include <weft/base/error.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/scan/motif.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto source = weft::io::memory_bytes({reinterpret_cast<const char*>(bytes), size}, "fuzz");
  try {
    for (const weft::io::motif_record& record : weft::io::read_motifs(*source).records) {
      if (record.pattern.empty() || (record.line != 0 && record.positions.size() < record.pattern.size()))
        std::abort();
      weft::motif m;
      weft::motif_fault fault;
      if (!weft::parse_motif(record.pattern, {}, m, fault) &&
          (fault.column == 0 || fault.column > record.pattern.size() + 1))
        std::abort();
    }
  } catch (const weft::error&) {
  }
  return 0;
}
