#pragma once

#include <functional>
#include <memory>

#include "primitives/core/context.h"

namespace copse::detail {

/// Moves large arrays between a device and the host, whose memory is of the usual kind. A GPU reads and writes
/// page-locked memory alone at the speed of its link, and to lock all memory takes longer than the copy. So the arrays
/// move in pieces, each of which stands in page-locked memory for a while: the host writes or reads one piece while the
/// link moves another. On the CPU the array is one piece, where it is.
///
/// One thread may upload while another one downloads.
class StagedCopies {
 public:
  /// Writes or reads bytes `begin` to `end` - 1 of the array; they stand at `piece`. No element of 1, 4, 24 or 32 bytes
  /// lies in two pieces.
  using WritePiece = std::function<void(void* piece, u64 begin, u64 end)>;
  using ReadPiece = std::function<void(const void* piece, u64 begin, u64 end)>;

  virtual ~StagedCopies() = default;

  /// Stores the array that `write` writes. When it returns, it is there. Work of the context's stream may run meanwhile.
  virtual void upload(void* to, u64 bytes, const WritePiece& write) = 0;

  /// Hands the array to `read`, after the work that is on the context's stream now.
  virtual void download(const void* from, u64 bytes, const ReadPiece& read) = 0;
};

std::unique_ptr<StagedCopies> make_host_copies();

/// Takes 96 MiB of page-locked memory.
/// Throws: Error out_of_memory; Error no_device if this build has no CUDA backend.
std::unique_ptr<StagedCopies> make_gpu_copies(Context& context);

}  // namespace copse::detail
