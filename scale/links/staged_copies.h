#pragma once

#include <functional>
#include <memory>

#include "primitives/core/context.h"

namespace copse::detail {

/// Moves large arrays between a device and pageable host memory. A GPU reaches the speed of its link only with
/// page-locked memory, and locking all memory takes longer than the copy. So the arrays move in pieces through
/// page-locked memory: the host writes or reads one piece while the link moves another. On the CPU the array is one
/// piece, which stays where it is.
///
/// One thread may upload while another one downloads.
class StagedCopies {
 public:
  /// Functions that write or read bytes `begin` to `end` - 1 of the array, which are at `piece`. No element of 1, 4,
  /// 24 or 32 bytes is split between two pieces.
  using WritePiece = std::function<void(void* piece, u64 begin, u64 end)>;
  using ReadPiece = std::function<void(const void* piece, u64 begin, u64 end)>;

  virtual ~StagedCopies() = default;

  /// Stores the array that `write` writes. It returns when the array has arrived. The context's stream may work
  /// meanwhile.
  virtual void upload(void* to, u64 bytes, const WritePiece& write) = 0;

  /// Passes the array to `read`, after the work that is now on the context's stream.
  virtual void download(const void* from, u64 bytes, const ReadPiece& read) = 0;
};

std::unique_ptr<StagedCopies> make_host_copies();

/// Takes 96 MiB of page-locked memory.
/// Throws: Error out_of_memory; Error no_device if this build has no CUDA backend.
std::unique_ptr<StagedCopies> make_gpu_copies(Context& context);

}  // namespace copse::detail
