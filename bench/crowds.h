#pragma once

#include "builders/geometry/mesh.h"
#include "primitives/core/context.h"

namespace copse::bench {

/// Adds rows for rays through instances that overlap, opened and not: 1,000 copies of the mesh, and 12,000 trees.
void add_crowds(Backend backend, const Mesh& mesh);

}  // namespace copse::bench
