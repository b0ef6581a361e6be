#pragma once

#include <span>

#include "builders/geometry/image.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle.h"
#include "trace/shade.h"

namespace copse::detail {

/// The hit of a pixel's ray.
struct PixelHit {
  float t;
  u32 at;  // the triangle, by its id through all views or its place among packed ones; invalid_id for none
  float u, v;
  u32 visits;  // nodes and triangles, for the heat map
};

COPSE_HD inline bool is_hit(const PixelHit& hit) {
  return hit.at != invalid_id;
}

/// The steps of a picture to run.
enum class RenderSteps : u8 {
  all,
  trace,   // the hits and the extremes
  colour,  // the pixels, from both
};

/// A band of rows of a picture.
struct RowRange {
  u32 first, count;
};

/// Rows of a picture to make. All arrays are in the executor's memory, in image order, and begin with the first row.
struct RenderJob {
  std::span<const TriangleView> views;      // of the triangles, or
  BufferSpan<const PackedTriangle> packed;  // these
  Camera camera;
  RenderOptions options;
  RowRange rows;
  const Aabb* box;  // of the triangles, for ambient occlusion without a distance; null: taken from the structure
  PixelHit* hits;   // one per pixel
  Rgba8* pixels;    // one per pixel
  u32* extremes;    // 2 words. Distance: the bits of the nearest and farthest t. Heat: [1], the most visits
  RenderSteps steps = RenderSteps::all;
};

}  // namespace copse::detail
