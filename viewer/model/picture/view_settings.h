#pragma once

#include "viewer/model/settings/names.h"

namespace copse::viewer {

/// What the colour of a pixel shows.
enum class View : u8 {
  shaded,             // a headlight on grey surfaces
  normals,            // the direction of the surface
  primitives,         // a colour for each triangle
  distance,           // near bright, far dark
  ambient_occlusion,  // how open a point is; refined from frame to frame
  heat,               // nodes and triangles that the ray visited
  leaves,             // a colour for each leaf, or by its depth
};

enum class LeafTint : u8 { id, depth };

template <>
struct Names<View> {
  static constexpr const char* list[] = {"shaded",  "normals", "primitives", "distance",
                                         "ambient", "heat",    "leaves"};
};
template <>
struct Names<LeafTint> {
  static constexpr const char* list[] = {"id", "depth"};
};

/// A plane through the scene. Everything on one side of it is cut away.
struct SlicePlane {
  bool on = false;
  u32 axis = 0;          // 0 x, 1 y, 2 z
  float place = 0.5f;    // 0 to 1 along the scene's box
  bool flipped = false;  // cut away the lower side in place of the upper one

  bool operator==(const SlicePlane&) const = default;
};

/// Panels may change any member. If one changes, the picture is made again.
struct ViewSettings {
  View view = View::shaded;
  u32 heat_limit = 0;          // visits that have the hottest colour; 0: by the percentile
  float heat_percentile = 99;  // 50 to 100: so many rays in a hundred are below the hottest colour; 100: all
  bool heat_legend = true;     // draw the scale of heat, difference and depth into the picture
  LeafTint leaf_tint = LeafTint::id;
  u32 ambient_samples = 64;     // 1 to 4096 per pixel
  float ambient_reach = 0.25f;  // above 0: how far rays go, in diagonals of the scene
  u32 smooth_samples = 8;       // 1 to 64 rays per pixel once nothing moves, for smooth edges; 1: none
  bool wire = false;            // draw lines where one triangle, voxel or ball ends and another begins
  SlicePlane slice;

  bool operator==(const ViewSettings&) const = default;
};

/// True if more rays per pixel smooth this view. Ambient occlusion has samples of its own, and visits are measured.
inline bool is_smoothed(const ViewSettings& view) {
  return view.smooth_samples > 1 && view.view != View::ambient_occlusion && view.view != View::heat;
}

}  // namespace copse::viewer
