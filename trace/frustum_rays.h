#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/frustum_layout.h"
#include "primitives/core/context.h"
#include "trace/camera.h"
#include "trace/ray.h"

namespace copse {

/// What a camera sees, to build a frustum grid of.
///   nearest, farthest: as in ViewFrustum
ViewFrustum view_frustum(const Camera& camera, float nearest = 0, float farthest = 0);

/// The closest hits of a picture of the grid's frustum: hits[y * width + x] is that of camera_ray(camera, x, y,
/// width, height). Equal on all backends and to that through a tree over the same triangles, bit for bit. Any size
/// of picture will do; pictures of 4 x 8 or 8 x 8 pixels a tile are the fastest.
///   grid:  over `triangles`, and complete (check_complete of its cells)
///   hits:  width * height; must not overlap grid or triangles
///   masks: one for each pixel's ray, or none, which are masks of ones: as TraceOptions::masks; must not overlap
///          the hits. Pictures with masks, of rays or of views, are traced ray by ray
/// Throws: Error invalid_argument where there is not one hit a pixel, or as many masks, and for a width or height
/// of 0 or past 65536; Error out_of_memory, Error cancelled. Memory: scratch of 80 bytes a view where there are
/// several views.
void closest_hits(Context& context, const FrustumGridView& grid, const TriangleViews& triangles, u32 width,
                  u32 height, BufferSpan<Hit> hits, BufferSpan<const u32> masks = {});

/// The closest hit of every ray, in any order, as above; the rays are sorted by tile first.
///   rays:  each starts at the eye of the grid's frustum and passes its screen; t_min at least 0, as what is
///   behind
///          the eye is in no cell, t_max as in Ray. Below 2^32, may be empty
///   hits:  as many; must not overlap the rays
///   masks: as many or none, as above
/// Throws: Error invalid_argument, with its number, for the first ray that starts elsewhere, begins behind the
/// eye or passes beside the screen, and where there are not as many hits or masks as rays; Error out_of_memory,
/// Error cancelled. Memory: scratch of about 24 bytes a ray. Waits, to look at the rays.
void closest_hits(Context& context, const FrustumGridView& grid, const TriangleViews& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits, BufferSpan<const u32> masks = {});

}  // namespace copse
