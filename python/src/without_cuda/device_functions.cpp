// A build without CUDA cannot read an array in the memory of a GPU, and so it has no function for one.
#include "../device_functions.hpp"

#include <fmt/format.h>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>

#include "../bindings.hpp"

namespace weft::python {

namespace {

struct device_array {};

[[noreturn]] void refuse() { refuse_device_array("a build of weft without CUDA"); }

} // namespace

array_argument read_device_array(nb::handle, const char* name, access, const call&) {
  throw unavailable_error(fmt::format(
      "{} is in the memory of a GPU, but this weft was built without CUDA: copy {} to the host first", name,
      name));
}

std::uint64_t device_lcs_value(const call&, const array_argument&, const array_argument&, lcs_metric) {
  refuse();
}
edit_script device_lcs_path(const call&, const array_argument&, const array_argument&, const lcs_options&) {
  refuse();
}
nb::object device_all_pairs(const call&, const sequences_argument&, const lcs_options&, bool) { refuse(); }

void device_sort(const call&, const array_argument&, bool, const array_argument&) { refuse(); }
void device_segmented_sort(const call&, const array_argument&, const array_argument&, bool,
                           const array_argument&) {
  refuse();
}
nb::object device_sorted(const call&, const array_argument&, bool) { refuse(); }
nb::object device_argsort(const call&, const array_argument&, bool) { refuse(); }
nb::object device_segmented_sorted(const call&, const array_argument&, const array_argument&, bool) {
  refuse();
}
nb::object device_top_k(const call&, const array_argument&, std::uint64_t, bool) { refuse(); }
nb::tuple device_sort_by_key(const call&, const array_argument&, const array_argument&, bool) { refuse(); }
bool device_is_sorted(const call&, const array_argument&, bool) { refuse(); }

nb::object device_suffix_array(const call&, const array_argument&, bool) { refuse(); }
nb::object device_lcp_array(const call&, const array_argument&, const array_argument&) { refuse(); }
nb::tuple device_bwt(const call&, const array_argument&, bwt_form) { refuse(); }
nb::object device_inverse_bwt(const call&, const array_argument&, std::uint64_t, bwt_form) { refuse(); }

nb::object device_count(const call&, const fm_index&, device_index_copies&, const sequences_argument&) {
  refuse();
}
nb::tuple device_locate(const call&, const fm_index&, device_index_copies&, const sequences_argument&,
                        std::uint64_t) {
  refuse();
}

nb::tuple device_scan(const call&, const motif_set&, const sequences_argument&, const scan_options&) {
  refuse();
}

void bind_device_array(nb::module_& module) {
  nb::class_<device_array>(module, "DeviceArray",
                           "An array in the memory of a GPU. This build has no CUDA and makes none.");
}

} // namespace weft::python
