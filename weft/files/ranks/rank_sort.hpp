// Sorts files of lines with all ranks of a job.
#pragma once

#include <weft/files/lines/sort_files.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// Sorts the lines of all inputs, without the headers, as sort_files() does on one rank, and passes those of
// this rank to `write`, which writes as many bytes to `out`. The parts of all ranks, one after another, are
// the lines in order: each rank writes in one turn. All ranks call it together, with the same inputs and
// order. Standard input and pipes need exist on rank 0 alone. Counts the bytes of this rank in the monitor;
// the report has the bytes of all ranks.
//
// Memory: settings.merging.memory of each rank, of which a quarter is for blocks of lines that the ranks
// exchange, and on rank 0 another quarter for a sample if it reads the input for all. Throws what
// sort_files() throws, and memory_error for a line longer than half of settings.memory_limit; then it has
// ended the exchanges of all ranks (communicator::fail()).
sort_report sort_files(multi::communicator& ranks, sort_inputs& inputs, sort_settings settings,
                       rank_output& out, const line_sink& write);

} // namespace weft::files
