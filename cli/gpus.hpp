// Several GPUs of one host: the flag --gpus.
#pragma once

#include <cli/flags.hpp>

namespace weft::cli {

// Calls call(arguments) on one rank for each GPU that --gpus names, with --device set to the GPU of the rank,
// and returns the result of rank 0. Without --gpus, calls call(given) once. Under mpirun, the ranks of a host
// take the GPUs in turn, and each calls call() once. Throws error(invalid_input) if --gpus is no number of
// GPUs or stands beside --device, and unavailable_error if there are not so many GPUs.
int run_on_gpus(const arguments& given, int (*call)(const arguments&));

} // namespace weft::cli
