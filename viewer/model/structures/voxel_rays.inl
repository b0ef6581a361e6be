#include "trace/voxel_march.h"
#include "viewer/model/picture/surface.h"

namespace copse::viewer {

namespace {

/// The face of a voxel through which a ray enters at `t`: of the faces towards the ray, the one nearest to the
/// point.
COPSE_HD inline vec3 entered_face(const GridShape& shape, const uvec3& voxel, const Ray& ray, float t) {
  const vec3 point(add_rn(ray.origin.x, mul_rn(t, ray.direction.x)),
                   add_rn(ray.origin.y, mul_rn(t, ray.direction.y)),
                   add_rn(ray.origin.z, mul_rn(t, ray.direction.z)));
  const dvec3 cells = shape.to_cells(point);
  double least = double(infinity);
  vec3 normal = vec3(0);
  const auto look_at_face = [&](double place, u32 cell, float direction, const vec3& axis) {
    if (direction == 0) return;
    const double away = place - double(direction > 0 ? cell : cell + 1);
    const double distance = away < 0 ? -away : away;
    if (distance >= least) return;
    least = distance;
    normal = direction > 0 ? vec3(-axis.x, -axis.y, -axis.z) : axis;
  };
  look_at_face(cells.x, voxel.x, ray.direction.x, vec3(1, 0, 0));
  look_at_face(cells.y, voxel.y, ray.direction.y, vec3(0, 1, 0));
  look_at_face(cells.z, voxel.z, ray.direction.z, vec3(0, 0, 1));
  return normal;
}

template <class View>
struct SeeVoxels {
  View voxels;
  const Ray* rays;
  SurfaceHit* surfaces;
  COPSE_HD void operator()(u64 i) const {
    const Ray ray = rays[i];
    const VoxelHit hit = first_voxel(voxels, ray);
    SurfaceHit surface{vec3(0), hit.t, invalid_id};
    if (is_hit(hit)) {
      surface.normal = entered_face(voxels.shape, hit.voxel, ray, hit.t);
      surface.id = smaller(voxels.shape.cell_id(hit.voxel), invalid_id - 1);
    }
    surfaces[i] = surface;
  }
};

template <class View>
struct MeetVoxels {
  View voxels;
  const Ray* rays;
  u8* occluded;
  COPSE_HD void operator()(u64 i) const { occluded[i] = is_hit(first_voxel(voxels, rays[i])) ? 1 : 0; }
};

/// Counts the visits of a traversal.
template <class Visit>
struct Counted {
  Visit visit;
  u32 count = 0;
  template <class Id>
  COPSE_HD bool operator()(Id id, float leave) {
    ++count;
    return visit(id, leave);
  }
};

COPSE_HD inline u32 visits_of(const VoxelView& voxels, const Ray& ray) {
  const detail::MarchedRay marched = detail::enter_grid(voxels.shape, ray);
  if (!(marched.length >= 0)) return 0;
  Counted<detail::FindSetBit> find{detail::FindSetBit{voxels}};
  const u64 row = voxels.row_bits();
  detail::march_narrow(voxels.shape.resolution, row, row * voxels.shape.resolution.y, marched, find);
  return find.count;
}

COPSE_HD inline u32 visits_of(const BrickView& bricks, const Ray& ray) {
  const detail::MarchedRay marched = detail::enter_grid(bricks.places, ray, detail::march_slack / brick_edge);
  if (!(marched.length >= 0)) return 0;
  Counted<detail::FindInBricks> find{detail::FindInBricks{bricks, marched}};
  detail::march_bricks(bricks, marched, find);
  return find.count;
}

COPSE_HD inline u32 visits_of(const VoxelTreeView& tree, const Ray& ray) {
  const GridShape places = detail::places_of(tree);
  const detail::MarchedRay marched = detail::enter_grid(places, ray, detail::march_slack / brick_edge);
  if (!(marched.length >= 0)) return 0;
  Counted<detail::FindInTree> find{detail::FindInTree{tree, marched}};
  detail::march_tree(places, marched, find);
  return find.count;
}

template <class View>
struct CountVoxelVisits {
  View voxels;
  const Ray* rays;
  u32* visits;
  COPSE_HD void operator()(u64 i) const { visits[i] = is_traceable(rays[i]) ? visits_of(voxels, rays[i]) : 0; }
};

}  // namespace

template <class Executor, class View>
void see_voxels(const Executor& ex, const View& voxels, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces) {
  for_each(ex, "picture: voxels", rays.size(), SeeVoxels<View>{voxels, rays.data(), surfaces.data()});
}

template <class Executor, class View>
void meet_voxels(const Executor& ex, const View& voxels, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) {
  for_each(ex, "picture: voxels in the way", rays.size(), MeetVoxels<View>{voxels, rays.data(), occluded.data()});
}

template <class Executor, class View>
void count_voxel_visits(const Executor& ex, const View& voxels, BufferSpan<const Ray> rays,
                        BufferSpan<u32> visits) {
  for_each(ex, "picture: visits", rays.size(), CountVoxelVisits<View>{voxels, rays.data(), visits.data()});
}

#define COPSE_VOXEL_RAYS_OF(View)                                                                          \
  template void see_voxels(const copse::detail::BodyExecutor&, const View&, BufferSpan<const Ray>,         \
                           BufferSpan<SurfaceHit>);                                                        \
  template void meet_voxels(const copse::detail::BodyExecutor&, const View&, BufferSpan<const Ray>,        \
                            BufferSpan<u8>);                                                               \
  template void count_voxel_visits(const copse::detail::BodyExecutor&, const View&, BufferSpan<const Ray>, \
                                   BufferSpan<u32>)

COPSE_VOXEL_RAYS_OF(VoxelView);
COPSE_VOXEL_RAYS_OF(BrickView);
COPSE_VOXEL_RAYS_OF(VoxelTreeView);

}  // namespace copse::viewer
