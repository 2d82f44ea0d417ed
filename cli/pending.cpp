// Verbs that the table knows and the program does not yet do.
#include <cli/run.hpp>
#include <weft/base/error.hpp>

namespace weft::cli {

int run_index(const arguments&) { throw unavailable_error("weft index is not there yet"); }
int run_find(const arguments&) { throw unavailable_error("weft find is not there yet"); }

} // namespace weft::cli
