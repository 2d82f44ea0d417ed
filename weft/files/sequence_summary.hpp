// Summarises FASTA and FASTQ files in a fixed amount of memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <weft/base/monitor.hpp>
#include <weft/io/alphabet_guess.hpp>
#include <weft/io/byte_source.hpp>

namespace weft::files {

// The counts over all records of a file.
struct sequence_summary {
  bool fastq = false;
  std::uint64_t num_records = 0, num_residues = 0;
  std::uint64_t shortest = 0,
                longest = 0; // residues of the shortest and the longest record; 0 without records
  std::string longest_name;  // name of the first of the longest records; at most 1 MiB of it
  std::array<std::uint64_t, 256> counts{}; // number of each residue, indexed by its byte
  io::alphabet_guess guess;
};

// Reads sequences to their end and returns their summary. A record of FASTA may have any size, because only a
// buffer and a name are in memory. A record of FASTQ is in memory as a whole; throws memory_error if it has
// more than `max_record` residues. Adds the bytes read to `monitor`, which may be null. O(bytes). Throws
// parse_error like io::sequence_reader, and io_error.
[[nodiscard]] sequence_summary summarise_sequences(std::unique_ptr<io::byte_source> source, bool fastq,
                                                   std::uint64_t max_record, task_monitor* monitor = nullptr);

} // namespace weft::files
