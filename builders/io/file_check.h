#pragma once

#include "primitives/core/types.h"

namespace copse {

/// The checks of a file before it is used. Its header and its size against its counts are always checked.
enum class FileCheck : u32 {
  /// Checksums, zeros between arrays, and every index. Any bytes give an Error or a structure that is safe to use.
  everything,

  /// Checksums. For files that this program or one you trust has written: damage is found, a forgery is not.
  damage,

  /// Nothing more, so that no page of the arrays is read. For files that you trust, on a disk that you trust.
  sizes,
};

}  // namespace copse
