// The settings of sorting, merging and checking files of lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/files/lines/line_merge.hpp>
#include <weft/sort/line_order.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::files {

// Everything that a user can choose about sorting, merging and checking lines.
struct sort_settings {
  line_order order;
  merge_options merging;      // merging.memory is also the memory for sorting
  std::uint64_t memory_limit; // bytes; merging.memory may grow to it if a line is long
  sort_options sorting;
  std::vector<std::string> folders; // for temporary files, used in turn; an empty name is the default
  std::string compress_program;     // compresses temporary files; empty if there is none
  std::uint64_t batch_size;         // the most runs to merge at a time
  // The memory that the decompression of one input takes, of the memory for sorting; see sort_inputs.
  std::uint64_t decoder_memory = 0;
};

} // namespace weft::files
