#pragma once

#include "accel/accel_view.h"
#include "scene/scene_view.h"
#include "viewer/model/picture/surface.h"

// What the rays of pixels hit in a scene of instances.

namespace copse::viewer {

/// Stores hits on instances as hits on the triangles of all instances in one list.
///   first_triangles: of each instance, in that list
void flatten_hits(Context& context, BufferSpan<const u32> first_triangles, BufferSpan<const SceneHit> hits,
                  BufferSpan<Hit> flat);

/// Stores the number of the instance of each surface; invalid_id where there is none.
void label_instances(Context& context, BufferSpan<const u32> first_triangles,
                     BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> labels);

/// The way of a ray into the space of an instance's mesh.
struct InstanceWay {
  vec3 rows[3];  // of the inverse
  vec3 translation;

  COPSE_HD Ray into_mesh(const Ray& ray, float limit) const {
    using namespace copse::detail;
    const vec3 origin = sub_rn(ray.origin, translation);
    return {vec3(dot_rn(rows[0], origin), dot_rn(rows[1], origin), dot_rn(rows[2], origin)), ray.t_min,
            vec3(dot_rn(rows[0], ray.direction), dot_rn(rows[1], ray.direction), dot_rn(rows[2], ray.direction)),
            limit};
  }
};

/// Returns the way into an instance. That of one that cannot be inverted has zeros: no ray hits anything there.
InstanceWay way_into(const Instance& instance);

/// Both levels of a scene.
struct TwoLevels {
  CompressedBvh4View tree;             // over the instances
  BufferSpan<const InstanceWay> ways;  // per instance
  BufferSpan<const AccelView> accels;  // per instance
};

/// Stores how many nodes of both levels, instances and triangles each ray visits up to its closest hit.
void count_scene_visits(Context& context, const TwoLevels& levels, BufferSpan<const Ray> rays,
                        BufferSpan<u32> visits);

}  // namespace copse::viewer
