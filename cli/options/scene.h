#pragma once

#include <filesystem>
#include <optional>

#include "builders/bvh/bvh.h"
#include "builders/bvh/stats.h"
#include "builders/geometry/mesh.h"
#include "builders/geometry/triangle.h"
#include "builders/io/packed_tree_file.h"
#include "cli/output.h"
#include "primitives/core/buffer.h"

namespace copse::cli {

/// A mesh in a context's memory.
class DeviceMesh {
 public:
  DeviceMesh(Context& context, const Mesh& mesh)
      : positions_(context, mesh.positions), triangles_(context, mesh.triangles) {}

  TriangleView view() const {
    return {.positions = positions_.span(), .triangles = triangles_.span(), .geometry = 0};
  }

  /// Returns a view per part of the mesh.
  std::vector<TriangleView> views(std::span<const MeshPart> parts) const {
    return detail::views_of(positions_.span(), triangles_.span(), parts);
  }

 private:
  Buffer<vec3> positions_;
  Buffer<uvec3> triangles_;
};

/// How a tree is built, or how a file says that its tree was built.
struct BuildSettings {
  std::string builder = "lbvh";
  std::optional<u32> morton_bits;  // none: the builder's own; 0: chosen from the number of primitives
  u32 max_leaf_size = 1;
  u32 radius = 0;                // 0: the builder has none, or the file does not store it
  u32 reinsertion = 0;           // passes over the tree; 0 too if it comes from a file, which does not store it
  float min_parent_area = 0;     // see ReinsertOptions
  std::string alternative = {};  // a second builder, see QualitySteps; empty: none
  Top top = Top::as_built;
  float splits = 1;  // room for references per triangle; 1: none is split
};

Json to_json(const vec3& p);
Json to_json(const Aabb& box);
Json to_json(const BuildSettings& settings);
Json to_json(const BvhStats& stats);
std::string to_words(const Aabb& box);
std::string morton_bits_in_words(const BuildSettings& settings);
std::string leaf_size_in_words(u32 max_leaf_size);

// Add lines to a table of facts.
void add_facts(Facts& facts, const BuildSettings& settings);
void add_facts(Facts& facts, const BvhStats& stats);

}  // namespace copse::cli
