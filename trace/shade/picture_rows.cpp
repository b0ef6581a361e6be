#include "trace/picture_rows.h"

#include <algorithm>

#include "primitives/core/dispatch.h"
#include "trace/batch/check.h"
#include "trace/heat_colour.h"
#include "trace/render_check.h"

namespace copse::detail {

// The body: shade.inl, for either executor.

/// Traces job.packed. It computes the box of the triangles itself.
template <class Executor>
void render_packed(const Executor& ex, const CompressedBvh4View& view, RenderJob job);

PictureExtremes merge(const PictureExtremes& a, const PictureExtremes& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

PictureRows::PictureRows(Context& context, const CompressedBvh4View& bvh,
                         BufferSpan<const PackedTriangle> triangles, const Camera& camera,
                         const RenderOptions& options, const RowRange& rows)
    : context_(context), bvh_(bvh) {
  check_tree("render", bvh);
  check_render_options(options);
  check_same_count("render", "packed triangles", triangles.size(), "primitive ids of the tree",
                   bvh.primitive_ids.size());
  const u64 pixel_count = u64(options.width) * rows.count;
  hits_ = Buffer<PixelHit>(context, pixel_count);
  pixels_ = Buffer<Rgba8>(context, pixel_count);
  extremes_ = Buffer<u32>(context, 2);
  job_ = {.views = {},
          .packed = triangles,
          .camera = camera,
          .options = options,
          .rows = rows,
          .box = nullptr,
          .hits = hits_.data(),
          .pixels = pixels_.data(),
          .extremes = extremes_.data()};
}

void PictureRows::run(RenderSteps steps) {
  job_.steps = steps;
  dispatch(context_, [&](const auto& ex) { render_packed(ex, bvh_, job_); });
}

void PictureRows::trace() {
  run(RenderSteps::trace);
}

PictureExtremes PictureRows::extremes() const {
  const Shading shading = job_.options.shading;
  if (shading == Shading::heat) return {.most = copse::download(context_, extremes_.span().subspan(1, 1))[0]};
  if (shading != Shading::distance) return {};
  const std::vector<u32> found = extremes_.download();
  return {found[0], found[1]};
}

void PictureRows::colour(const PictureExtremes& whole) {
  extremes_.upload(std::vector<u32>{whole.least, whole.most});
  run(RenderSteps::colour);
}

void PictureRows::download(Rgba8* to) const {
  const std::vector<Rgba8> pixels = pixels_.download();
  std::copy(pixels.begin(), pixels.end(), to);
}

void finish_picture(Image& image, const RenderOptions& options, const PictureExtremes& whole) {
  if (options.shading != Shading::heat) return;
  const u32 limit = std::max(options.heat_limit == 0 ? whole.most : options.heat_limit, 1u);
  draw_heat_legend(image, limit, whole.most > limit);
}

}  // namespace copse::detail
