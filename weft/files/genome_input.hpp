// Reads the records of a genome within a limit on memory.
#pragma once

#include <cstdint>
#include <string>
#include <weft/files/find/index_files.hpp>

namespace weft::files {

// What to do with gaps of an alignment, '-' and '.'.
enum class gap_rule { refuse, remove };

// How a genome is read.
struct genome_reading {
  gap_rule gaps = gap_rule::remove;
  std::uint64_t memory = 0;           // bytes for the letters and for the work on them
  std::uint64_t bytes_per_letter = 1; // that both need, at least 1
  int threads = 0;                    // 0: all
};

// The records of a genome.
struct genome_input {
  reference_set records;
  std::uint64_t removed_gaps = 0;
};

// Reads all records of a FASTA or FASTQ file ("-": standard input). Throws memory_error as soon as it is
// clear that the genome needs more than `how.memory` bytes; error(invalid_input) if there is no letter, if
// the letters are not DNA, or for a gap with gap_rule::refuse; and the errors of the reader.
[[nodiscard]] genome_input read_genome(const std::string& path, const genome_reading& how);

// Throws error(invalid_input) if two records have the same name, or a record has none. O(records).
void require_unique_names(const reference_set& records, const std::string& path);

} // namespace weft::files
