// What a host thread keeps of a device between calls: streams and memory that take longer to make than many a
// call takes.
#pragma once

#include <map>
#include <memory>

namespace weft::gpu {

// The thread's own of the device, which is current; made of its index at the first call.
template <class Context> [[nodiscard]] Context& context_of(int device) {
  thread_local std::map<int, std::unique_ptr<Context>> known;
  std::unique_ptr<Context>& context = known[device];
  if (!context) context = std::make_unique<Context>(device);
  return *context;
}

} // namespace weft::gpu
