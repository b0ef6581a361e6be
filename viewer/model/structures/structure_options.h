#pragma once

#include <optional>
#include <string>

#include "accel/accel.h"
#include "builders/geometry/aabb.h"
#include "builders/grid/voxels.h"
#include "primitives/core/context.h"
#include "viewer/model/settings/names.h"

namespace copse::viewer {

/// The kind of structure: a tree, one of the grids, a kd-tree of the triangles, an octree or a DAG of voxels, or the
/// one that a .copse or .voxels file holds. A scene of instances has its two levels as that of its file.
enum class StructureKind : u8 { bvh, grid, frustum, voxels, bricks, points, kdtree, octree, dag, file };

/// The builder of a tree: a quality of Accel, which chooses all other options of trees, or an algorithm.
enum class Builder : u8 { fast, balanced, best, lbvh, hploc, sah };

/// Returns the quality that a builder stands for; none for an algorithm.
constexpr std::optional<Quality> quality_of(Builder builder) {
  switch (builder) {
    case Builder::fast: return Quality::fast;
    case Builder::balanced: return Quality::balanced;
    case Builder::best: return Quality::best;
    default: return std::nullopt;
  }
}

/// The layout of a tree's nodes: two children, four, and four or eight with compressed boxes.
enum class Layout : u8 { bvh2, bvh4, cbvh4, cbvh8 };

/// What happens to the structure when the scene moves.
enum class UpdateMode : u8 {
  nothing,    // it stays, and the picture breaks
  refit,      // boxes move, the topology stays; kinds without refit are rebuilt
  rebuild,    // a new one for every frame, in the same memory
  automatic,  // a refit, and a rebuild where the SAH cost has grown by more than RebuildRule::max_growth
};

template <>
struct Names<StructureKind> {
  static constexpr const char* list[] = {"bvh",    "grid",   "frustum", "voxels", "bricks",
                                         "points", "kdtree", "octree",  "dag",    "file"};
};
template <>
struct Names<Builder> {
  static constexpr const char* list[] = {"fast", "balanced", "best", "lbvh", "hploc", "sah"};
};
template <>
struct Names<Layout> {
  static constexpr const char* list[] = {"bvh2", "bvh4", "cbvh4", "cbvh8"};
};
template <>
struct Names<UpdateMode> {
  static constexpr const char* list[] = {"nothing", "refit", "rebuild", "automatic"};
};
template <>
struct Names<Backend> {
  static constexpr const char* list[] = {"automatic", "cpu", "cuda"};
};
template <>
struct Names<VoxelRule> {
  static constexpr const char* list[] = {"touched", "crossed", "inside"};
};

/// All options of a structure. Members that the kind and builder do not use are ignored.
struct StructureOptions {
  Backend backend = Backend::automatic;
  StructureKind kind = StructureKind::bvh;

  // Trees. A quality leaves the members after `splits` unused.
  Builder builder = Builder::balanced;
  float splits = 1;  // room for references per triangle, 1 to 4; 1: none is split
  Layout layout = Layout::bvh2;
  u32 max_leaf_size = 4;        // 1 to 32; 1 to 3 for cbvh8
  u32 morton_bits = 0;          // lbvh, hploc: 30 to 63, 0: as many as sort fastest
  u32 radius = 4;               // hploc: 1 to 8
  u32 bin_count = 32;           // sah: 2 to 32
  u32 rotation_passes = 1;      // sah: 0 to 8
  float traversal_cost = 1.2f;  // sah, wide layouts, kdtree: cost of a node, for a triangle's 1; 0.1 to 10
  u32 reinsertion_passes = 0;   // after an algorithm: 0 to 16 passes that move subtrees to better places
  u32 wide_leaf_size = 0;  // wide layouts: primitives of leaves that are merged, up to 32 (3 for cbvh8); 0: auto
  bool overlap = false;    // measure the end-point overlap (EPO), which takes longer than to build

  // Grids.
  float density = 4;                     // uniform grid: cells per triangle, above 0, up to 1024
  uvec3 grid_resolution{0};              // uniform grid: 0: from the density, else 1 to 2048 per axis
  u32 voxel_resolution = 128;            // voxels: 1 to 2048 along the longest edge
  VoxelRule rule = VoxelRule::touched;   // voxels
  u32 brick_resolution = 512;            // bricks, octrees and DAGs: 1 to 8192
  uvec3 frustum_resolution{64, 64, 16};  // frustum: tiles across and down, 1 to 512 each, slabs, 1 to 256
  bool frustum_follows = true;           // frustum: rebuilt for every camera, else built for the first one only

  // Points.
  float points_per_cell = 2;   // above 0, up to 2^20
  float point_cell_size = 0;   // in diagonals of the scene, 0.002 to 1; 0: from points_per_cell
  float ball_radius = 0.004f;  // of points, in diagonals of the scene, above 0, up to 0.1

  bool operator==(const StructureOptions&) const = default;
};

/// The smallest cell size of a hash grid, in diagonals of the scene.
inline constexpr float min_point_cell = 0.002f;

/// Returns a title such as "hploc, cbvh8, leaves to 4".
std::string in_words(const StructureOptions& options);

/// Returns true if the kind can be refitted.
bool can_refit(const StructureOptions& options);

}  // namespace copse::viewer
