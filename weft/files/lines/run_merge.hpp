// Merges sorted runs, on several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <weft/files/lines/line_merge.hpp>
#include <weft/io/temporary_file.hpp>
#include <weft/sort/line_order.hpp>

namespace weft::files {

// Merges runs of sorted lines to the same output as merge_lines. No line may be longer than `longest`.
// O(lines log runs). Each range of keys is merged by one thread. Takes options.memory in all; runs on one
// thread if that is small.
void merge_runs(std::span<const io::temporary_file> runs, const line_order& order,
                const merge_options& options, std::uint64_t longest, int threads,
                const std::function<void(std::string_view)>& sink);

} // namespace weft::files
