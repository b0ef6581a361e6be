#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/module/handles.h"
#include "web/module/picture.h"

namespace copse::web {

/// How the page builds a tree. `copse build` has options of the same names.
struct Recipe {
  std::string builder = "hploc";  // lbvh, hploc or sah
  std::string layout = "cbvh4";   // bvh2, bvh4, cbvh4 or cbvh8
  uint32_t reinsertion = 0;       // passes, 0 to 16
};

struct Facts {
  uint64_t triangle_count = 0, vertex_count = 0;
  copse_stats tree = COPSE_STATS_INIT;
  float bounds[6] = {};  // of the mesh: lower and upper corner
  uint64_t checksum = 0;
  double build_ms = 0;  // with the memory that it takes
};

struct RayTimes {
  uint64_t ray_count = 0, hit_count = 0;
  double milliseconds = 0;
  uint64_t checksum = 0;  // of the hits
};

/// What the ray through a pixel hits, and the nodes that it visits.
struct Pick {
  copse_walk walk = COPSE_WALK_INIT;
  std::vector<uint32_t> nodes;  // in order
  Vector point;                 // of the hit
  Corners corners;              // of the triangle
};

/// What the page shows: a mesh, the tree over it, and what rays do in it. It runs on the CPU backend.
class Session {
 public:
  Session();

  /// Reads a mesh.
  ///   name: of the file; errors name it
  /// Returns what was left out, in words; empty if nothing was.
  /// Throws: for a file that is no mesh; then the old mesh stays.
  std::string load(std::string_view bytes, const std::string& name);

  /// Builds a tree over the mesh.
  /// Throws: for an unknown builder or layout, or too many passes.
  Facts build(const Recipe& recipe);

  /// Returns boxes of one level of the tree, six floats each: lower and upper corner. Leaves above the level are left
  /// out.
  ///   most: number of boxes at most; `count` becomes the number of all
  std::vector<float> boxes(uint32_t level, uint64_t most, uint64_t& count);

  /// Returns a picture through the tree. The background is transparent.
  ///   heat: shows how many nodes and triangles the ray of each pixel visited; else the surfaces are shown
  ///   max_visits: becomes the largest number of visits, with `heat`
  Pixels picture(const Camera& camera, uint32_t width, uint32_t height, bool heat, uint32_t& max_visits);

  /// Returns what the ray through a pixel visits.
  Pick pick(const Camera& camera, uint32_t width, uint32_t height, uint32_t x, uint32_t y);

  /// Traces the rays of a picture in one batch.
  RayTimes time_rays(const Camera& camera, uint32_t width, uint32_t height);

  /// The nodes of the tree, level by level.
  std::span<const copse_tree_node> nodes();
  /// Edges from the root to the deepest leaf.
  uint32_t depth() { return nodes().empty() ? 0 : nodes().back().depth; }

 private:
  void need_tree(const char* what) const;
  std::vector<copse_hit> closest_hits(const std::vector<copse_ray>& rays) const;

  ContextHandle context_;
  MeshHandle mesh_;
  copse_geometry geometry_ = COPSE_GEOMETRY_INIT;  // of the mesh
  TreeHandle tree_;
};

}  // namespace copse::web
