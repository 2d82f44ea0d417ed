// What FASTA and FASTQ files hold, in a fixed amount of memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <weft/io/alphabet_guess.hpp>
#include <weft/io/byte_source.hpp>

namespace weft::cli {

// Counts over the records of a file.
struct sequence_summary {
  bool fastq = false;
  std::uint64_t num_records = 0, num_residues = 0;
  std::uint64_t shortest = 0, longest = 0; // residues of a record; 0 without records
  std::string longest_name;                // of the first record that is as long; at most 1 MiB of it
  std::array<std::uint64_t, 256> counts{}; // of each residue, by its byte
  io::alphabet_guess guess;
};

// Reads sequences to their end. A record of FASTA may be of any size: memory is a buffer and a name. A record
// of FASTQ is held whole: memory_error if it has more than `max_record` residues. Progress goes to monitor(),
// in bytes. O(bytes). Throws parse_error as io::sequence_reader does, and io_error.
[[nodiscard]] sequence_summary summarise_sequences(std::unique_ptr<io::byte_source> source, bool fastq,
                                                   std::uint64_t max_record);

} // namespace weft::cli
