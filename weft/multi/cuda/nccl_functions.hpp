// The functions of NCCL that weft calls. The library is opened at run time, so that programs of weft need it
// only if they use several GPUs: libnccl.so.2, or the file that the environment variable WEFT_NCCL names.
// The types are those of the binary interface of NCCL 2, which nccl.h declares: results and types of data are
// numbers, communicators are pointers.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

struct ncclComm;

namespace weft::multi_detail {

// Results of functions, and types of data.
inline constexpr int nccl_success = 0, nccl_in_progress = 7, nccl_bytes = 1;

// ncclUniqueId, and the beginning of ncclConfig_t as of NCCL 2.18, which later versions accept.
struct nccl_unique_id {
  char internal[128];
};
struct nccl_config {
  std::size_t size = sizeof(nccl_config);
  unsigned magic = 0xcafebeef, version = 21800;
  int blocking = 0; // functions return before they are complete
  int cga_cluster_size = undefined, min_ctas = undefined, max_ctas = undefined;
  const char* net_name = nullptr;
  int split_share = undefined;

  static constexpr int undefined = -2147483647 - 1;
};

// Each member is the function nccl... of the same name.
struct nccl_functions {
  int (*GetUniqueId)(nccl_unique_id* id);
  int (*CommInitRankConfig)(ncclComm** comm, int count, nccl_unique_id id, int rank, nccl_config* config);
  int (*CommFinalize)(ncclComm* comm);
  int (*CommDestroy)(ncclComm* comm);
  int (*CommAbort)(ncclComm* comm);
  int (*CommGetAsyncError)(ncclComm* comm, int* result);
  int (*CommCount)(const ncclComm* comm, int* count);
  int (*CommUserRank)(const ncclComm* comm, int* rank);
  int (*GroupStart)();
  int (*GroupEnd)();
  int (*Send)(const void* bytes, std::size_t count, int type, int to, ncclComm* comm, cudaStream_t stream);
  int (*Recv)(void* bytes, std::size_t count, int type, int from, ncclComm* comm, cudaStream_t stream);
  int (*Broadcast)(const void* from, void* to, std::size_t count, int type, int root, ncclComm* comm,
                   cudaStream_t stream);
  const char* (*GetErrorString)(int result);
};

// Returns the functions. Throws unavailable_error if there is no NCCL.
[[nodiscard]] const nccl_functions& nccl();

// Throws error(errc::io) that names the function if `result` is an error.
void check_nccl(int result, const char* function);

} // namespace weft::multi_detail
