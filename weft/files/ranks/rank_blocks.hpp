// The lines of files, dealt out in blocks to the ranks of a job.
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
#include <weft/files/ranks/line_cuts.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// Whole lines, each with its terminator, and the position of the first one in the text of all inputs.
// Positions order lines as the input does. Two lines of one block are as far apart as in `text`.
struct line_block {
  std::string text;
  std::uint64_t position = 0;
};

// A rank_blocks gives each rank of a job its share of the lines of some inputs. Blocks come in rounds: in
// each round, rank 0 gets the first lines, rank 1 the next ones, and so on. All ranks get as many blocks;
// some are empty.
//
// If all inputs are plain files that every rank can read, every rank maps them. The files, one after another,
// are divided into pieces of equal size; a line belongs to the piece in which it begins, and piece i to rank
// i modulo the number of ranks. Otherwise rank 0 reads the inputs and sends the other ranks their blocks.
class rank_blocks {
public:
  // How lines are dealt out.
  struct settings {
    char terminator = '\n';
    std::uint64_t block_bytes = std::uint64_t{8} << 20;   // of a rank and round; the smallest of all ranks
    std::uint64_t sample_bytes = std::uint64_t{64} << 20; // that rank 0 reads for a sample, if it reads
    std::uint64_t memory_limit = ~std::uint64_t{0};       // a line longer than half of it is a memory_error
    std::string_view memory_option = "memory";            // allows longer lines, for messages
  };

  // All ranks construct it together. `inputs` must outlive the object. Throws the errors of map_file().
  rank_blocks(multi::communicator& ranks, sort_inputs& inputs, const settings& how);

  // Returns whether all ranks map the files.
  [[nodiscard]] bool is_mapped() const noexcept { return is_mapped_; }
  // Returns lines by which the bytes of all lines can be counted. If all ranks map the files, each rank has
  // an equal share of the text; otherwise rank 0 has the first sample_bytes of it, and the other ranks
  // nothing. If the share has at most `count` lines, and about 64 * count bytes, these are all lines that
  // begin in it. Otherwise the share is cut into `count` pieces of equal size, and a byte of each piece,
  // chosen at random, chooses its line, which stands for all bytes of the piece. Only the beginning of a line
  // longer than 4 KiB is returned. The lines are in the order of the input, and valid until the first call of
  // next(), before which this is called. O(count) time, and O(share) if lines are long.
  [[nodiscard]] std::vector<weighted_line> sample(std::uint64_t count);
  // Replaces the block by the next one of this rank. Returns false at the end of the input. Throws
  // memory_error for a line longer than half of memory_limit, and on rank 0 the errors of the inputs. If it
  // throws on rank 0, communicator::fail() must be called before the object is destroyed, because a thread
  // may be sending blocks.
  [[nodiscard]] bool next(line_block& block);

private:
  [[nodiscard]] bool can_map(multi::communicator& ranks);
  [[nodiscard]] bool next_mapped(line_block& block);
  // Appends the lines of a file that begin in bytes [begin, end) of it.
  void append_lines(std::size_t file, std::uint64_t begin, std::uint64_t end, line_block& block) const;
  // On rank 0: reads the next block of the input. Returns false at its end.
  [[nodiscard]] bool read_block(line_block& block);
  // Reads bytes of the current input into the text, of which the first `complete` bytes are whole lines.
  void read_more(std::string& text, std::size_t& complete);
  void start_dealing();
  [[noreturn]] void throw_long_line(const std::string& path, std::uint64_t line) const;

  std::unique_ptr<multi::communicator> ranks_; // of the dealer
  sort_inputs& inputs_;
  settings how_;
  bool is_mapped_;
  // For mapped files: the files, their positions, and the next round.
  std::vector<io::mapped_file> files_;
  std::vector<std::uint64_t> positions_; // of the files, and the end of the last one
  std::size_t first_file_ = 0;           // that the next round can touch
  std::uint64_t round_ = 0;
  // On rank 0, for other inputs: the current input and the number of its lines so far, the begin of a line
  // that the last block has left, and blocks that were read for the sample.
  std::unique_ptr<io::byte_source> source_;
  std::size_t next_input_ = 0;
  std::uint64_t num_lines_ = 0, position_ = 0;
  std::string rest_;
  std::deque<line_block> ahead_;
  std::optional<chunk_dealer<line_block>> dealer_;
};

} // namespace weft::files
