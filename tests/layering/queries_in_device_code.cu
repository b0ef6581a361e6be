// This is like a user's translation unit. It uses the header-only queries in device code, through binary and wide
// trees, an Accel and scenes. It is compiled with none of Copse's own options.

#include <copse/accel/accel_hit_view.h>
#include <copse/copse.h>
#include <copse/grids.h>
#include <copse/queries.h>
#include <copse/queries/overlap.h>
#include <copse/queries/wide_query_walk.h>
#include <copse/scene/nested_view.h>
#include <copse/scene/scene_query_view.h>

namespace {

struct Answer {
  copse::NearestPoint nearest;
  copse::Neighbour neighbours[4];
  copse::u32 in_sphere, in_box, in_frustum;
  bool is_inside, has_overlap;
};

template <class Tree>
__global__ void ask_all(Tree tree, copse::TriangleView triangles, const copse::vec3* points, copse::u32 count,
                        copse::Frustum frustum, Answer* answers) {
  const copse::u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const copse::vec3 point = points[i];
  Answer& answer = answers[i];
  answer.nearest = copse::nearest_point(tree, triangles, point);
  copse::k_nearest(tree, triangles, point, copse::infinity, 4, answer.neighbours);
  const copse::Sphere sphere{point, 1};
  answer.in_sphere = copse::count_overlaps(tree, triangles, sphere);
  answer.in_box = copse::count_overlaps(tree, triangles, copse::Aabb{point, point});
  answer.in_frustum = copse::count_overlaps(tree, triangles, frustum);
  answer.has_overlap = copse::any_overlap(tree, triangles, sphere);
  answer.is_inside = copse::is_inside(tree, triangles, point);
}

/// Keeps the distance of the farthest hit.
struct FarthestHit {
  float t = 0;
  __device__ bool operator()(const copse::Hit& hit) {
    t = hit.t;
    return true;
  }
};

__global__ void ask_accel(copse::AccelView accel, const copse::vec3* points, copse::u32 count, Answer* answers,
                          float* farthest) {
  const copse::u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const copse::vec3 point = points[i];
  Answer& answer = answers[i];
  answer.nearest = copse::nearest_point(accel, point);
  copse::k_nearest(accel, point, copse::infinity, 4, answer.neighbours);
  answer.in_sphere = copse::count_overlaps(accel, copse::Sphere{point, 1});
  answer.has_overlap = copse::any_overlap(accel, copse::Sphere{point, 1});
  answer.is_inside = copse::is_inside(accel, point);
  FarthestHit visit;
  copse::all_hits(accel, {point, 0, copse::vec3(0, 0, 1), copse::infinity}, visit, 1, copse::Cull::back);
  farthest[i] = visit.t;
}

/// Passes over a triangle by its number.
struct PassesOver {
  copse::u32 primitive;
  __device__ copse::FilterAnswer operator()(const copse::Hit& hit) const {
    return hit.primitive == primitive ? copse::FilterAnswer::pass_over : copse::FilterAnswer::accept;
  }
};

__global__ void filter_hits(copse::AccelView accel, const copse::Ray* rays, copse::HitList<4>* lists,
                            copse::Hit* hits, copse::u32* counts) {
  const copse::u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  PassesOver filter{i};
  hits[i] = copse::closest_hit(accel, rays[i], filter);
  lists[2 * i] = copse::first_hits<4>(accel, rays[i], filter, 1, copse::Cull::back);
  lists[2 * i + 1] = copse::first_hits<4>(accel, rays[i]);
  counts[i] = copse::count_hits(accel, rays[i]) + copse::any_hit(accel, rays[i], PassesOver{1});
}

struct SceneAnswer {
  copse::SceneNearest nearest;
  copse::SceneNeighbour neighbours[4];
  copse::u32 in_sphere;
  bool is_inside, has_overlap;
};

__global__ void ask_scene(copse::SceneView scene, const copse::vec3* points, copse::u32 count,
                          SceneAnswer* answers) {
  const copse::u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const copse::vec3 point = points[i];
  SceneAnswer& answer = answers[i];
  answer.nearest = copse::nearest_point(scene, point);
  copse::k_nearest(scene, point, copse::infinity, 4, answer.neighbours);
  answer.in_sphere = copse::count_overlaps(scene, copse::Sphere{point, 1}, 3);
  answer.has_overlap = copse::any_overlap(scene, copse::Sphere{point, 1});
  answer.is_inside = copse::is_inside(scene, point);
}

__global__ void trace_nested(copse::NestedSceneView scene, const copse::Ray* rays, copse::NestedHit* hits,
                             copse::u32* ids) {
  const copse::u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  hits[i] = copse::closest_hit(scene, rays[i], 1, copse::Cull::back);
  ids[i] = is_hit(hits[i]) ? scene.id_of(hits[i]) : copse::count_hits(scene, rays[i]);
  if (copse::any_hit(scene, rays[i])) hits[i + 1] = copse::first_hits<2>(scene, rays[i]).hits[0];
}

struct NestedAnswer {
  copse::NestedNearest nearest;
  copse::NestedNeighbour neighbours[4];
  copse::SpawnOffset spawn;
  copse::u32 id, in_sphere;
  bool is_inside, has_overlap;
};

__global__ void ask_nested(copse::NestedSceneView scene, const copse::vec3* points, NestedAnswer* answers) {
  const copse::u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const copse::vec3 point = points[i];
  NestedAnswer& answer = answers[i];
  answer.nearest = copse::nearest_point(scene, point);
  if (is_found(answer.nearest)) answer.id = scene.id_of(answer.nearest.path);
  copse::k_nearest(scene, point, copse::infinity, 4, answer.neighbours);
  answer.in_sphere = copse::count_overlaps(scene, copse::Sphere{point, 1}, 3);
  answer.has_overlap = copse::any_overlap(scene, copse::Sphere{point, 1});
  answer.is_inside = copse::is_inside(scene, point);
  const copse::NestedHit hit = copse::closest_hit(scene, {point, 0, point, copse::infinity});
  if (is_hit(hit)) answer.spawn = copse::spawn_offset(scene, copse::Triangle{point, point, point}, hit);
}

struct PointAnswer {
  copse::PointNeighbour nearest[20];
  copse::u32 count;
};

template <class Structure>
__global__ void ask_points(Structure structure, const copse::vec3* points, copse::u32 count,
                           PointAnswer* answers) {
  const copse::u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  copse::k_nearest_points(structure, points[i], copse::infinity, 20, answers[i].nearest);
  answers[i].count = copse::count_within(structure, points[i], 1);
}

}  // namespace

