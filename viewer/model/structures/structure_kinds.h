#pragma once

#include "viewer/model/structures/structure.h"

// The kinds of structures, each in a file of its own. make_structure chooses one.

namespace copse::viewer {

/// A tree by any builder, in any layout.
std::unique_ptr<TriangleStructure> make_tree(Context& context, const StructureOptions& options);

/// A uniform grid.
std::unique_ptr<Structure> make_uniform_grid(Context& context, const StructureOptions& options);

/// A grid over what the camera sees. Rays that do not start at its eye, such as ambient rays, traverse a tree,
/// which is built when the first of them comes.
std::unique_ptr<Structure> make_frustum(Context& context, const StructureOptions& options, const Aabb& bounds);

/// Dense and sparse voxels.
std::unique_ptr<Structure> make_voxels(Context& context, const StructureOptions& options);
std::unique_ptr<Structure> make_bricks(Context& context, const StructureOptions& options);

/// A hash grid over the vertices, which are balls for rays.
std::unique_ptr<Structure> make_points(Context& context, const StructureOptions& options, const Aabb& bounds);

}  // namespace copse::viewer
