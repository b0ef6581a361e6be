#pragma once

#include "builders/grid/bricks.h"
#include "builders/grid/voxel_tree.h"
#include "builders/grid/voxels.h"
#include "viewer/model/structures/structure.h"

// The kinds of structures, each in a file of its own. make_structure chooses one.

namespace copse::viewer {

/// An Accel of the quality that options.builder names, with options.splits, or a tree by any other builder, in any layout.
std::unique_ptr<TriangleStructure> make_tree(Context& context, const StructureOptions& options);

/// An Accel, and that of a file. That of a file is read by the first build(); later ones fit it to the triangles.
std::unique_ptr<TriangleStructure> make_accel(Context& context, const AccelOptions& options);
std::unique_ptr<TriangleStructure> make_accel_of_file(Context& context, const std::filesystem::path& file);

/// Two levels: an Accel per mesh and a Scene over the instances. `scene` has placed meshes.
std::unique_ptr<TriangleStructure> make_instances(Context& context, const SceneGeometry& scene,
                                                  const AccelOptions& options);

/// A kd-tree of the triangles.
std::unique_ptr<Structure> make_kd_tree_of_triangles(Context& context, const StructureOptions& options);

/// A uniform grid.
std::unique_ptr<Structure> make_uniform_grid(Context& context, const StructureOptions& options);

/// A grid over what the camera sees. Rays that do not start at its eye, such as ambient rays, traverse a tree,
/// which is built when the first of them comes.
std::unique_ptr<Structure> make_frustum(Context& context, const StructureOptions& options, const Aabb& bounds);

/// Dense and sparse voxels.
std::unique_ptr<Structure> make_voxels(Context& context, const StructureOptions& options);
std::unique_ptr<Structure> make_bricks(Context& context, const StructureOptions& options);

/// An octree of voxels or a DAG, as options.kind says.
std::unique_ptr<Structure> make_voxel_tree(Context& context, const StructureOptions& options);

/// The voxels of an owner of the library: Voxels, Bricks or VoxelTree. They stay as they are when the scene moves.
std::unique_ptr<Structure> show_voxels(Context& context, Voxels voxels);
std::unique_ptr<Structure> show_voxels(Context& context, Bricks bricks);
std::unique_ptr<Structure> show_voxels(Context& context, VoxelTree tree);

/// The structures of files: a tree or an Accel, and voxels. A tree is read by the first build(); later ones fit it to
/// the triangles.
std::unique_ptr<Structure> make_tree_of_file(Context& context, const StructureOptions& options,
                                             const std::filesystem::path& file);
std::unique_ptr<Structure> make_voxels_of_file(Context& context, const std::filesystem::path& file);

/// A hash grid over the vertices, which are balls for rays.
std::unique_ptr<Structure> make_points(Context& context, const StructureOptions& options, const Aabb& bounds);

}  // namespace copse::viewer
