#pragma once

// The box around all primitives that can be in a tree. For bodies: include the executor's primitives before.
//
// The direct way reads the vertices of each triangle by its indices: one pass, but a gather. A large mesh that
// shares vertices has a faster way, which reads every array once, front to back:
//
//   1  find the box of all vertices, and for each of its six sides a group of four neighbouring vertices on it;
//   2  check for each side whether a valid triangle has a vertex of that group on it. If all six have one, the box
//      is the box of the triangles;
//   3  if not, go the direct way.
// bench: copse-bench-primitives, reduce/scene_bounds.

#include "builders/geometry/box_sources.h"
#include "builders/geometry/triangle_table.h"
#include "primitives/core/executor.h"

namespace copse::detail {

template <class Boxes>
struct BoxOfPrimitive {
  Boxes boxes;
  COPSE_HD Aabb operator()(u64 i) const { return boxes(u32(i)); }
};

struct MergeBoxes {
  COPSE_HD Aabb operator()(const Aabb& a, const Aabb& b) const { return merge(a, b); }
};

/// The box of vertices, and for each of its sides a group of four vertices (Triples) that reaches it, in the order
/// lo.x, lo.y, lo.z, hi.x, hi.y, hi.z. It may be any of the groups that do.
struct VertexBounds {
  static constexpr u32 side_count = 6;
  static constexpr u32 all_sides = (1u << side_count) - 1;

  Aabb box;
  u32 group[side_count];

  COPSE_HD static VertexBounds of(const Aabb& box, u32 group) {
    return {box, {group, group, group, group, group, group}};
  }

  /// Returns a bit for each of the six sides that a point is on.
  COPSE_HD u32 sides_at(const vec3& p) const {
    return u32(p.x == box.lo.x) | u32(p.y == box.lo.y) << 1 | u32(p.z == box.lo.z) << 2 |
           u32(p.x == box.hi.x) << 3 | u32(p.y == box.hi.y) << 4 | u32(p.z == box.hi.z) << 5;
  }
};

struct MergeVertexBounds {
  COPSE_HD VertexBounds operator()(VertexBounds a, const VertexBounds& b) const {
    take_lower(a.box.lo.x, a.group[0], b.box.lo.x, b.group[0]);
    take_lower(a.box.lo.y, a.group[1], b.box.lo.y, b.group[1]);
    take_lower(a.box.lo.z, a.group[2], b.box.lo.z, b.group[2]);
    take_upper(a.box.hi.x, a.group[3], b.box.hi.x, b.group[3]);
    take_upper(a.box.hi.y, a.group[4], b.box.hi.y, b.group[4]);
    take_upper(a.box.hi.z, a.group[5], b.box.hi.z, b.group[5]);
    return a;
  }

  COPSE_HD static void take_lower(float& x, u32& group, float other, u32 other_group) {
    group = other < x ? other_group : group;
    x = other < x ? other : x;
  }
  COPSE_HD static void take_upper(float& x, u32& group, float other, u32 other_group) {
    group = other > x ? other_group : group;
    x = other > x ? other : x;
  }
};

/// The bounds of `groups_at_once` groups, i, i + input_count() and so on, so that merging across threads is little
/// of the work. Input 0 also takes the last group, which may not be whole.
struct BoundsOfVertices {
  static constexpr u64 groups_at_once = 8;

  Triples positions;

  COPSE_HD u64 input_count() const {
    return larger(divide_rounding_up(positions.whole_group_count(), groups_at_once), u64{1});
  }

  COPSE_HD VertexBounds operator()(u64 i) const {
    VertexBounds bounds = VertexBounds::of(Aabb::empty(), invalid_id);
    const u64 whole_count = positions.whole_group_count(), step = input_count();
    if (whole_count > 0) {
      for (u64 k = 0; k < groups_at_once; ++k) {
        const u64 group = smaller(i + k * step, whole_count - 1);
        bounds = MergeVertexBounds{}(bounds, of_group(positions.load_whole(group), group));
      }
    }
    if (i == 0 && whole_count < positions.group_count()) {
      bounds = MergeVertexBounds{}(bounds, of_group(positions.load(whole_count), whole_count));
    }
    return bounds;
  }

  COPSE_HD static VertexBounds of_group(const Triples::Four& four, u64 group) {
    Aabb box = Aabb::empty();
    for (u32 k = 0; k < Triples::at_once; ++k) {
      const vec3 p = clean_point(vec3(float_from_bits(four.word[3 * k]), float_from_bits(four.word[3 * k + 1]),
                                      float_from_bits(four.word[3 * k + 2])));
      if (is_finite(p)) box = merge(box, {p, p});
    }
    return VertexBounds::of(box, u32(group));
  }
};

/// Returns, for four triangles, a bit for each of the six sides that a vertex of a valid triangle is on, if the
/// vertex is in the group that was found for the side.
struct SidesOfTriangles {
  TriangleView view;
  Triples triangles;
  const VertexBounds* bounds;

