// What the verbs bwt, unbwt and sa have in common.
#pragma once

#include <cli/program.hpp>
#include <cli/task.hpp>
#include <cstdint>
#include <string>
#include <weft/base/device.hpp>
#include <weft/bwt/bwt_options.hpp>

namespace weft::cli {

// Returns the options of the flags. `held`: bytes that are in memory already, which --memory includes.
bwt_options bwt_options_of(const arguments& given, std::uint64_t held);

// Reads the text of a verb whose memory is proportional to the text. Throws memory_error if --memory does not
// allow it: before anything is read if the size of the file is known, otherwise after the first byte too
// many.
std::string read_text(const arguments& given);

void write_closing_line(const arguments& given, const stopwatch& time, std::uint64_t bytes,
                        const std::string& engine, device_choice used = {device_kind::cpu});

} // namespace weft::cli
