// The kernels of metric edit, compiled for each instruction set.
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/lcs/cpu/bit_sliced_edit.cpp"
#include <hwy/foreach_target.h>
//
#include <weft/lcs/cpu/bit_sliced_kernel-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::lcs_detail::HWY_NAMESPACE {
kernel_set edit_kernel_set() { return {lanes, trace_words, find_kernel<edit_cell>}; }
} // namespace weft::lcs_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::lcs_detail {
HWY_EXPORT(edit_kernel_set);
kernel_set edit_kernels() { return HWY_DYNAMIC_DISPATCH(edit_kernel_set)(); }
} // namespace weft::lcs_detail
#endif
