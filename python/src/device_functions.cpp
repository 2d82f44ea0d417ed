#include "device_functions.hpp"

namespace weft::python {

std::uint64_t device_lcs_value(const call&, const array_argument&, const array_argument&, lcs_metric) {
  refuse_device_array("weft.lcs_length");
}
edit_script device_lcs_path(const call&, const array_argument&, const array_argument&, const lcs_options&) {
  refuse_device_array("weft.align");
}
nb::object device_all_pairs(const call&, const sequences_argument&, const lcs_options&, bool) {
  refuse_device_array("weft.all_pairs");
}

} // namespace weft::python
