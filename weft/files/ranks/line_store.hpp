// Blocks of lines that a rank keeps until all of the input has come.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <weft/files/lines/run_list.hpp>
#include <weft/io/byte_source.hpp>

namespace weft::files {

// Whole lines, each with its terminator, and the position of the first one in the text of all inputs.
// Positions order lines as the input does. Two lines of one block are as far apart as in `text`.
struct line_block {
  std::string text;
  std::uint64_t position = 0;
};

// A line_store is a queue of blocks: the first ones are in memory, and those that do not fit in temporary
// files. A file is deleted when its blocks have been returned, and has at most 64 MiB and a block, or an
// eighth of all that was added before; more only if descriptors are short. The functions throw io_error.
class line_store {
public:
  struct settings {
    std::uint64_t memory = 0;                // bytes of blocks in memory
    std::vector<std::string> folders = {""}; // for files, used in turn; an empty name is the default
    std::string compress_program = {};       // compresses files; empty if there is none
  };

  explicit line_store(settings how) : how_(std::move(how)) {}

  // Adds a block. All blocks are added before the first one is returned.
  void add(line_block&& block);
  // Replaces `block` by the next one. Returns false if there is none.
  [[nodiscard]] bool next(line_block& block);
  // Returns how many bytes of memory the blocks took when all of them had been added.
  [[nodiscard]] std::uint64_t memory() const noexcept { return memory_; }

private:
  struct stored {
    line_block block;
    std::uint64_t file_bytes; // of a text in a file; 0: it is in the block
  };
  struct text_file {
    run_file file;
    std::uint64_t bytes;
  };

  void write(const std::string& text);
  void read(std::string& text);

  const settings how_;
  std::deque<stored> blocks_;
  std::deque<text_file> files_; // the first one is read, the last one written
  std::unique_ptr<io::byte_source> source_;
  std::size_t next_folder_ = 0;
  std::uint64_t memory_ = 0, written_ = 0;
};

} // namespace weft::files
