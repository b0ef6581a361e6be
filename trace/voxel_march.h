#pragma once

// Finds the first voxel that a ray meets, in a dense grid of bits, in sparse bricks, in an octree or in a DAG, on the
// host and in kernels. There is nothing else to link.
//
//   copse::VoxelHit hit = copse::first_voxel(bricks.view(), ray);
//
// The walk is that of trace/grid_march.h. Through bricks it has two levels. The outer level goes from brick to brick
// and looks each up in the hash table. The inner level goes through the voxels of the bricks that exist.

#include "builders/grid/voxel_tree_layout.h"
#include "trace/grid_march.h"

namespace copse {

/// Where a ray enters the first voxel that is set. On a miss t is the ray's t_max and every component of `voxel`
/// is invalid_id.
struct VoxelHit {
  float t;
  uvec3 voxel;
};

static_assert(sizeof(VoxelHit) == 16);

COPSE_HD inline bool is_hit(const VoxelHit& hit) {
  return hit.voxel.x != invalid_id;
}

namespace detail {

/// Returns t at a place of the walk, clamped to the ray's interval.
COPSE_HD inline float time_at(const MarchedRay& marched, const Ray& ray, double s) {
  const double t = add_rn(marched.entry, s / marched.speed);
  return float(larger(smaller(t, double(ray.t_max)), double(ray.t_min)));
}

/// Ends the walk at the first bit that is set, and keeps where the ray enters its voxel in `entered`.
struct FindSetBit {
  const VoxelView& voxels;
  u64 bit = 0;
  float entered = 0;
  bool found = false;

  COPSE_HD bool operator()(u64 id, float leave) {
    found = voxels.is_set(id);
    if (found) {
      bit = id;
    } else {
      entered = leave;
    }
    return found;
  }
};

/// The same in a brick. Its voxels are numbered along x, y, z.
struct FindSetVoxel {
  const u32* words;
  u32 bit = 0;
  float entered = 0;
  bool found = false;

  COPSE_HD bool operator()(u32 id, float leave) {
    found = (words[id / 32] >> (id % 32) & 1) != 0;
    if (found) {
      bit = id;
    } else {
      entered = leave;
    }
    return found;
  }
};

/// Walks through the voxels of a brick, from s = `entered` to `leave`, until find(voxel id, s) returns true. `find`
/// then holds the voxel in `bit`, and in `entered` where the ray enters it.
template <class Find>
COPSE_HD inline void march_brick(const MarchedRay& ray, const uvec3& brick, double entered, float leave,
                                 Find& find) {
  constexpr double edge = brick_edge;
  const double end = leave < ray.length ? leave : ray.length;
  MarchedRay inside;
  inside.slope = ray.slope;
  inside.from = dvec3(mul_rn(sub_rn(add_rn(ray.from.x, mul_rn(ray.slope.x, entered)), double(brick.x)), edge),
                      mul_rn(sub_rn(add_rn(ray.from.y, mul_rn(ray.slope.y, entered)), double(brick.y)), edge),
                      mul_rn(sub_rn(add_rn(ray.from.z, mul_rn(ray.slope.z, entered)), double(brick.z)), edge));
  inside.length = float(mul_rn(sub_rn(end, entered), edge));
  march_narrow(uvec3(brick_edge), brick_edge, brick_edge * brick_edge, inside, find);
}

/// The first voxel that a walk through bricks has found.
struct FoundVoxel {
  uvec3 voxel = uvec3(invalid_id);
  double entered = 0;  // s of the voxel; before that, s of the brick

  COPSE_HD void set(const uvec3& brick, u32 bit, float s) {
    entered = add_rn(entered, s / double(brick_edge));
    voxel = brick * brick_edge +
            uvec3(bit % brick_edge, bit / brick_edge % brick_edge, bit / (brick_edge * brick_edge));
  }
};

/// Ends at the first brick in which the ray meets a voxel.
struct FindInBricks {
  const BrickView& bricks;
  const MarchedRay& ray;
  FoundVoxel at = {};

  COPSE_HD bool operator()(u64 place, float leave) {
    const u32* const words = bricks.brick_at(place);
    if (words != nullptr) {
      const uvec3 brick = bricks.places.cell_of(place);
      FindSetVoxel find{words};
      march_brick(ray, brick, at.entered, leave, find);
      if (find.found) {
        at.set(brick, find.bit, find.entered);
        return true;
      }
    }
    at.entered = leave;
    return false;
  }
};

/// The same in a brick of an octree or a DAG.
struct FindSetVoxelOfTree {
  const VoxelTreeView& tree;
  const VoxelNode& brick;
  u32 bit = 0;
  float entered = 0;
  bool found = false;