  COPSE_HD u32 operator()(u64 group) const {
    const Triples::Four four = triangles.load(group);
    bool may_be_on[Triples::at_once] = {};
    for (u32 side = 0; side < VertexBounds::side_count; ++side) {
      const u32 vertices = bounds->group[side];
      for (u32 k = 0; k < Triples::at_once; ++k) {
        const u32* const id = four.word + 3 * k;
        may_be_on[k] |= vertices == id[0] / Triples::at_once || vertices == id[1] / Triples::at_once ||
                        vertices == id[2] / Triples::at_once;
      }
    }
    u32 sides = 0;
    for (u32 k = 0; k < Triples::at_once; ++k) {
      if (may_be_on[k]) sides |= sides_of(group * Triples::at_once + k);
    }
    return sides;
  }

  COPSE_HD u32 sides_of(u64 i) const {
    const Triangle t = load_triangle(view, smaller(i, triangles.count - 1));
    if (is_empty(copse::bounds(t))) return 0;
    return bounds->sides_at(t.a) | bounds->sides_at(t.b) | bounds->sides_at(t.c);
  }
};

struct UniteSides {
  COPSE_HD u32 operator()(u32 a, u32 b) const { return a | b; }
};

/// If all six sides are confirmed, input 0 returns the box of the vertices. If not, each input returns the box of
/// every stride_count-th triangle.
struct BoxOfStride {
  static constexpr u64 stride_count = u64{1} << 16;

  TriangleView view;
  u64 n;
  const VertexBounds* bounds;
  const u32* sides;
  COPSE_HD Aabb operator()(u64 stride) const {
    if (*sides == VertexBounds::all_sides) return stride == 0 ? bounds->box : Aabb::empty();
    Aabb box = Aabb::empty();
    for (u64 i = stride; i < n; i += stride_count) box = merge(box, copse::bounds(load_triangle(view, i)));
    return box;
  }
};

/// True if the way over the vertices is possible and pays for its three short launches: if arrays are packed, and
/// not mostly vertices of other meshes.
inline bool reads_vertices_first(const TriangleTable& table, u64 n) {
  constexpr u64 min_triangles = u64{1} << 22;
  if (table.entries != nullptr || n < min_triangles) return false;
  const PositionSpan& positions = table.view.positions;
  const IndexSpan& triangles = table.view.triangles;
  return triangles.index_bytes == sizeof(u32) && Triples::takes(triangles.data, sizeof(uvec3)) &&
         Triples::takes(positions.data, positions.stride_bytes) &&
         positions.size <= smaller(2 * n, u64{invalid_id});
}

template <class Executor>
void bound_by_vertices(const Executor& ex, const TriangleView& view, u64 n, Aabb* out) {
  ScratchArena::Frame frame(ex.scratch);
  auto* bounds = frame.allocate<VertexBounds>(1);
  auto* sides = frame.allocate<u32>(1);
  const Triples positions{reinterpret_cast<const u32*>(view.positions.data), view.positions.size};
  const Triples triangles{static_cast<const u32*>(view.triangles.data), n};
  const BoundsOfVertices of_vertices{positions};
  reduce(ex, "bounds: vertices", of_vertices.input_count(), of_vertices,
         VertexBounds::of(Aabb::empty(), invalid_id), MergeVertexBounds{}, bounds);
  reduce(ex, "bounds: sides", triangles.group_count(), SidesOfTriangles{view, triangles, bounds}, u32{0},
         UniteSides{}, sides);
  reduce(ex, "bounds: triangles", BoxOfStride::stride_count, BoxOfStride{view, n, bounds, sides}, Aabb::empty(),
         MergeBoxes{}, out);
}

template <class Executor, class Boxes>
void bound_one_by_one(const Executor& ex, const Boxes& boxes, u64 n, Aabb* out) {
  reduce(ex, "bounds", n, BoxOfPrimitive<Boxes>{boxes}, Aabb::empty(), MergeBoxes{}, out);
}

/// Sets *out to the box around the valid primitives among the first `n`.
template <class Executor, class Boxes>
void bound_primitives(const Executor& ex, const Boxes& boxes, u64 n, Aabb* out) {
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    if (reads_vertices_first(boxes.table, n)) return bound_by_vertices(ex, boxes.table.view, n, out);
    using Gathered = GatheredBoxes<TripleLoad::singly>;
    if (Gathered::takes(boxes)) return bound_one_by_one(ex, Gathered::of(boxes), n, out);
  }
  bound_one_by_one(ex, boxes, n, out);
}

/// Returns the scratch of bound_primitives.
template <class Executor>
u64 bound_primitives_scratch_bytes(const Executor& ex, u64 n) {
  const u64 by_vertices = ScratchArena::bytes_for<VertexBounds>(1) + ScratchArena::bytes_for<u32>(1) +
                          reduce_scratch_bytes<VertexBounds>(ex, n);
  return larger(by_vertices, u64(reduce_scratch_bytes<Aabb>(ex, n)));
}

}  // namespace copse::detail
