// What a host thread keeps for a device between calls: streams and memory whose creation takes longer than
// many a call.
#pragma once

#include <map>
#include <memory>

namespace weft::gpu {

// Returns the calling thread's own Context of the current device, whose index is `device`. Makes it as
// Context(device) at the first call.
template <class Context> [[nodiscard]] Context& context_of(int device) {
  thread_local std::map<int, std::unique_ptr<Context>> known;
  std::unique_ptr<Context>& context = known[device];
  if (!context) context = std::make_unique<Context>(device);
  return *context;
}

} // namespace weft::gpu
