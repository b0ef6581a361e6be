#pragma once

// The structures and the rays of the tests of structures.

#include <cmath>
#include <glm/geometric.hpp>
#include <vector>

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"
#include "viewer/model/structures/structure.h"

namespace copse::test {

/// Tests of the structures of the viewer, on each backend.
class Structures : public OnEachBackend {
 protected:
  std::vector<viewer::StructureOptions> trees() const {
    std::vector<viewer::StructureOptions> all;
    for (u32 builder = 0; builder < viewer::names<viewer::Builder>().size(); ++builder) {
      for (u32 layout = 0; layout < viewer::names<viewer::Layout>().size(); ++layout) {
        if (quality_of(viewer::Builder(builder)) && layout > 0) continue;  // an Accel has one layout
        viewer::StructureOptions options = tree_on(GetParam());
        options.builder = viewer::Builder(builder);
        options.layout = viewer::Layout(layout);
        all.push_back(options);
      }
    }
    return all;
  }
  /// The kinds that take any ray: all but frustum.
  std::vector<viewer::StructureOptions> everything() const {
    std::vector<viewer::StructureOptions> all = trees();
    for (const viewer::StructureKind kind :
         {viewer::StructureKind::grid, viewer::StructureKind::voxels, viewer::StructureKind::bricks,
          viewer::StructureKind::points, viewer::StructureKind::kdtree, viewer::StructureKind::octree,
          viewer::StructureKind::dag}) {
      viewer::StructureOptions options = tree_on(GetParam());
      options.kind = kind;
      options.voxel_resolution = options.brick_resolution = 60;
      options.ball_radius = 0.05f;  // so large that there are no holes
      all.push_back(options);
    }
    return all;
  }
};

/// Rays from around the unit sphere. Most hit it, some do not.
inline std::vector<Ray> some_rays() {
  std::vector<Ray> rays;
  for (int i = 0; i < 100; ++i) {
    const float a = 0.7f * float(i), b = 0.31f * float(i);
    const vec3 origin = 3.0f * vec3(std::sin(a) * std::cos(b), std::sin(b), std::cos(a) * std::cos(b));
    const vec3 target =
        0.9f * vec3(std::cos(3 * b), std::sin(2 * a), std::cos(a + b)) * (i % 9 == 0 ? 3.0f : 1.0f);
    rays.push_back({origin, 0, glm::normalize(target - origin), infinity});
  }
  return rays;
}

}  // namespace copse::test
