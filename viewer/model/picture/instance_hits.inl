#include "viewer/model/picture/instance_hits.h"

#include "trace/traverse.h"

namespace copse::viewer {

namespace {

struct FlattenHits {
  const u32* first_triangles;
  const SceneHit* hits;
  Hit* flat;
  COPSE_HD void operator()(u64 i) const {
    const SceneHit hit = hits[i];
    flat[i] = {hit.t, invalid_id, invalid_id, hit.u, hit.v};
    if (!is_hit(hit)) return;
    flat[i].primitive = first_triangles[hit.instance] + hit.primitive;
    flat[i].geometry = 0;
  }
};

struct LabelInstances {
  BufferSpan<const u32> first_triangles;
  const SurfaceHit* surfaces;
  u32* labels;
  COPSE_HD void operator()(u64 i) const {
    const u32 triangle = surfaces[i].id;
    labels[i] = invalid_id;
    if (triangle == invalid_id) return;
    u64 begin = 0, end = first_triangles.size();
    while (end - begin > 1) {
      const u64 middle = begin + (end - begin) / 2;
      (first_triangles.data()[middle] <= triangle ? begin : end) = middle;
    }
    labels[i] = u32(begin);
  }
};

/// Traces a ray through the mesh of each instance whose box it meets.
struct VisitInstances {
  const TwoLevels& levels;
  const Ray& ray;
  VisitCounter& counter;
  COPSE_HD bool operator()(u32 number, float& limit) {
    const AccelView accel = levels.accels.data()[number];
    const Ray inside = levels.ways.data()[number].into_mesh(ray, limit);
    const Hit found = closest_hit(accel.tree, accel.triangles, inside, counter);
    if (is_hit(found)) limit = found.t;
    return false;
  }
};

struct CountSceneVisits {
  TwoLevels levels;
  const Ray* rays;
  u32* visits;
  COPSE_HD void operator()(u64 i) const {
    const Ray ray = rays[i];
    VisitCounter counter;
    VisitInstances test{levels, ray, counter};
    traverse<default_stack_size>(levels.tree, ray, test, counter);
    visits[i] = counter.nodes + counter.primitives;
  }
};

}  // namespace

template <class Executor>
void flatten_hits(const Executor& ex, BufferSpan<const u32> first_triangles, BufferSpan<const SceneHit> hits,
                  BufferSpan<Hit> flat) {
  for_each(ex, "picture: hits of instances", hits.size(),
           FlattenHits{first_triangles.data(), hits.data(), flat.data()});
}

template <class Executor>
void label_instances(const Executor& ex, BufferSpan<const u32> first_triangles,
                     BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> labels) {
  for_each(ex, "picture: instances", surfaces.size(),
           LabelInstances{first_triangles, surfaces.data(), labels.data()});
}

template <class Executor>
void count_scene_visits(const Executor& ex, const TwoLevels& levels, BufferSpan<const Ray> rays,
                        BufferSpan<u32> visits) {
  for_each(ex, "picture: visits of both levels", rays.size(),
           CountSceneVisits{levels, rays.data(), visits.data()});
}

template void flatten_hits(const copse::detail::BodyExecutor&, BufferSpan<const u32>, BufferSpan<const SceneHit>,
                           BufferSpan<Hit>);
template void label_instances(const copse::detail::BodyExecutor&, BufferSpan<const u32>,
                              BufferSpan<const SurfaceHit>, BufferSpan<u32>);
template void count_scene_visits(const copse::detail::BodyExecutor&, const TwoLevels&, BufferSpan<const Ray>,
                                 BufferSpan<u32>);

}  // namespace copse::viewer
