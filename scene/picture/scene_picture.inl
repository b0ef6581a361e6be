// The steps of a picture of a scene: camera rays, ambient rays, visits, colours. scene_picture.cpp traces the batches
// between them.

#include "scene/picture/scene_picture.h"

#include "primitives/inputs.h"
#include "primitives/reduce.h"
#include "scene/scene_view.h"
#include "trace/heat_colour.h"
#include "trace/shade_colour.h"
#include "trace/subtree_rays.h"
#include "trace/surface_point.h"

namespace copse::detail {

namespace {

/// Returns a point of a mesh, placed in the scene.
COPSE_HD inline vec3 placed_point(const Instance& instance, const vec3& p) {
  vec3 q;
  for (int row = 0; row < 3; ++row) {
    const float* const m = instance.rows[row];
    q[row] = add_rn(dot_rn(vec3(m[0], m[1], m[2]), p), m[3]);
  }
  return clean_point(q);
}

/// The triangle that was hit, in the scene.
COPSE_HD inline Triangle placed_triangle(const SceneMeshesView& meshes, const SceneHit& hit) {
  const Instance& instance = meshes.instances[hit.instance];
  const u32 number = meshes.part_first[meshes.part_of(hit.instance, hit.geometry)] + hit.primitive;
  const uvec3 corners = meshes.triangles[number];
  return {placed_point(instance, meshes.positions[corners.x]), placed_point(instance, meshes.positions[corners.y]),
          placed_point(instance, meshes.positions[corners.z])};
}

struct StoreCameraRays {
  ScenePicture picture;
  COPSE_HD void operator()(u64 i) const { picture.rays[i] = picture.camera_ray_of(i); }
};

/// Converts linear light to values of the screen: about their square roots.
COPSE_HD inline vec3 on_screen(const float* linear) {
  return vec3(sqrt_rn(larger(linear[0], 0.0f)), sqrt_rn(larger(linear[1], 0.0f)),
              sqrt_rn(larger(linear[2], 0.0f)));
}

template <bool by_instance>
struct ShadeScene {
  ScenePicture picture;

  COPSE_HD vec3 tint(const SceneHit& hit, const vec3& normal) const {
    if constexpr (by_instance) {
      return id_colour(hit.instance);
    } else {
      const u32 part = picture.meshes.part_of(hit.instance, hit.geometry);
      return mul_rn(normal_tint(normal), on_screen(picture.meshes.part_colours + 4 * u64{part}));
    }
  }

  COPSE_HD void operator()(u64 i) const {
    const SceneHit hit = picture.hits[i];
    vec3 colour = background_colour(div_rn(float(u32(i / picture.width)), float(picture.height)));
    if (is_hit(hit)) {
      const vec3 direction = picture.camera_ray_of(i).direction;
      const vec3 normal = facing_normal(placed_triangle(picture.meshes, hit), direction);
      colour = mul_rn(tint(hit, normal), headlight(dot_rn(normal, direction)));
    }
    picture.pixels[i] = to_rgba(colour);
  }
};

/// The bits of a distance. Distances are not negative, so their bits have their order.
template <u32 of_a_miss>
struct SceneDistanceBits {
  const SceneHit* hits;
  COPSE_HD u32 operator()(u64 i) const { return is_hit(hits[i]) ? bits_of(add_rn(hits[i].t, 0.0f)) : of_a_miss; }
};

struct ShadeSceneDistance {
  ScenePicture picture;
  COPSE_HD void operator()(u64 i) const {
    vec3 colour(0.02f, 0.025f, 0.05f);
    if (is_hit(picture.hits[i])) {
      const float nearest = float_from_bits(picture.extremes[0]), farthest = float_from_bits(picture.extremes[1]);
      const float range = sub_rn(farthest, nearest);
      colour = distance_colour(range > 0 ? div_rn(sub_rn(picture.hits[i].t, nearest), range) : 0.0f);
    }
    picture.pixels[i] = to_rgba(colour);
  }
};

/// Stores one ambient ray per pixel. If the camera's ray hits nothing, the ambient ray has length zero.
struct StoreAmbientRays {
  ScenePicture picture;
  bool is_first;
  float reach;
  COPSE_HD void operator()(u64 i) const {
    if (is_first) {
      picture.sphere[i] = SpherePoints(u32(i));
      picture.open_counts[i] = 0;
    }
    const vec3 direction = picture.camera_ray_of(i).direction;
    const SceneHit hit = picture.hits[i];
    Ray ray{vec3(0), 0, direction, 0};
    if (is_hit(hit)) {
      const SurfacePoint point = surface_point(placed_triangle(picture.meshes, hit), hit.u, hit.v, direction);
      ray = {point.position, 0, ambient_direction(point.normal, picture.sphere[i].next()), reach};
    }
    picture.rays[i] = ray;
  }
};

struct CountOpenRays {
  const u8* occluded;
  u32* open_counts;
  COPSE_HD void operator()(u64 i) const { open_counts[i] += occluded[i] == 0; }
};

struct ShadeSceneOcclusion {
  ScenePicture picture;
  u32 ray_count;
  COPSE_HD void operator()(u64 i) const {
    vec3 colour(1.0f);
    if (is_hit(picture.hits[i])) {
      // Light adds up in linear values.
      colour = vec3(mul_rn(0.90f, sqrt_rn(div_rn(float(picture.open_counts[i]), float(ray_count)))));
    }
    picture.pixels[i] = to_rgba(colour);
  }
};

/// The leaf test of the tree over instances: traverses each mesh, and counts what the ray visits there.
struct VisitMeshes {
  const SceneParts& scene;
  const Ray& ray;
  VisitCounter& counter;

