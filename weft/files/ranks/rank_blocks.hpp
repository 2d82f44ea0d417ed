// The lines of files, dealt out in blocks to the ranks of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/monitor.hpp>
#include <weft/files/lines/sort_inputs.hpp>
#include <weft/files/ranks/line_sample.hpp>
#include <weft/files/ranks/line_store.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// A rank_blocks gives each rank of a job its share of the lines of some inputs. Blocks come in rounds: in
// each round, rank 0 gets the first lines, rank 1 the next ones, and so on. All ranks get as many blocks;
// some are empty.
//
// If all inputs are plain files that every rank can read, every rank maps them. The files, one after another,
// are divided into pieces of equal size; a line belongs to the piece in which it begins, and piece i to rank
// i modulo the number of ranks. Otherwise rank 0 reads the inputs and sends the other ranks their blocks,
// which they keep, in memory or in temporary files, until all have come, so that the sample is one of all
// lines. The blocks begin small and grow with the input, so that all ranks have nearly equal shares.
class rank_blocks {
public:
  // How lines are dealt out.
  struct settings {
    char terminator = '\n';
    std::uint64_t block_bytes = std::uint64_t{8} << 20; // of a rank and round; the smallest of all ranks
    std::uint64_t memory_limit = ~std::uint64_t{0};     // a line longer than half of it is a memory_error
    std::string_view memory_option = "memory";          // allows longer lines, for messages
    line_store::settings store = {};                    // of blocks that rank 0 has read
    task_monitor* monitor = nullptr;                    // counts the bytes of these; may be null
  };

  // All ranks construct it together. `inputs` must outlive the object. Throws the errors of map_file().
  rank_blocks(multi::communicator& ranks, sort_inputs& inputs, const settings& how);

  // Returns whether all ranks map the files.
  [[nodiscard]] bool is_mapped() const noexcept { return is_mapped_; }
  // Returns lines by which the bytes of all lines can be counted, as choose_lines() does: of the share of
  // this rank, at most `count` lines, but at least 64. If all ranks map the files, each rank has an equal
  // share of the text. Otherwise its blocks are its share: they all come in this call, in which the lines of
  // the sample take `memory` bytes. The lines are valid until the first call of next(), before which all
  // ranks call this function together. O(count) time, or O(share) if lines are long or rank 0 reads the
  // input. Throws the errors of the inputs and of temporary files, memory_error for a line longer than half
  // of memory_limit, and cancelled_error, and then has ended the exchanges of all ranks
  // (communicator::fail()).
  [[nodiscard]] std::vector<weighted_line> sample(std::uint64_t count, std::uint64_t memory);
  // Returns how many bytes of memory the blocks took that had come with the sample.
  [[nodiscard]] std::uint64_t stored_bytes() const noexcept { return store_.memory(); }
  // Replaces the block by the next one of this rank. Returns false at the end of the input. Throws
  // memory_error for a line longer than half of memory_limit, and io_error.
  [[nodiscard]] bool next(line_block& block);

private:
  [[nodiscard]] bool can_map(multi::communicator& ranks);
  [[nodiscard]] bool next_mapped(line_block& block);
  // Appends the lines of a file that begin in bytes [begin, end) of it.
  void append_lines(std::size_t file, std::uint64_t begin, std::uint64_t end, line_block& block) const;
  // On rank 0: reads the next block of the input. Returns false at its end.
  [[nodiscard]] bool read_block(line_block& block);
  // Reads bytes of the current input into the text, of which the first `complete` bytes are whole lines.
  // Reads until the text has block_bytes bytes, or as many more if it has.
  void read_more(std::string& text, std::size_t& complete, std::uint64_t block_bytes);
  // Returns the size of the next block that rank 0 reads.
  [[nodiscard]] std::uint64_t next_block_bytes() const;
  // Receives the blocks of this rank, if rank 0 reads the inputs.
  void receive_blocks();
  [[noreturn]] void throw_long_line(const std::string& path, std::uint64_t line) const;

  std::unique_ptr<multi::communicator> ranks_;
  sort_inputs& inputs_;
  settings how_;
  bool is_mapped_;
  // For mapped files: the files, their positions, and the next round.
  std::vector<io::mapped_file> files_;
  std::vector<std::uint64_t> positions_; // of the files, and the end of the last one
  std::size_t first_file_ = 0;           // that the next round can touch
  std::uint64_t round_ = 0;
  // For other inputs, on rank 0: the current input and the number of its lines so far, and the begin of a
  // line that the last block has left.
  std::unique_ptr<io::byte_source> source_;
  std::size_t next_input_ = 0;
  std::uint64_t num_lines_ = 0, position_ = 0;
  std::string rest_;
  // The blocks of this rank, and the sample of them.
  line_store store_;
  std::optional<line_sample> sample_;
};

} // namespace weft::files
