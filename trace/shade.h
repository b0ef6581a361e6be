#pragma once

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"
#include "builders/geometry/image.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/primitive_set.h"
#include "builders/grid/frustum_layout.h"
#include "primitives/core/context.h"
#include "trace/camera.h"

namespace copse {

enum class Shading : u8 {
  normal,             // a headlight on the geometric normal, tinted by it
  primitive,          // a colour for each triangle
  distance,           // near bright, far dark
  ambient_occlusion,  // the share of cosine-distributed short rays that escape
  heat,               // the number of nodes and triangles that the ray visited, on the scale of heat_colour
};

struct RenderOptions {
  u32 width = 1024;   // 1 to 16384
  u32 height = 1024;  // 1 to 16384
  Shading shading = Shading::normal;
  u32 ambient_rays = 32;       // per pixel, 1 to 4096; the time of ambient occlusion grows with it
  float ambient_distance = 0;  // how far they reach; 0: a quarter of the scene's diagonal
  u32 heat_limit = 0;          // visits that count as hottest; 0: the maximum of the image
};

/// Returns a ray-cast picture, equal on all backends. Only heat differs, by a few visits, as backends round boxes
/// differently.
/// Throws: Error invalid_argument for options out of range, Error out_of_memory, Error cancelled.
/// Waits: for the picture.
/// Memory: buffers of 24 bytes per pixel, and the image on the host.
COPSE_API Image render(Context& context, const BvhView& bvh, const TriangleViews& triangles, const Camera& camera,
                       const RenderOptions& options = {});

/// Returns the same picture, through a wide tree and the triangles that were packed for it. For an Accel there is
/// accel/accel_render.h.
/// Throws: as above, and Error invalid_argument unless there are as many packed triangles as the tree has room for.
COPSE_API Image render(Context& context, const CompressedBvh4View& bvh, BufferSpan<const PackedTriangle> triangles,
                       const Camera& camera, const RenderOptions& options = {});

/// Returns the same picture, through a uniform grid over the triangles. Its heat counts cells instead of nodes.
COPSE_API Image render(Context& context, const GridView& grid, const TriangleViews& triangles,
                       const Camera& camera, const RenderOptions& options = {});

/// Returns the same picture, through a frustum grid over the triangles and for the camera of that grid. Its heat
/// counts slabs. closest_hits in trace/frustum_rays.h gives the hits without colours.
/// Throws: as above, and Error invalid_argument for ambient occlusion, as its rays do not start at the eye.
COPSE_API Image render(Context& context, const FrustumGridView& grid, const TriangleViews& triangles,
                       const RenderOptions& options = {});

/// Returns the heat map's colour of `x` in [0, 1]: dark blue, violet, red, orange, light yellow.
COPSE_API Rgba8 heat_colour(float x);

}  // namespace copse