  COPSE_HD bool operator()(u32 id, float leave) {
    found = tree.is_set(brick, id % brick_edge, id / brick_edge % brick_edge, id / (brick_edge * brick_edge));
    if (found) {
      bit = id;
    } else {
      entered = leave;
    }
    return found;
  }
};

/// The same through an octree or a DAG. A place is x | y << 16 | z << 32. The last search may have found an empty
/// cube. While the ray is in that cube, the tree is not searched again.
struct FindInTree {
  const VoxelTreeView& tree;
  const MarchedRay& ray;
  FoundVoxel at = {};
  uvec3 empty_place = uvec3(invalid_id);
  u32 empty_level = 1;

  COPSE_HD bool operator()(u64 place, float leave) {
    const uvec3 brick(u32(place) & 0xffff, u32(place) >> 16, u32(place >> 32));
    const u32 apart = (brick.x ^ empty_place.x) | (brick.y ^ empty_place.y) | (brick.z ^ empty_place.z);
    if (apart >> (empty_level - 1) != 0) {
      const VoxelTreeView::Brick found = tree.find_brick(brick);
      if (found.node.mask == 0) {
        empty_place = brick, empty_level = found.level;
      } else {
        FindSetVoxelOfTree find{tree, found.node};
        march_brick(ray, brick, at.entered, leave, find);
        if (find.found) {
          at.set(brick, find.bit, find.entered);
          return true;
        }
      }
    }
    at.entered = leave;
    return false;
  }
};

/// Calls visit(key of a brick's place, s where the ray leaves it) for each brick's place that the ray passes, front
/// to back, until it returns true.
template <class Visit>
COPSE_HD inline void march_bricks(const BrickView& bricks, const MarchedRay& ray, Visit& visit) {
  const u64 row = bricks.places.resolution.x;
  march_narrow(bricks.places.resolution, row, row * bricks.places.resolution.y, ray, visit);
}

/// The grid of the bricks of an octree or a DAG.
COPSE_HD inline GridShape places_of(const VoxelTreeView& tree) {
  const GridShape& voxels = tree.shape;
  return {voxels.lo,
          dvec3(voxels.cells_per_unit.x / brick_edge, voxels.cells_per_unit.y / brick_edge,
                voxels.cells_per_unit.z / brick_edge),
          (voxels.resolution + brick_edge - 1u) / brick_edge};
}

/// The same for the places of `places`, as FindInTree numbers them.
template <class Visit>
COPSE_HD inline void march_tree(const GridShape& places, const MarchedRay& ray, Visit& visit) {
  march_narrow(places.resolution, u64{1} << 16, u64{1} << 32, ray, visit);
}

}  // namespace detail

/// Returns the first voxel that is set, among those that the ray passes between t_min and t_max. Rounding moves the
/// ray by less than 1/32 of a voxel. So it can change the result only for rays that close to an edge, a corner or the
/// border of the grid.
COPSE_HD inline VoxelHit first_voxel(const VoxelView& voxels, const Ray& ray) {
  const VoxelHit miss{ray.t_max, uvec3(invalid_id)};
  if (!is_traceable(ray)) return miss;
  const detail::MarchedRay marched = detail::enter_grid(voxels.shape, ray);
  if (!(marched.length >= 0)) return miss;
  detail::FindSetBit find{voxels};
  const u64 row = voxels.row_bits(), layer = row * voxels.shape.resolution.y;
  detail::march_narrow(voxels.shape.resolution, row, layer, marched, find);
  if (!find.found) return miss;
  return {detail::time_at(marched, ray, find.entered),
          uvec3(u32(find.bit % row), u32(find.bit / row % voxels.shape.resolution.y), u32(find.bit / layer))};
}

COPSE_HD inline VoxelHit first_voxel(const BrickView& bricks, const Ray& ray) {
  const VoxelHit miss{ray.t_max, uvec3(invalid_id)};
  if (!is_traceable(ray)) return miss;
  const detail::MarchedRay marched = detail::enter_grid(bricks.places, ray, detail::march_slack / brick_edge);
  if (!(marched.length >= 0)) return miss;
  detail::FindInBricks find{bricks, marched};
  detail::march_bricks(bricks, marched, find);
  if (find.at.voxel.x == invalid_id) return miss;
  return {detail::time_at(marched, ray, find.at.entered), find.at.voxel};
}

/// Through an octree or a DAG. The hit equals, bit for bit, that of the bricks from which the tree was built.
COPSE_HD inline VoxelHit first_voxel(const VoxelTreeView& tree, const Ray& ray) {
  const VoxelHit miss{ray.t_max, uvec3(invalid_id)};
  if (!is_traceable(ray)) return miss;
  const GridShape places = detail::places_of(tree);
  const detail::MarchedRay marched = detail::enter_grid(places, ray, detail::march_slack / brick_edge);
  if (!(marched.length >= 0)) return miss;
  detail::FindInTree find{tree, marched};
  detail::march_tree(places, marched, find);
  if (find.at.voxel.x == invalid_id) return miss;
  return {detail::time_at(marched, ray, find.at.entered), find.at.voxel};
}

}  // namespace copse
