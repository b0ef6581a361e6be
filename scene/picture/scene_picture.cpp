// Pictures of scenes, by batches of rays.

#include "scene/scene_render.h"

#include <string>

#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "scene/build/scene_check.h"
#include "scene/picture/scene_picture.h"
#include "scene/scene_rays.h"
#include "trace/picture_rows.h"
#include "trace/render_check.h"

namespace copse {

namespace detail {

// The body: scene_picture.inl, for either executor.

/// Stores a ray of the camera per pixel.
template <class Executor>
void store_camera_rays(const Executor& ex, const ScenePicture& picture);
/// Stores an ambient ray per pixel. The first call of a picture also initialises the directions and counts.
template <class Executor>
void store_ambient_rays(const Executor& ex, const ScenePicture& picture, bool is_first, float reach);
/// Adds up the ambient rays that escaped.
template <class Executor>
void count_open_rays(const Executor& ex, const ScenePicture& picture);
/// Stores the number of visits of each camera ray on both levels, and the maximum.
template <class Executor>
void count_picture_visits(const Executor& ex, const ScenePicture& picture, const SceneView& scene);
/// Stores the pixels.
template <class Executor>
void colour_scene(const Executor& ex, const ScenePicture& picture, const RenderOptions& options);

}  // namespace detail

namespace {

void check(Context& context, const Scene& scene, const SceneMeshes& meshes, const RenderOptions& options) {
  detail::check_scene("render", context, scene);
  detail::check_render_options(options);
  if (scene.instance_count() != meshes.instances().size() || scene.accel_count() != meshes.size()) {
    detail::refuse("render", "the scene has " + detail::counted(scene.instance_count(), "instances") + " of " +
                                 detail::counted(scene.accel_count(), "accels") + ", but the meshes have " +
                                 detail::counted(meshes.instances().size(), "instances") + " of " +
                                 detail::counted(meshes.size(), "meshes"));
  }
}

/// Traces the ambient rays of all pixels, one per pixel at a time.
void trace_ambient(Context& context, const Scene& scene, detail::ScenePicture& picture,
                   const RenderOptions& options) {
  const u64 n = picture.pixel_count();
  Buffer<detail::SpherePoints> sphere(context, n);
  Buffer<u8> occluded(context, n);
  picture.sphere = sphere.data();
  picture.occluded = occluded.data();
  float reach = options.ambient_distance;
  if (!(reach > 0)) {
    const Aabb box = bounds(context, scene);
    reach = is_empty(box) ? 0.0f : mul_rn(length_rn(sub_rn(box.hi, box.lo)), 0.25f);
  }
  for (u32 k = 0; k < options.ambient_rays; ++k) {
    dispatch(context, [&](const auto& ex) { detail::store_ambient_rays(ex, picture, k == 0, reach); });
    any_hits(context, scene, BufferSpan<const Ray>(picture.rays, n), occluded.span());
    dispatch(context, [&](const auto& ex) { detail::count_open_rays(ex, picture); });
  }
  context.wait();
}

}  // namespace

Image render(Context& context, const Scene& scene, const SceneMeshes& meshes, const Camera& camera,
             const RenderOptions& options) {
  check(context, scene, meshes, options);
  const u64 n = u64{options.width} * options.height;
  const bool is_ambient = options.shading == Shading::ambient_occlusion,
             is_heat = options.shading == Shading::heat;
  Buffer<Ray> rays(context, n);
  Buffer<SceneHit> hits(context, n);
  Buffer<Rgba8> pixels(context, n);
  Buffer<u32> extremes(context, 2), open_counts(context, is_ambient ? n : 0), visits(context, is_heat ? n : 0);
  detail::ScenePicture picture{meshes.view(), camera,      options.width,      options.height,
                               rays.data(),   hits.data(), pixels.data(),      extremes.data(),
                               nullptr,       nullptr,     open_counts.data(), visits.data()};
  dispatch(context, [&](const auto& ex) { detail::store_camera_rays(ex, picture); });
  if (is_heat) {
    const SceneView view = scene.view();
    dispatch(context, [&](const auto& ex) { detail::count_picture_visits(ex, picture, view); });
  } else {
    closest_hits(context, scene, rays.span(), hits.span());
  }
  if (is_ambient) trace_ambient(context, scene, picture, options);
  dispatch(context, [&](const auto& ex) { detail::colour_scene(ex, picture, options); });
  Image image{options.width, options.height, pixels.download()};
  if (is_heat) detail::finish_picture(image, options, {0, extremes.download()[1]});
  return image;
}

Aabb bounds(Context& context, const Scene& scene) {
  detail::check_scene("bounds", context, scene);
  Aabb all = Aabb::empty();
  for (const Aabb& box : download(context, scene.boxes().first(scene.instance_count()))) {
    if (is_valid(box)) all = merge(all, box);
  }
  return all;
}

}  // namespace copse