  COPSE_HD bool operator()(u32 record, float& limit) {
    const PlacedInstance& instance = scene.instances[record];
    const AccelView& accel = scene.accels[instance.accel];
    const Ray in_mesh = instance.into_mesh(ray, limit);
    ClosestTriangle closest(triangles_of(accel.triangles), in_mesh);
    float t = traverse_robust(Subtree<CompressedBvh4Node>(accel.tree, instance.node), in_mesh, closest, counter);
    if (closest.closest != invalid_id && bring_into_box(ray, instance.box(), t) && t < limit) limit = t;
    return false;
  }
};

struct CountPictureVisits {
  ScenePicture picture;
  SceneView scene;

  COPSE_HD void operator()(u64 i) const {
    const Ray ray = picture.rays[i];
    VisitCounter counter;
    VisitMeshes test{scene.parts, ray, counter};
    traverse<default_stack_size>(scene.tree, ray, test, counter);
    picture.visits[i] = counter.nodes + counter.primitives;
  }
};

struct ShadeSceneHeat {
  ScenePicture picture;
  u32 limit;  // 0: the maximum of the picture
  COPSE_HD void operator()(u64 i) const {
    const u32 hottest = larger(limit == 0 ? picture.extremes[1] : limit, 1u);
    picture.pixels[i] = to_rgba(heat_scale(div_rn(float(picture.visits[i]), float(hottest))));
  }
};

}  // namespace

template <class Executor>
void store_camera_rays(const Executor& ex, const ScenePicture& picture) {
  for_each(ex, "render: rays", picture.pixel_count(), StoreCameraRays{picture});
}

template <class Executor>
void store_ambient_rays(const Executor& ex, const ScenePicture& picture, bool is_first, float reach) {
  for_each(ex, "render: ambient rays", picture.pixel_count(), StoreAmbientRays{picture, is_first, reach});
}

template <class Executor>
void count_open_rays(const Executor& ex, const ScenePicture& picture) {
  for_each(ex, "render: open rays", picture.pixel_count(), CountOpenRays{picture.occluded, picture.open_counts});
}

template <class Executor>
void count_picture_visits(const Executor& ex, const ScenePicture& picture, const SceneView& scene) {
  const u64 n = picture.pixel_count();
  for_each(ex, "render: trace and count", n, CountPictureVisits{picture, scene});
  reduce(ex, "render: most visits", n, Elements<u32>{picture.visits}, u32{0}, Larger{}, picture.extremes + 1);
}

template <class Executor>
void colour_scene(const Executor& ex, const ScenePicture& picture, const RenderOptions& options) {
  const u64 n = picture.pixel_count();
  switch (options.shading) {
    case Shading::normal: for_each(ex, "render: normals", n, ShadeScene<false>{picture}); break;
    case Shading::primitive: for_each(ex, "render: instances", n, ShadeScene<true>{picture}); break;
    case Shading::distance:
      reduce(ex, "render: nearest", n, SceneDistanceBits<invalid_id>{picture.hits}, invalid_id, Smaller{},
             picture.extremes);
      reduce(ex, "render: farthest", n, SceneDistanceBits<0>{picture.hits}, u32{0}, Larger{},
             picture.extremes + 1);
      for_each(ex, "render: distances", n, ShadeSceneDistance{picture});
      break;
    case Shading::ambient_occlusion:
      for_each(ex, "render: ambient occlusion", n, ShadeSceneOcclusion{picture, options.ambient_rays});
      break;
    case Shading::heat: for_each(ex, "render: heat", n, ShadeSceneHeat{picture, options.heat_limit}); break;
  }
}

template void store_camera_rays(const BodyExecutor&, const ScenePicture&);
template void store_ambient_rays(const BodyExecutor&, const ScenePicture&, bool, float);
template void count_open_rays(const BodyExecutor&, const ScenePicture&);
template void count_picture_visits(const BodyExecutor&, const ScenePicture&, const SceneView&);
template void colour_scene(const BodyExecutor&, const ScenePicture&, const RenderOptions&);

}  // namespace copse::detail
