#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/frustum_layout.h"
#include "primitives/core/context.h"
#include "trace/camera.h"
#include "trace/grid_rays.h"
#include "trace/ray.h"

namespace copse {

/// Returns the frustum that a camera sees, for build_frustum_grid.
///   nearest, farthest: as in ViewFrustum
inline ViewFrustum view_frustum(const Camera& camera, float nearest = 0, float farthest = 0) {
  return {camera.eye, camera.forward, camera.right, camera.up, nearest, farthest};
}

/// Writes the closest hits of a picture of the grid's frustum: hits[y * width + x] is that of camera_ray(camera,
/// x, y, width, height). The hits are equal on all backends, and equal to those through a tree over the same
/// triangles, bit for bit. The picture may have any size. Pictures of 4 x 8 or 8 x 8 pixels per tile are the
/// fastest.
///   grid:    over `triangles`, and complete (check_complete of its cells)
///   hits:    width * height; must not overlap grid or triangles
///   options: masks, one per pixel's ray, must not overlap the hits. Pictures with masks, of rays or of views, are
///            traced ray by ray
/// Throws: Error invalid_argument if there is not one hit per pixel, or not as many masks, and for a width or
/// height of 0 or past 65536. Error out_of_memory, Error cancelled.
/// Memory: scratch of 80 bytes per view if there are several views.
COPSE_API void closest_hits(Context& context, const FrustumGridView& grid, const TriangleViews& triangles,
                            u32 width, u32 height, BufferSpan<Hit> hits, const GridTraceOptions& options = {});

/// Writes the closest hit of every ray, as above. The rays may be in any order: they are sorted by tile first.
///   rays:    below 2^32, may be empty. Each starts at the eye of the grid's frustum and passes its screen. t_min is
///            at least 0, as nothing behind the eye is in a cell; t_max is as in Ray
///   hits:    one per ray; must not overlap the rays
///   options: masks, one per ray, as above
/// Throws: Error invalid_argument for the first ray that starts elsewhere, begins behind the eye or passes beside
/// the screen, with the number of the ray; if the number of hits or of masks is not that of the rays. Error
/// out_of_memory, Error cancelled.
/// Waits: for the check of the rays.
/// Memory: scratch of about 24 bytes per ray.
COPSE_API void closest_hits(Context& context, const FrustumGridView& grid, const TriangleViews& triangles,
                            BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                            const GridTraceOptions& options = {});

// Deprecated names, until 0.2.
[[deprecated("give {.masks = masks}")]] inline void closest_hits(Context& context, const FrustumGridView& grid,
                                                                 const TriangleViews& triangles, u32 width,
                                                                 u32 height, BufferSpan<Hit> hits,
                                                                 BufferSpan<const u32> masks) {
  closest_hits(context, grid, triangles, width, height, hits, GridTraceOptions{masks});
}
[[deprecated("give {.masks = masks}")]] inline void closest_hits(Context& context, const FrustumGridView& grid,
                                                                 const TriangleViews& triangles,
                                                                 BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                                                                 BufferSpan<const u32> masks) {
  closest_hits(context, grid, triangles, rays, hits, GridTraceOptions{masks});
}

}  // namespace copse
