#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "builders/bvh/build.h"
#include "builders/bvh/wide_bvh.h"
#include "builders/geometry/image.h"
#include "builders/geometry/mesh.h"
#include "trace/camera.h"
#include "trace/tree_view.h"
#include "viewer/model/inspect/host_copy.h"

namespace copse::web {

/// How the page builds a tree. `copse build` has options of the same names.
struct Recipe {
  std::string builder = "hploc";  // lbvh, hploc or sah
  std::string layout = "cbvh4";   // bvh2, bvh4, cbvh4 or cbvh8
  u32 reinsertion = 0;            // passes, 0 to 16
};

struct Facts {
  u64 triangle_count = 0, vertex_count = 0, node_count = 0, leaf_count = 0, tree_bytes = 0;
  u32 depth = 0;  // edges from the root to the deepest leaf, or nodes of a wide tree
  double sah_cost = 0;
  Aabb bounds = Aabb::empty();  // of the mesh
  u64 checksum = 0;
  double build_ms = 0;  // with the memory that it takes
  double collapse_ms = 0;
};

struct RayTimes {
  u64 ray_count = 0, hit_count = 0;
  double milliseconds = 0;
  u64 checksum = 0;  // of the hits
};

/// What the page shows: a mesh, the tree over it, and what rays do in it. It runs on the CPU backend.
class Session {
 public:
  Session();
  ~Session();

  /// Reads a mesh.
  ///   name: of the file; errors name it
  /// Returns what was left out, in words; empty if nothing was.
  /// Throws: as parse_mesh; then the old mesh stays.
  std::string load(std::string_view bytes, const std::string& name);

  /// Builds a tree over the mesh.
  /// Throws: Error invalid_argument for an unknown builder or layout, or too many passes.
  Facts build(const Recipe& recipe);

  /// Returns boxes of one level of the tree, six floats each: lower and upper corner. Leaves above the level are left
  /// out.
  ///   most: number of boxes at most; `count` becomes the number of all
  std::vector<float> boxes(u32 level, u64 most, u64& count);

  /// Returns a picture through the tree. The background is transparent.
  ///   heat: shows how many nodes and triangles the ray of each pixel visited; else the surfaces are shown
  ///   max_visits: becomes the largest number of visits, with `heat`
  Image picture(const Camera& camera, u32 width, u32 height, bool heat, u32& max_visits);

  /// Returns what the ray through a pixel visits.
  viewer::Pick pick(const Camera& camera, u32 width, u32 height, u32 x, u32 y);

  /// Traces the rays of a picture in one batch.
  RayTimes time_rays(const Camera& camera, u32 width, u32 height);

  /// The corners of triangle `number` of the mesh.
  Triangle triangle(u32 number) const;
  u32 depth() const { return depth_; }

 private:
  TriangleView triangles() const;
  TreeView tree() const;
  const viewer::HostCopy& copy();
  void need_tree(const char* what) const;

  Context context_;
  Mesh mesh_;
  Bvh bvh_;
  AnyWideBvh wide_;
  bool is_built_ = false;
  u32 depth_ = 0;
  std::unique_ptr<viewer::HostCopy> copy_;  // made when it is needed
};

}  // namespace copse::web
