// Reads FASTA and FASTQ, plain or compressed. Checks that nothing crashes and that the records, or the
// failure, do not depend on the size of the chunks or of the steps in which the input arrives.
#include <cstdlib>
#include <span>
#include <string>
#include <weft/base/error.hpp>
#include <weft/io/sequence_reader.hpp>

namespace {

std::string outcome(std::span<const char> data, std::uint64_t chunk_size, std::size_t step) {
  std::string text;
  try {
    weft::io::sequence_reader reader(weft::io::memory_bytes(data, "fuzz", step));
    weft::io::sequence_chunk chunk;
    while (reader.read(chunk, chunk_size)) {
      if (chunk.offsets.size() != chunk.count() + 1 || chunk.offsets.back() != chunk.residues.size())
        std::abort();
      for (std::uint64_t i = 0; i < chunk.count(); ++i)
        (((text += chunk.names[i]) += '\n') += chunk.sequence(i)) += '\n';
      if (text.size() > (std::size_t{1} << 24)) return text; // a small file may decompress to a large one
    }
  } catch (const weft::error&) {
    return "fails"; // libzstd describes the same damage differently if the input arrives in other steps
  }
  return text;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::span<const char> data(reinterpret_cast<const char*>(bytes), size);
  const std::string expected = outcome(data, 1, 0);
  if (outcome(data, 1000, 0) != expected || outcome(data, 1, 1) != expected) std::abort();
  return 0;
}
