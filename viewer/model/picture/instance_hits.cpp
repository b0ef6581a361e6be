#include "viewer/model/picture/instance_hits.h"

#include <cmath>
#include <glm/ext/matrix_double3x3.hpp>
#include <glm/matrix.hpp>

#include "primitives/core/dispatch.h"

namespace copse::viewer {

// The body: instance_hits.inl, for either executor.

template <class Executor>
void flatten_hits(const Executor& ex, BufferSpan<const u32> first_triangles, BufferSpan<const SceneHit> hits,
                  BufferSpan<Hit> flat);
template <class Executor>
void label_instances(const Executor& ex, BufferSpan<const u32> first_triangles,
                     BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> labels);
template <class Executor>
void count_scene_visits(const Executor& ex, const TwoLevels& levels, BufferSpan<const Ray> rays,
                        BufferSpan<u32> visits);

void flatten_hits(Context& context, BufferSpan<const u32> first_triangles, BufferSpan<const SceneHit> hits,
                  BufferSpan<Hit> flat) {
  dispatch(context, [&](const auto& ex) { flatten_hits(ex, first_triangles, hits, flat); });
}

void label_instances(Context& context, BufferSpan<const u32> first_triangles,
                     BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> labels) {
  dispatch(context, [&](const auto& ex) { label_instances(ex, first_triangles, surfaces, labels); });
}

void count_scene_visits(Context& context, const TwoLevels& levels, BufferSpan<const Ray> rays,
                        BufferSpan<u32> visits) {
  dispatch(context, [&](const auto& ex) { count_scene_visits(ex, levels, rays, visits); });
}

InstanceWay way_into(const Instance& instance) {
  glm::dmat3 linear;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) linear[column][row] = instance.rows[row][column];
  }
  InstanceWay way{{vec3(0), vec3(0), vec3(0)},
                  vec3(instance.rows[0][3], instance.rows[1][3], instance.rows[2][3])};
  if (!std::isfinite(1 / glm::determinant(linear))) return way;
  const glm::dmat3 inverse = glm::inverse(linear);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) way.rows[row][column] = float(inverse[column][row]);
  }
  return way;
}

}  // namespace copse::viewer
