#pragma once

#include <algorithm>

#include "builders/grid/grid.h"
#include "primitives/core/error.h"

namespace copse::viewer {

/// Room for half as many references again as are needed, so that triangles and cameras that move find room.
inline u64 roomy_reference_capacity(u64 needed) {
  return std::max(needed, std::min(needed + needed / 2 + 1, most_references));
}

/// False where the last build found too little room. Waits.
inline bool is_complete(const Grid& grid) {
  try {
    check_complete(grid);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::capacity) throw;
    return false;
  }
}

}  // namespace copse::viewer
