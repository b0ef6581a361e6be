#pragma once

#include "builders/geometry/triangle.h"

namespace copse {

/// The triangles of one view or several under one numbering: primitive ids count through the views in order.
/// A small value, passed to kernels as it is. One view stands inside it; several stand in an array in the
/// executor's memory, which must outlive the table.
struct TriangleTable {
  struct Entry {
    TriangleView view;
    u32 first;  // primitive id of its first triangle
  };

  TriangleView view;               // where there is one
  const Entry* entries = nullptr;  // where there are several
  u32 entry_count = 0;
  u32 primitive_count = 0;

  /// The table of one view, of at most 2^31 triangles.
  static TriangleTable of(const TriangleView& view) { return {view, nullptr, 0, u32(view.triangle_count())}; }

  /// Vertices of a primitive below primitive_count.
  COPSE_HD Triangle triangle(u32 primitive) const {
    if (entries == nullptr) return load_triangle(view, primitive);
    const Entry& entry = entries[find(primitive)];
    return load_triangle(entry.view, primitive - entry.first);
  }

  /// The geometry id of the primitive's view.
  COPSE_HD u32 geometry(u32 primitive) const {
    return entries == nullptr ? view.geometry : entries[find(primitive)].view.geometry;
  }

  /// The mask of the primitive's view.
  COPSE_HD u32 mask(u32 primitive) const {
    return entries == nullptr ? view.mask : entries[find(primitive)].view.mask;
  }

  /// The primitive's number in its view.
  COPSE_HD u32 local_id(u32 primitive) const {
    return entries == nullptr ? primitive : primitive - entries[find(primitive)].first;
  }

 private:
  /// The last entry that begins at or before the primitive. Views without triangles begin where the next
  /// one does, so it is never one of them.
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

/// The box of a primitive that is a triangle; empty where it cannot stand in a tree.
struct TriangleBoxes {
  TriangleTable table;
  COPSE_HD Aabb operator()(u32 primitive) const { return bounds(table.triangle(primitive)); }
};

/// The box of a custom primitive; empty where it cannot stand in a tree.
struct CustomBoxes {
  const Aabb* boxes;
  COPSE_HD Aabb operator()(u32 primitive) const {
    const Aabb box{clean_point(boxes[primitive].lo), clean_point(boxes[primitive].hi)};
    return is_valid(box) ? box : Aabb::empty();
  }
};

}  // namespace copse
