#include <weft/multi/cuda/nccl_functions.hpp>

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <string>
#include <weft/base/error.hpp>

namespace weft::multi_detail {

namespace {

template <class Function> void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw unavailable_error(fmt::format("this NCCL has no function {}", name));
}

nccl_functions open_nccl() {
  const char* const asked = std::getenv("WEFT_NCCL");
  const char* const file = asked == nullptr ? "libnccl.so.2" : asked;
  void* const library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    throw unavailable_error(fmt::format("NCCL cannot be used: {} (WEFT_NCCL can name the library)",
                                        reason == nullptr ? file : reason));
  }
  nccl_functions found{};
  find(library, "ncclGetUniqueId", found.GetUniqueId);
  find(library, "ncclCommInitRankConfig", found.CommInitRankConfig);
  find(library, "ncclCommFinalize", found.CommFinalize);
  find(library, "ncclCommDestroy", found.CommDestroy);
  find(library, "ncclCommAbort", found.CommAbort);
  find(library, "ncclCommGetAsyncError", found.CommGetAsyncError);
  find(library, "ncclCommCount", found.CommCount);
  find(library, "ncclCommUserRank", found.CommUserRank);
  find(library, "ncclGroupStart", found.GroupStart);
  find(library, "ncclGroupEnd", found.GroupEnd);
  find(library, "ncclSend", found.Send);
  find(library, "ncclRecv", found.Recv);
  find(library, "ncclBroadcast", found.Broadcast);
  find(library, "ncclGetErrorString", found.GetErrorString);
  return found;
}

} // namespace

const nccl_functions& nccl() {
  static const nccl_functions functions = open_nccl();
  return functions;
}

void check_nccl(int result, const char* function) {
  if (result == nccl_success || result == nccl_in_progress) return;
  throw error(errc::io, fmt::format("{} failed: {}", function, nccl().GetErrorString(result)));
}

} // namespace weft::multi_detail
