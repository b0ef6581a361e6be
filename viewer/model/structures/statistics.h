#pragma once

#include <optional>
#include <string>
#include <vector>

#include "builders/geometry/aabb.h"
#include "primitives/core/profile.h"
#include "viewer/model/inspect/picking.h"

namespace copse::viewer {

/// The statistics of a structure. Members without a value have no meaning for its kind, or were not requested.
struct Statistics {
  Target target = Target::triangle;  // what is counted
  u64 primitive_count = 0;           // in the structure
  u64 invalid_count = 0;             // left out
  Aabb bounds = Aabb::empty();
  u64 size_bytes = 0;

  // Trees.
  std::optional<u64> node_count, leaf_count;
  std::optional<u32> depth;  // bvh2: edges, wide: nodes, to the deepest leaf
  std::optional<double> sah_cost;
  std::optional<double> overlap;          // EPO of the binary tree, if StructureOptions::overlap
  std::vector<u64> leaf_histogram;        // [k]: leaves of k primitives
  std::vector<u64> leaf_depth_histogram;  // [d]: leaves d edges below the root
  std::string origin;                     // of a tree that was read from a file: how it was built; else empty

  // Grids.
  std::optional<uvec3> resolution;
  std::optional<u64> cell_count, occupied_count;  // cells, bricks or voxels
  std::optional<u64> reference_count;             // of primitives in cells
  std::optional<u64> largest_cell;                // for points: the fullest bucket
  std::optional<double> nearest, farthest;        // the slabs of a frustum are between these depths

  // Hash grids over points.
  std::optional<double> cell_size;
  std::optional<u64> bucket_count, shared_count;  // shared: buckets with points of several cells
};

/// The times of the last build or update.
struct WorkTimes {
  double build_ms = 0;        // of the last build or rebuild
  double refit_ms = 0;        // of the last refit
  std::vector<Stage> stages;  // of the latest of them, in order, with their depth
  bool is_refit = false;      // true: these are stages of a refit, else of a build
};

}  // namespace copse::viewer
