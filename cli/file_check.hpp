// Finds out which files the paths of a command line name, so that no output replaces an input or another
// output.
#pragma once

#include <cli/flags.hpp>
#include <string>

namespace weft::cli {

// Throws error(invalid_input) if two outputs of the verb, or an output and an input, are the same file under
// two names. Two names can be a relative and an absolute path, symbolic or hard links, or an open descriptor
// (- and /dev/stdout). Files that do not exist yet are compared, too. An output of sort may be its input, and
// several outputs may be /dev/null. The check looks up the names; it neither opens nor writes a file.
void check_files(const arguments& given);

// Returns true if the output `path` is the file that standard output writes to, as - and /dev/stdout are.
[[nodiscard]] bool is_standard_output(const std::string& path);

} // namespace weft::cli
