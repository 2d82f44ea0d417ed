// The division of the memory of a scan of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <weft/scan/scanner.hpp>

namespace weft::files {

// About how many bytes of text slice_writer formats together in a block.
inline constexpr std::size_t block_bytes = std::size_t{1} << 19;

// The shares into which the memory of a scan is divided.
struct scan_memory {
  // What each thread of the CPU takes that scans chunks of its own.
  struct worker_share {
    int workers;            // number of such threads
    std::uint64_t residues; // residues of a chunk of whole records
    // A record of more residues than the first number is scanned alone, on all threads, if it is a large part
    // of the input; one of more residues than the second number always is.
    std::uint64_t min_long_record, max_long_record;
    part_limits parts;
    std::size_t max_matches; // matches that wait to be sorted
    std::size_t text_bytes;  // text of a chunk that is formatted before its turn to be written
  } each;
  // What one chunk after another takes that is scanned on all threads, or on a GPU.
  std::uint64_t first_residues,
      max_residues;             // residues of the first chunk of whole records for a GPU, and of any
  std::uint64_t max_read_ahead; // residues that may be read before the scan begins
  part_limits parts;
  std::size_t max_matches;         // matches that wait to be sorted
  std::size_t num_blocks;          // blocks of text of a chunk that are formatted or wait to be written
  std::uint64_t limit, max_record; // limit: bytes of all memory; max_record: residues of a record; 0: none
};

// Divides a limit on memory (0: the user set none). `copies` is the number of times that each residue of a
// long record is in memory.
[[nodiscard]] scan_memory divide_memory(std::uint64_t limit, int threads, std::uint64_t copies);

// Makes every chunk have about so many residues (for tests).
void set_chunk_residues(scan_memory& memory, std::uint64_t residues);

} // namespace weft::files
