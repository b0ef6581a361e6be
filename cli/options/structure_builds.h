#pragma once

// The builds behind copse build --structure: each builds a structure, measures how long it takes, and says what is
// worth knowing of it.

#include <variant>
#include <vector>

#include "builders/io/voxel_tree_file.h"
#include "builders/kd/sah_kd_tree.h"
#include "builders/points/kd_tree.h"
#include "builders/points/point_bvh.h"
#include "cli/options/structures.h"
#include "primitives/core/stopwatch.h"

namespace copse::cli {

/// The result of a build.
struct Built {
  Json statistics;
  Facts facts;
  double milliseconds = 0;   // of a rebuild in the same memory
  HostVoxels voxels;         // if there is something to write
  HostNanoGrid nano;         // the same, for a .nvdb
  HostVoxelTree voxel_tree;  // the same, of an octree or a DAG
  std::variant<std::monostate, SahKdTree, KdTree, PointBvh> tree;
};

/// What a build keeps to write it.
struct Kept {
  bool voxels, nano;
};

// grid_structures.cpp
Built build_uniform_grid(Context& context, const TriangleView& triangles, const StructureOptions& options);
Built build_frustum(Context& context, const TriangleView& triangles, const Aabb& box,
                    const StructureOptions& options);

// voxel_structures.cpp
Built build_dense(Context& context, const TriangleView& triangles, const StructureOptions& options, bool keeps);
Built build_sparse(Context& context, const TriangleView& triangles, const StructureOptions& options,
                   const Kept& keeps);
Built build_voxel_tree(Context& context, const TriangleView& triangles, const StructureOptions& options,
                       bool keeps);
Built build_distances(Context& context, const TriangleView& triangles, const StructureOptions& options,
                      const Kept& keeps);

// point_structures.cpp
Built build_kd_of_triangles(Context& context, const TriangleView& triangles);
Built build_kd_of_points(Context& context, const PositionSpan& points);
Built build_bvh_of_points(Context& context, const PositionSpan& points);

/// Throws: always Error invalid_argument, of an option that the structure does not take.
[[noreturn]] inline void refuse_structure(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, what);
}

/// Returns the numbers of --resolution: one or three; none if the option is not given.
/// Throws: Error invalid_argument for other text, and for numbers that the structure does not take.
std::vector<u32> resolution_of(const StructureOptions& options);

inline Json to_json(const uvec3& v) {
  return {v.x, v.y, v.z};
}
inline std::string in_words(const uvec3& v) {
  return fmt::format("{} x {} x {}", v.x, v.y, v.z);
}

template <class Rebuild>
double timed(Context& context, const Rebuild& rebuild) {
  Stopwatch stopwatch(context);
  rebuild();
  return stopwatch.milliseconds();
}

}  // namespace copse::cli
