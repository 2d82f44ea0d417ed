// Interleaves tasks that wait for memory. Included once for each instruction set (HWY_NAMESPACE), so that the
// steps of a task are compiled for that instruction set; include it after <hwy/highway.h>.
#if defined(WEFT_BWT_CPU_INTERLEAVE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_BWT_CPU_INTERLEAVE_INL
#undef WEFT_BWT_CPU_INTERLEAVE_INL
#else
#define WEFT_BWT_CPU_INTERLEAVE_INL
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

constexpr std::size_t num_lanes = 32;

// Runs `tasks` tasks on interleaved lanes: calls start(lane, task) and then step(lane) repeatedly. Both
// return false once the lane's task is done.
template <class Lane, class Start, class Step> void interleave(std::uint64_t tasks, Start start, Step step) {
  std::array<Lane, num_lanes> lanes;
  std::size_t active = 0;
  std::uint64_t next = 0;
  const auto refill = [&](Lane& lane) {
    while (next < tasks)
      if (start(lane, next++)) return true;
    return false;
  };
  while (active < num_lanes && refill(lanes[active])) ++active;
  while (active > 0)
    for (std::size_t i = 0; i < active;) {
      if (step(lanes[i]) || refill(lanes[i]))
        ++i;
      else
        lanes[i] = lanes[--active];
    }
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
