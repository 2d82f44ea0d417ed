// Merging sorted runs, on several threads.
#pragma once

#include <cli/line_merge.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <weft/io/temporary_file.hpp>
#include <weft/sort/line_order.hpp>

namespace weft::cli {

// Merges runs of sorted lines as merge_lines does, to the same output; no line is longer than `longest`.
// O(lines log runs), of each range of keys on a thread of its own; options.memory in all, on one thread if it
// is small.
void merge_runs(std::span<const io::temporary_file> runs, const line_order& order,
                const merge_options& options, std::uint64_t longest, int threads,
                const std::function<void(std::string_view)>& sink);

} // namespace weft::cli
