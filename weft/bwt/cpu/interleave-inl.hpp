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

constexpr std::size_t num_lanes = 32, lines_ahead = 32;

// Runs `tasks` tasks on interleaved lanes: calls start(lane, task) and then step(lane) repeatedly. Both
// return false once the lane's task is done. Whether it is done decides no branch, because it is
// unpredictable: the lanes that go on are moved together instead.
template <class Lane, class Start, class Step> void interleave(std::uint64_t tasks, Start start, Step step) {
  std::array<Lane, num_lanes> lanes;
  std::size_t active = 0;
  for (std::uint64_t next = 0;;) {
    while (active < num_lanes && next < tasks) active += start(lanes[active], next++) ? 1 : 0;
    if (active == 0) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < active; ++i) {
      Lane lane = lanes[i];
      const bool goes_on = step(lane);
      lanes[kept] = lane;
      kept += goes_on ? 1 : 0;
    }
    active = kept;
  }
}

// Calls request(task) and then finish(task) for each task. Requests are made some tasks ahead, so that the
// memory that they prefetch is there when it is used.
template <class Request, class Finish>
void pipeline(std::uint64_t tasks, const Request& request, const Finish& finish) {
  const std::uint64_t first = tasks < lines_ahead ? tasks : lines_ahead;
  for (std::uint64_t i = 0; i < first; ++i) request(i);
  for (std::uint64_t i = 0; i + first < tasks; ++i) {
    request(i + first);
    finish(i);
  }
  for (std::uint64_t i = tasks - first; i < tasks; ++i) finish(i);
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
