// Reads the records of genomes within a limit on memory.
#pragma once

#include <cstdint>
#include <string>
#include <weft/files/find/index_files.hpp>

namespace weft::files {

// What to do with gaps of an alignment, '-' and '.':
//   refuse  a gap is an error, because positions of the records would not be those of the file
//   remove  gaps are left out, and counted
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
  reference_set records;          // letters in the case in which they were read
  std::uint64_t removed_gaps = 0; // with gap_rule::remove: number of gaps that are not among the letters
};

// Reads all records of a FASTA or FASTQ file ("-": standard input). Throws memory_error as soon as it is
// clear that the genome needs more than `how.memory` bytes; error(invalid_input) if there is no letter, if
// the letters are not DNA, or for a gap with gap_rule::refuse; and the errors of the reader.
[[nodiscard]] genome_input read_genome(const std::string& path, const genome_reading& how);

// Throws error(invalid_input) if two records have the same name, or a record has none. O(records).
void require_unique_names(const reference_set& records, const std::string& path);

// The two genomes of a comparison.
struct genome_pair {
  genome_input a, b;

  [[nodiscard]] std::uint64_t size_in_memory() const {
    return a.records.size_in_memory() + b.records.size_in_memory();
  }
};

// Reads the genomes that compare_genomes() compares. `memory` is the limit on the letters and the comparison
// together (0: memory_limit(0)). A gap in A is an error, and so are records of A without a name or with the
// same one, because the positions and names of A are those of the output. Throws as the functions above.
[[nodiscard]] genome_pair read_genome_pair(const std::string& a_path, const std::string& b_path,
                                           std::uint64_t memory, int threads);

} // namespace weft::files
