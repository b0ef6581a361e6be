#pragma once

#include <vector>

#include "primitives/core/types.h"

namespace copse::test {

/// Sizes at which data-parallel code breaks: nothing, one, a few, several tiles, and both sides of warps, blocks
/// and tiles. Tiles have 2048 and 8192 elements for scans, 4096 for reductions, and 3072, 4608, 6144, 6656, 7680
/// and 8704 for sorts.
inline std::vector<u64> boundary_sizes() {
  std::vector<u64> sizes = {0, 1, 2, 3};
  for (u64 tile : {32, 256, 384, 2048, 3072, 4096, 4608, 6144, 6656, 7680, 8192, 8704}) {
    for (u64 n : {tile - 1, tile, tile + 1}) sizes.push_back(n);
  }
  sizes.insert(sizes.end(), {3 * 8192 + 5, 65535, 65536, 65537, 100003});
  return sizes;
}

}  // namespace copse::test
