// Which files the paths of a command line name, so that no output takes the place of an input or of another
// output.
#pragma once

#include <cli/flags.hpp>
#include <string>

namespace weft::cli {

// Throws error(invalid_input) if two outputs of the verb, or an output and an input, are one file under two
// names: relative and absolute, by symbolic or hard links, as an open descriptor (- and /dev/stdout), and
// also where the file does not exist yet. An output of sort may be its input. Devices other than a terminal,
// such as /dev/null, may stand for several outputs. Looks at file names only; opens and writes nothing.
void check_files(const arguments& given);

// Returns whether the output `path` goes where standard output goes, as - and /dev/stdout do.
[[nodiscard]] bool is_standard_output(const std::string& path);

} // namespace weft::cli
