#include <weft/bwt/entry/engine_choice.hpp>

#include <array>
#include <weft/base/engine_table.hpp>

namespace weft {

namespace detail {

namespace {

using entry = base_detail::engine_entry<bool>; // the bool says whether the engine is ternary-quicksort

// The first engine is the one that `auto` chooses. Each runs on a CPU and on a GPU.
constexpr std::array entries = {
    entry{"suffix-sort", false, "any processor (libdivsufsort), or a CUDA GPU"},
    entry{"ternary-quicksort", true, "any processor, or a CUDA GPU"},
};

} // namespace

bool is_quicksort(std::string_view engine, const char* what) {
  const entry* const named = base_detail::engine_table<bool>(what, entries).find(engine);
  return named != nullptr && named->id;
}

std::string engine_name(const bwt_options& options) {
  return options.engine == "auto" ? std::string(entries.front().name) : options.engine;
}

std::uint64_t transform_memory(std::uint64_t symbols, bwt_form form, const bwt_options& options) {
  const std::uint64_t width = symbols < index_32_limit ? 4 : 8, texts = form == bwt_form::rotation ? 2 : 1;
  return symbols * (is_quicksort(options.engine) ? 3 * width + 1 : width + texts);
}

} // namespace detail

std::vector<engine_info> bwt_engines() {
  return base_detail::engine_table<bool>("bwt", detail::entries).list();
}

} // namespace weft
