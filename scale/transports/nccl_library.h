#pragma once

// The functions of NCCL that Copse calls, as its C interface has them since version 2.18.

#include <cstddef>
#include <string>

#include "primitives/core/error.h"
#include "scale/nccl_communicator.h"

namespace copse::detail {

struct NcclComm;  // ncclComm
using NcclStream = void*;

/// ncclResult_t
enum NcclResult : int { nccl_success = 0, nccl_in_progress = 7 };

inline bool is_good(NcclResult result) {
  return result == nccl_success || result == nccl_in_progress;
}

/// ncclDataType_t
enum NcclType : int { nccl_u8 = 1, nccl_u64 = 5 };

/// ncclRedOp_t
enum NcclOperation : int { nccl_sum = 0 };

/// ncclConfig_t of version 2.18. Newer libraries take it by its size and version.
struct NcclConfig {
  static constexpr int undefined = -2147483647 - 1;

  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;
  int blocking = 0;
  int cga_cluster_size = undefined, min_ctas = undefined, max_ctas = undefined;
  const char* net_name = nullptr;
  int split_share = undefined;
};

/// The library, opened at run time. It stays in the process, since it has threads of its own.
struct NcclLibrary {
  /// Throws: Error no_device, with what the loader says, if it cannot be opened, lacks a function or is too old.
  explicit NcclLibrary(const std::string& path);

  /// Throws: Error device_failure, with the words of NCCL for the result and for its last error, unless it is success or in progress.
  void check(NcclResult result, const char* function, NcclComm* comm) const;

  NcclResult (*get_version)(int* version);
  NcclResult (*get_unique_id)(NcclId* id);
  NcclResult (*comm_init_rank_config)(NcclComm** comm, int size, NcclId id, int rank, NcclConfig* config);
  NcclResult (*comm_get_async_error)(NcclComm* comm, NcclResult* state);
  NcclResult (*comm_finalize)(NcclComm* comm);
  NcclResult (*comm_destroy)(NcclComm* comm);
  NcclResult (*comm_abort)(NcclComm* comm);
  const char* (*get_error_string)(NcclResult result);
  const char* (*get_last_error)(NcclComm* comm);
  NcclResult (*group_start)();
  NcclResult (*group_end)();
  NcclResult (*send)(const void* data, size_t count, NcclType type, int peer, NcclComm* comm, NcclStream stream);
  NcclResult (*receive)(void* data, size_t count, NcclType type, int peer, NcclComm* comm, NcclStream stream);
  NcclResult (*all_gather)(const void* send, void* receive, size_t count, NcclType type, NcclComm* comm,
                           NcclStream stream);
  NcclResult (*all_reduce)(const void* send, void* receive, size_t count, NcclType type, NcclOperation operation,
                           NcclComm* comm, NcclStream stream);
};

}  // namespace copse::detail
