#pragma once

#include <string>

#include "bench/support/comparison.h"

namespace copse::bench {

/// Adds the rows of grids, voxels and bricks of still meshes. `testball` is the mesh of that name. If it is empty,
/// the rows that need it are left out.
void add_structure_rows(Rows& rows, const std::string& testball);

/// Adds the rows of whole frames of a model that deforms: structures that are built anew or refitted, and the rays
/// of a picture.
void add_frame_rows(Rows& rows, Backend backend);

}  // namespace copse::bench
