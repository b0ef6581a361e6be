#pragma once

#include "builders/geometry/triangle.h"

namespace copse {

/// The triangles of one view or several under one numbering: primitive ids count through the views in order. It is
/// a small value that kernels take as it is. One view stands inside the table. Several views stand in an array in
/// the memory of the executor, which must outlive the table.
struct TriangleTable {
  struct Entry {
    TriangleView view;
    u32 first;  // primitive id of its first triangle
  };

  TriangleView view;               // if there is one view
  const Entry* entries = nullptr;  // if there are several views
  u32 entry_count = 0;
  u32 primitive_count = 0;

  /// Returns the table of one view of at most 2^31 triangles.
  static TriangleTable of(const TriangleView& view) { return {view, nullptr, 0, u32(view.triangle_count())}; }

  /// Returns the entry of the primitive's view, if there are several views.
  COPSE_HD const Entry& entry(u32 primitive) const { return entries[find(primitive)]; }

  /// Returns the vertices of a primitive below primitive_count.
  COPSE_HD Triangle triangle(u32 primitive) const {
    if (entries == nullptr) return load_triangle(view, primitive);
    const Entry& of_view = entry(primitive);
    return load_triangle(of_view.view, primitive - of_view.first);
  }

  /// Returns the geometry id of the primitive's view.
  COPSE_HD u32 geometry(u32 primitive) const {
    return entries == nullptr ? view.geometry : entry(primitive).view.geometry;
  }

  /// Returns the mask of the primitive's view.
  COPSE_HD u32 mask(u32 primitive) const { return entries == nullptr ? view.mask : entry(primitive).view.mask; }

  /// Returns the number of the primitive in its view.
  COPSE_HD u32 local_id(u32 primitive) const {
    return entries == nullptr ? primitive : primitive - entry(primitive).first;
  }

 private:
  /// Returns the last entry that begins at or before the primitive. A view without triangles begins where the next
  /// view does, so the entry is never such a view.
  COPSE_HD u32 find(u32 primitive) const {
    u32 at = 0;
    for (u32 count = entry_count; count > 1;) {
      const u32 half = count / 2;
      if (entries[at + half].first <= primitive) at += half;
      count -= half;
    }
    return at;
  }
};

/// The boxes of triangles; a box is empty if its triangle cannot be in a tree.
struct TriangleBoxes {
  TriangleTable table;
  COPSE_HD Aabb operator()(u32 primitive) const { return bounds(table.triangle(primitive)); }
};

/// The boxes of custom primitives; a box is empty if its primitive cannot be in a tree.
struct CustomBoxes {
  const Aabb* boxes;
  bool splits_off_outliers = false;  // in the order along the Morton curve; see LbvhOptions
  COPSE_HD Aabb operator()(u32 primitive) const {
    const Aabb box{clean_point(boxes[primitive].lo), clean_point(boxes[primitive].hi)};
    return is_valid(box) ? box : Aabb::empty();
  }
};

}  // namespace copse
