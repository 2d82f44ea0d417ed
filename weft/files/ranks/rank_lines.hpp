// The lines of files, sent to the ranks of a job by parts of their order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/lines/sort_inputs.hpp>
#include <weft/files/ranks/chunk_dealer.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/sort/line_order.hpp>

namespace weft::files {

// Whole lines, each with its terminator, and the position of the first one in the text of all inputs.
struct line_block {
  std::string text;
  std::uint64_t position = 0;
};

// A rank_lines is the text of the lines that belong to this rank, in the order of the input: those between
// two splitters. Rank 0 chooses the splitters from a sample. Lines that are equal to a splitter are cut at
// its position in the input, so that every rank gets about as many bytes whatever the lines are, unless
// `unique`: then lines with equal keys go to one rank.
//
// The ranks work in rounds. In each round every rank takes a block of the input, rank 0 the first one, rank 1
// the next one, and so on, and sends each line to its rank. So what a rank receives, in the order of rounds
// and of sending ranks, is in the order of the input, and a stable sort of it is a part of the stable sort of
// all lines. If all inputs are plain files that every rank can read, the ranks map them, and each line
// travels once. Otherwise rank 0 reads the input and sends the blocks to the ranks: each line travels at most
// twice, and the sample is from the first bytes of the input only, a part of the memory.
class rank_lines {
public:
  // How lines are sent.
  struct settings {
    const line_order& order;
    char terminator = '\n';
    bool unique = false;
    std::uint64_t block_bytes = std::uint64_t{8} << 20;   // of a rank and round
    std::uint64_t sample_bytes = std::uint64_t{64} << 20; // read before splitters are chosen, if rank 0 reads
  };

  // All ranks construct it together. `inputs` and the order must outlive the object.
  rank_lines(multi::communicator& ranks, sort_inputs& inputs, const settings& how);

  // Returns the source of the lines of this rank, to be called once. All ranks read theirs until the end;
  // each read may exchange lines with the other ranks. The source must not outlive this object.
  [[nodiscard]] std::unique_ptr<io::byte_source> open();
  // Returns the bytes of all lines of this rank so far.
  [[nodiscard]] std::uint64_t received_bytes() const noexcept { return received_bytes_; }

private:
  class source;
  // A line that begins a part, and its position.
  struct splitter {
    std::string line;
    std::uint64_t position;
  };

  [[nodiscard]] bool can_map();
  // Return lines at evenly spaced positions: of the mapped files, and of blocks that rank 0 has read.
  [[nodiscard]] std::vector<splitter> sample_files(std::uint64_t count) const;
  [[nodiscard]] std::vector<splitter> sample_blocks(std::uint64_t count) const;
  // Chooses the splitters on rank 0, and copies them to all ranks.
  void choose_splitters();
  // Returns the line at `at` of a text, which begins there.
  [[nodiscard]] std::string_view line_at(std::string_view text, std::uint64_t at) const;
  // Returns the begin of the first line at `at` or behind it.
  [[nodiscard]] std::uint64_t line_begin(std::string_view text, std::uint64_t at) const;

  // Replaces the block by the next one of this rank. Returns false at the end of the input.
  bool next_block(line_block& block);
  bool next_mapped_block(line_block& block);
  // On rank 0: reads the next block of the input. Returns false at its end.
  bool read_block(line_block& block);
  void start_dealing();

  // Returns the rank that a line belongs to.
  [[nodiscard]] std::size_t rank_of(std::string_view line, std::uint64_t position) const;
  // Sends and receives the lines of a round. Returns false after the last round.
  bool exchange();
  [[nodiscard]] std::size_t read(std::span<char> out);

  std::unique_ptr<multi::communicator> ranks_, dealing_;
  sort_inputs& inputs_;
  const settings how_;
  const std::string name_;
  std::vector<splitter> splitters_;
  // For files that are mapped: the files, where they begin in the text of all, and the next block.
  bool is_mapped_ = false;
  std::vector<io::mapped_file> files_;
  std::size_t next_file_ = 0;
  std::uint64_t round_ = 0, file_begin_ = 0;
  // On rank 0, for other inputs: the input, the rest of the last block, and blocks that were read for the
  // sample.
  std::unique_ptr<io::byte_source> source_;
  std::size_t next_input_ = 0;
  std::string rest_;
  std::uint64_t read_position_ = 0;
  std::deque<line_block> ahead_;
  std::optional<chunk_dealer<line_block>> dealer_;
  // Lines that this rank has received and not returned yet.
  std::string received_;
  std::size_t returned_ = 0;
  std::uint64_t received_bytes_ = 0;
};

} // namespace weft::files
