// The lines of files, sent to the ranks of a job by parts of their order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/files/lines/sort_files.hpp>
#include <weft/files/lines/sort_inputs.hpp>
#include <weft/files/ranks/line_cuts.hpp>
#include <weft/files/ranks/rank_blocks.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/sort/line_order.hpp>

namespace weft::files {

// A rank_lines is the text of the lines that belong to this rank, in the order of the input: those between
// two splitters. Lines that are equal to a splitter are cut at its position in the input, so that every rank
// gets about as many bytes, whatever the lines are; but for `unique`: then lines with equal keys go to one
// rank. The splitters (line_cuts.hpp) are found by all lines, if a rank has at most 2^18 of them and
// sample_memory is enough for them, and otherwise by as many as that allows, which are chosen at random. With
// 2^18 lines of each rank, the sizes of parts have a standard deviation of 0.2 %, so they are equal within a
// per cent or a line; with n lines, it is larger by the square root of 2^18 / n.
//
// The ranks work in rounds. In each round every rank takes a block of the input (rank_blocks.hpp), and sends
// each line to its rank. So what a rank receives, in the order of rounds and of sending ranks, is in the
// order of the input, and a stable sort of it is a part of the stable sort of all lines.
//
// Traffic of a rank, of p ranks: if the files are mapped, the bytes of its lines that belong to other ranks,
// so each line travels at most once; and 8 p bytes a round. If rank 0 reads the input, it first sends the
// blocks, so each line travels at most twice. Beside them, what find_splitters() sends, with up to 256 lines
// in a round, of which at most 4 KiB each. Memory: a block, what is sent of it, and what is received: up to p
// blocks if the input is sorted; before, twice sample_memory; and if rank 0 reads the input, the blocks of
// this rank that are in memory. Those that are not are written to temporary files and read again, once.
// O(bytes + lines log p) time.
class rank_lines {
public:
  // How lines are sent.
  struct settings {
    const line_order& order;
    rank_blocks::settings blocks = {};
    bool unique = false;
    std::uint64_t sample_memory = std::uint64_t{1} << 26; // for the lines by which the splitters are found
    int threads = 1;                                      // that look for the ranks of lines; 0: all
  };

  // All ranks construct it together. `inputs` and the order must outlive the object. Throws what
  // rank_blocks::sample() throws.
  rank_lines(multi::communicator& ranks, sort_inputs& inputs, const settings& how);

  // Returns the source of the lines of this rank, to be called once. All ranks read theirs until the end;
  // each read may exchange lines with the other ranks. The source must not outlive this object. If a read
  // throws, or a rank reads no further, communicator::fail() must be called before the object is destroyed.
  [[nodiscard]] std::unique_ptr<io::byte_source> open();
  // Returns the bytes of all lines of this rank so far.
  [[nodiscard]] std::uint64_t received_bytes() const noexcept { return received_bytes_; }
  // Returns how many bytes of memory the lines took that this rank had when the object was made.
  [[nodiscard]] std::uint64_t stored_bytes() const noexcept { return blocks_.stored_bytes(); }
  // Returns whether all ranks map the files. Otherwise rank 0 reads them.
  [[nodiscard]] bool is_mapped() const noexcept { return blocks_.is_mapped(); }

private:
  class source;
  // Bytes that follow one another in a block and go to one rank.
  struct run {
    std::uint32_t rank, bytes;
  };
  // A part of a block, which one thread sends on.
  struct piece {
    std::uint64_t begin, end; // in the block
    std::vector<run> runs = {};
    std::vector<std::uint64_t> offsets = {}; // for each rank: bytes that go to it, and then where they go
  };

  [[nodiscard]] std::vector<line_splitter> choose_splitters(std::uint64_t memory);
  // Returns the rank that a line belongs to. `code` is memory to use.
  [[nodiscard]] std::size_t rank_of(std::string_view line, std::uint64_t position, std::string& code) const;
  // Cuts the block into pieces for the threads.
  void cut_block();
  // Finds the ranks of the lines of a piece.
  void find_runs(piece& each) const;
  // Orders the lines of the block by their ranks in sent_. Returns the bytes for each rank.
  [[nodiscard]] std::vector<std::uint64_t> partition_block();
  // Sends and receives the lines of a round. Returns false after the last round.
  bool exchange();
  [[nodiscard]] std::size_t read(std::span<char> out);

  std::unique_ptr<multi::communicator> ranks_;
  rank_blocks blocks_;
  const line_order& order_;
  const char terminator_;
  const bool unique_;
  const std::uint64_t max_block_; // bytes of a block without long lines
  const int threads_;
  const std::string name_;
  std::vector<line_splitter> splitters_;
  line_block block_;
  std::vector<piece> pieces_;
  kept_team team_;
  // The lines to send, and those that this rank has received and not returned yet.
  unwritten_vector<char> sent_, received_;
  std::size_t returned_ = 0;
  std::uint64_t received_bytes_ = 0;
};

// Sorts the lines of all inputs, without the headers, as sort_files() does on one rank, and passes those of
// this rank to `write`, which writes as many bytes to `out`. The parts of all ranks, one after another, are
// the lines in order: each rank writes in one turn. All ranks call it together, with the same inputs and
// order. Standard input and pipes need exist on rank 0 alone. Counts the bytes of this rank in the monitor,
// and if rank 0 reads the input, those that it has sent, too; the report has the bytes of all ranks.
//
// Memory: settings.merging.memory of each rank, of which a quarter is for the lines that choose the
// splitters, and then for blocks of lines that the ranks exchange; and up to another quarter for the lines
// that a rank keeps until all have come, if rank 0 reads the input for all. Throws what sort_files() throws,
// and memory_error for a line longer than half of settings.memory_limit; then it has ended the exchanges of
// all ranks (communicator::fail()).
sort_report sort_files(multi::communicator& ranks, sort_inputs& inputs, sort_settings settings,
                       rank_output& out, const line_sink& write);

} // namespace weft::files
