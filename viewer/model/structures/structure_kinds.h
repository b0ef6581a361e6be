#pragma once

#include "viewer/model/structures/structure.h"

// The kinds of structures, each in a file of its own; make_structure chooses among them.

namespace copse::viewer {

/// A tree by any builder, in any layout.
std::unique_ptr<TriangleStructure> make_tree(Context& context, const StructureOptions& options);

/// A uniform grid.
std::unique_ptr<Structure> make_uniform_grid(Context& context, const StructureOptions& options);

/// A grid over what the camera sees. Rays that do not come from its eye, as those of ambient light, go through a
/// tree, which is built for the first of them.
std::unique_ptr<Structure> make_frustum(Context& context, const StructureOptions& options, const Aabb& bounds);

/// Dense and sparse voxels.
std::unique_ptr<Structure> make_voxels(Context& context, const StructureOptions& options);
std::unique_ptr<Structure> make_bricks(Context& context, const StructureOptions& options);

/// A hash grid over the vertices, which rays see as balls.
std::unique_ptr<Structure> make_points(Context& context, const StructureOptions& options, const Aabb& bounds);

}  // namespace copse::viewer
