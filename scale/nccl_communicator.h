#pragma once

#include <array>
#include <string>

#include "scale/communicator.h"

// Ranks that are GPUs and send to each other by NVIDIA's Collective Communications Library (NCCL): by NVLink, InfiniBand or
// TCP, on one machine or on several. The library is opened when the first rank is made, so a program that never does needs
// none. NCCL_P2P_DIRECT_DISABLE is then set to 1 in the environment, unless it is set: GPUs of one process cannot read each
// other's stream-ordered memory. Version 2.18 or newer is needed; PyTorch brings it, and the Debian package libnccl2 of NVIDIA.

namespace copse {

/// Options of ranks that send by NCCL. Each has a default.
struct NcclOptions {
  /// The name or the path of the library. Default: that of the system. PyTorch has it as nvidia/nccl/lib/libnccl.so.2.
  std::string library = "libnccl.so.2";

  /// How long a call waits for other ranks before it ends the group with an error, in seconds, above 0. Default: 300.
  double deadline_seconds = 300;
};

/// The bytes of an ncclUniqueId, by which the ranks of a group find each other.
struct NcclId {
  /// As an ncclUniqueId has them.
  std::array<char, 128> bytes = {};
};

/// Returns a new id. One rank makes it and sends it to the others by any means.
/// Throws: Error no_device if the library is missing or too old; Error device_failure.
COPSE_API NcclId new_nccl_id(const NcclOptions& options = {});

/// Returns this rank of a group whose ranks have nothing but an id of the caller. All ranks call it at once.
///   context: of a GPU that no other rank has. It must outlive the communicator
///   rank:    below `size`, another one for each
///   id:      of new_nccl_id(), or of ncclGetUniqueId() of any program; the same for all ranks
/// Errors of calls are the same on all ranks, as long as the GPUs work. If a rank is gone, the others throw
/// Error device_failure when NCCL notices it, or after the deadline.
/// Throws: Error no_device if the library is missing or too old; Error invalid_argument if `context` is not of a GPU, if the
/// rank is not below the size, or for a deadline that is not above 0; Error device_failure.
/// Memory: 512 KiB of the GPU per rank of the group.
COPSE_API Communicator communicator_of_nccl(Context& context, u32 rank, u32 size, const NcclId& id,
                                            const NcclOptions& options = {});

/// The same for ranks that have a communicator already: threads, or processes of MPI. Collective. They send what is in the
/// memory of GPUs by NCCL, and all else by `ranks`: the id, counts and errors. So counts take microseconds among threads, and
/// if a rank fails or leaves, ranks that wait for it by NCCL end at once among threads, and as MPI ends them otherwise.
///   ranks: a rank of Communicator::of_threads(), of Communicator::of_devices() or of communicator_of_mpi(). It becomes part
///          of the new communicator
/// Throws: as above, the same on all ranks, with the rank in the message.
COPSE_API Communicator communicator_of_nccl(Context& context, Communicator ranks, const NcclOptions& options = {});

}  // namespace copse
