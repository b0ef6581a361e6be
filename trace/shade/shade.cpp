// The calls that render a picture. They make the buffers and the RenderJob, and download the pixels.

#include "trace/shade.h"

#include <algorithm>
#include <string>

#include "builders/geometry/scene_bounds.h"
#include "primitives/core/buffer.h"
#include "primitives/core/dispatch.h"
#include "trace/batch/check.h"
#include "trace/frustum_march.h"
#include "trace/heat_colour.h"
#include "trace/picture_rows.h"
#include "trace/render_check.h"
#include "trace/shade/render_job.h"
#include "trace/shade_colour.h"

namespace copse {

namespace detail {

// The body: shade.inl, for either executor.

/// View: BvhView, GridView or FrustumGridView.
template <class Executor, class View>
void render_pixels(const Executor& ex, const View& view, const RenderJob& job);

}  // namespace detail

namespace {

void check_render_option(const char* name, u32 value, u32 least, u32 most) {
  if (value < least || value > most) {
    throw Error(ErrorCode::invalid_argument, std::string("render: ") + name + " is " + std::to_string(value) +
                                                 "; it can be " + std::to_string(least) + " to " +
                                                 std::to_string(most));
  }
}

}  // namespace

namespace detail {

void check_render_options(const RenderOptions& options) {
  check_render_option("width", options.width, 1, 16384);
  check_render_option("height", options.height, 1, 16384);
  check_render_option("shading", u32(options.shading), 0, u32(Shading::heat));
  check_render_option("ambient_rays", options.ambient_rays, 1, 4096);
  if (!(options.ambient_distance >= 0)) {
    throw Error(
        ErrorCode::invalid_argument,
        "render: ambient_distance is " + std::to_string(options.ambient_distance) + "; it can be 0 or more");
  }
}

}  // namespace detail

namespace {

/// Calls render(executor, job) with a job that lacks only its triangles, and returns the picture.
template <class Render>
Image render_by(Context& context, const Camera& camera, const RenderOptions& options, const Render& render) {
  const u64 pixel_count = u64(options.width) * options.height;
  Buffer<detail::PixelHit> hits(context, pixel_count);
  Buffer<Rgba8> pixels(context, pixel_count);
  Buffer<u32> extremes(context, 2);
  dispatch(context, [&](const auto& ex) {
    render(
        ex,
        detail::RenderJob{
            {}, {}, camera, options, {0, options.height}, nullptr, hits.data(), pixels.data(), extremes.data()});
  });

  Image image{options.width, options.height, pixels.download()};
  if (options.shading == Shading::heat) {
    detail::finish_picture(image, options, {.most = download(context, extremes.span().subspan(1, 1))[0]});
  }
  return image;
}

/// `box`: of the triangles in the context's memory, or none.
template <class View>
Image render_view(Context& context, const View& view, const TriangleViews& triangles, const Camera& camera,
                  const RenderOptions& options, BufferSpan<const Aabb> box) {
  return render_by(context, camera, options, [&](const auto& ex, detail::RenderJob job) {
    job.views = triangles.views();
    job.box = box.data();
    detail::render_pixels(ex, view, job);
  });
}

}  // namespace

Image render(Context& context, const BvhView& bvh, const TriangleViews& triangles, const Camera& camera,
             const RenderOptions& options) {
  detail::check_tree("render", bvh);
  detail::check_render_options(options);
  return render_view(context, bvh, triangles, camera, options, {});
}

Image render(Context& context, const CompressedBvh4View& bvh, BufferSpan<const PackedTriangle> triangles,
             const Camera& camera, const RenderOptions& options) {
  detail::PictureRows rows(context, bvh, triangles, camera, options, {0, options.height});
  rows.trace();
  const detail::PictureExtremes extremes = rows.extremes();
  rows.colour(extremes);
  Image image{options.width, options.height, std::vector<Rgba8>(u64(options.width) * options.height)};
  rows.download(image.pixels.data());
  detail::finish_picture(image, options, extremes);
  return image;
}

Image render(Context& context, const GridView& grid, const TriangleViews& triangles, const Camera& camera,
             const RenderOptions& options) {
  detail::check_grid("render", grid);
  detail::check_render_options(options);
  Buffer<Aabb> box(context, 1);
  scene_bounds(context, triangles, box.span());
  return render_view(context, grid, triangles, camera, options, box.span());
}

Image render(Context& context, const FrustumGridView& grid, const TriangleViews& triangles,
             const RenderOptions& options) {
  detail::check_grid("render", grid);
  detail::check_render_options(options);
  if (options.shading == Shading::ambient_occlusion) {
    detail::refuse("render",
                   "ambient occlusion needs rays from surfaces; a frustum grid has rays from its eye alone");
  }
  return render_view(context, grid, triangles, detail::camera_of(grid.frustum), options, {});
}

Rgba8 heat_colour(float x) {
  return detail::to_rgba(detail::heat_scale(x));
}

}  // namespace copse
