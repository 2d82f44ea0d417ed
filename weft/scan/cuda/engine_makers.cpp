#include <weft/scan/cuda/engine_makers.hpp>

#include <algorithm>
#include <array>

namespace weft::scan_cuda {

namespace {

using scan_detail::engine;

struct gpu_form {
  engine id;
  gpu_engine_maker make;
};
constexpr std::array gpu_forms = {gpu_form{engine::bit_stream, make_bit_stream},
                                  gpu_form{engine::shift_and, make_shift_and},
                                  gpu_form{engine::nfa_array, make_nfa_array}};

} // namespace

gpu_engine_maker maker_of(engine id) {
  return std::find_if(gpu_forms.begin(), gpu_forms.end(),
                      [id](const gpu_form& form) { return form.id == id; })
      ->make;
}

} // namespace weft::scan_cuda