/// Launches the kernels, so that they are compiled.
void launch_all(void* stream, copse::BvhView bvh, copse::CompressedBvh4View wide, copse::TriangleView triangles,
                const copse::vec3* points, copse::Frustum frustum, Answer* answers) {
  auto* s = static_cast<cudaStream_t>(stream);
  ask_all<<<1, 64, 0, s>>>(bvh, triangles, points, 64, frustum, answers);
  ask_all<<<1, 64, 0, s>>>(wide, triangles, points, 64, frustum, answers);
}

void launch_accel(void* stream, copse::AccelView accel, const copse::vec3* points, Answer* answers,
                  float* farthest) {
  ask_accel<<<1, 64, 0, static_cast<cudaStream_t>(stream)>>>(accel, points, 64, answers, farthest);
}

void launch_filter(void* stream, copse::AccelView accel, const copse::Ray* rays, copse::HitList<4>* lists,
                   copse::Hit* hits, copse::u32* counts) {
  filter_hits<<<1, 64, 0, static_cast<cudaStream_t>(stream)>>>(accel, rays, lists, hits, counts);
}

void launch_points(void* stream, copse::HashGridView grid, copse::KdTreeView tree, copse::PointBvhView bvh,
                   const copse::vec3* points, PointAnswer* answers) {
  auto* s = static_cast<cudaStream_t>(stream);
  ask_points<<<1, 64, 0, s>>>(grid, points, 64, answers);
  ask_points<<<1, 64, 0, s>>>(tree, points, 64, answers);
  ask_points<<<1, 64, 0, s>>>(bvh, points, 64, answers);
}

void launch_scenes(void* stream, copse::SceneView scene, const copse::vec3* points, SceneAnswer* answers,
                   copse::NestedSceneView nested, const copse::Ray* rays, copse::NestedHit* hits, copse::u32* ids,
                   NestedAnswer* nested_answers) {
  auto* s = static_cast<cudaStream_t>(stream);
  ask_scene<<<1, 64, 0, s>>>(scene, points, 64, answers);
  trace_nested<<<1, 64, 0, s>>>(nested, rays, hits, ids);
  ask_nested<<<1, 64, 0, s>>>(nested, points, nested_answers);
}
