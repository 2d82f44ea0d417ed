// The sequences of a scan, dealt out to the ranks of a job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <weft/files/ranks/chunk_dealer.hpp>
#include <weft/files/scan/scan_input.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// A rank_input gives each rank of a job its share of the records of some files. Records come in rounds: in
// each round, every rank gets one chunk, rank 0 the first records, rank 1 the next ones, and so on. So the
// results of all ranks in the order of rounds, and of ranks within a round, are in the order of the records.
// All ranks get as many chunks; some have no records.
//
// If all files are plain FASTA files that every rank can read, each rank maps them and reads its pieces:
// piece i of a file, which has the records that begin in bytes [i * size, (i + 1) * size), belongs to rank i
// modulo the number of ranks. Otherwise, for standard input, compressed files and FASTQ, rank 0 reads the
// records and sends each rank its chunks. An error of the input is the one that a single rank would report.
class rank_input : public scan_input {
public:
  // All ranks construct it together, with the arguments of scan_input.
  rank_input(multi::communicator& ranks, std::vector<std::string> files, std::uint64_t memory,
             std::uint64_t max_record, task_monitor* monitor);

  void before_long_records(std::uint64_t residues, std::function<void()> wait) override;
  // Rank 0 guesses for all. All ranks call it together, before the first read().
  [[nodiscard]] io::alphabet_guess guess_alphabet() override;
  void read_ahead(std::uint64_t, std::uint64_t, std::uint64_t, const std::function<bool()>&) override {}
  [[nodiscard]] bool read(io::sequence_chunk& chunk, std::uint64_t residues, std::uint64_t strands) override;
  void stop() noexcept override;

private:
  [[nodiscard]] bool can_cut() const;
  void agree_on_sizes(std::uint64_t residues);
  // Reads the piece of this rank in the next round. Returns false at the end of the last file.
  bool read_piece(io::sequence_chunk& chunk);
  void parse_piece(std::span<const char> bytes, io::sequence_chunk& chunk);
  // Starts to deal out the records that rank 0 reads.
  void start_dealing(std::uint64_t residues, std::uint64_t strands);

  std::vector<std::string> files_;
  std::uint64_t memory_, max_record_;
  std::unique_ptr<multi::communicator> ranks_;
  bool is_cut_ = false, has_begun_ = false;
  std::uint64_t long_record_ = ~std::uint64_t{0};
  std::function<void()> wait_;
  // For files that are cut: the residues of a piece at the most, the current file and its next round.
  std::uint64_t max_piece_ = 0, round_ = 0;
  std::size_t next_ = 0;
  std::optional<io::mapped_file> file_;
  chunk_dealer<io::sequence_chunk> dealer_; // for files that are not cut
};

} // namespace weft::files
