#pragma once

#include <string>

#include "bench/support/comparison.h"

namespace copse::bench {

/// Grids, voxels and bricks of still meshes. `testball`: the mesh of that name; empty: the rows that need it are
/// left out.
void add_structure_rows(Rows& rows, const std::string& testball);

/// Whole frames of a model that deforms: structures made anew or refitted, and the rays of a picture.
void add_frame_rows(Rows& rows, Backend backend);

}  // namespace copse::bench
