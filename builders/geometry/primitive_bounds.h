#pragma once

// The box around all primitives that can stand in a tree. For bodies: the executor's primitives must be included.
//
// For triangles the direct way reads each triangle's vertices by its indices: one pass, but a gather. A large mesh
// that shares its vertices goes a faster way, which reads every array once, front to back:
//
//   1  the box of all vertices, and a vertex on each of its six sides;
//   2  whether a valid triangle has each of those six. If so, the box is the triangles' box too;
//   3  if not, the direct way.
// bench: copse-bench-primitives, reduce/scene_bounds.

#include "builders/geometry/primitive_boxes.h"
#include "builders/geometry/triples.h"
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

/// The box of vertices, and a vertex on each of its sides: those at lo.x, lo.y, lo.z, hi.x, hi.y, hi.z. Of
/// several on a side it may be any.
struct VertexBounds {
  static constexpr u32 side_count = 6;
  static constexpr u32 all_sides = (1u << side_count) - 1;

  Aabb box;
  u32 on_side[side_count];

  COPSE_HD static VertexBounds of(const Aabb& box, u32 vertex) {
    return {box, {vertex, vertex, vertex, vertex, vertex, vertex}};
  }
};

struct MergeVertexBounds {
  COPSE_HD VertexBounds operator()(VertexBounds a, const VertexBounds& b) const {
    take_lower(a.box.lo.x, a.on_side[0], b.box.lo.x, b.on_side[0]);
    take_lower(a.box.lo.y, a.on_side[1], b.box.lo.y, b.on_side[1]);
    take_lower(a.box.lo.z, a.on_side[2], b.box.lo.z, b.on_side[2]);
    take_upper(a.box.hi.x, a.on_side[3], b.box.hi.x, b.on_side[3]);
    take_upper(a.box.hi.y, a.on_side[4], b.box.hi.y, b.on_side[4]);
    take_upper(a.box.hi.z, a.on_side[5], b.box.hi.z, b.on_side[5]);
    return a;
  }

  COPSE_HD static void take_lower(float& x, u32& vertex, float other, u32 other_vertex) {
    vertex = other < x ? other_vertex : vertex;
    x = other < x ? other : x;
  }
  COPSE_HD static void take_upper(float& x, u32& vertex, float other, u32 other_vertex) {
    vertex = other > x ? other_vertex : vertex;
    x = other > x ? other : x;
  }
};

struct BoundsOfVertices {
  Triples positions;
  COPSE_HD VertexBounds operator()(u64 group) const {
    const Triples::Four four = positions.load(group);
    VertexBounds bounds = of_vertex(four, 0, group);
    for (u32 k = 1; k < Triples::at_once; ++k) bounds = MergeVertexBounds{}(bounds, of_vertex(four, k, group));
    return bounds;
  }

  COPSE_HD VertexBounds of_vertex(const Triples::Four& four, u32 k, u64 group) const {
    const vec3 p = clean_point(vec3(float_from_bits(four.word[3 * k]), float_from_bits(four.word[3 * k + 1]),
                                    float_from_bits(four.word[3 * k + 2])));
    const u64 vertex = smaller(group * Triples::at_once + k, positions.count - 1);
    return VertexBounds::of(is_finite(p) ? Aabb{p, p} : Aabb::empty(), u32(vertex));
  }
};

/// Of the six vertices, a bit for each that one of four triangles has, if that is valid.
struct SidesOfTriangles {
  TriangleView view;
  Triples triangles;
  const VertexBounds* bounds;

  COPSE_HD u32 operator()(u64 group) const {
    const Triples::Four four = triangles.load(group);
    u32 sides_of[Triples::at_once] = {};
    for (u32 side = 0; side < VertexBounds::side_count; ++side) {
      const u32 vertex = bounds->on_side[side];
      for (u32 k = 0; k < Triples::at_once; ++k) {
        const u32* const id = four.word + 3 * k;
        sides_of[k] |= u32(vertex == id[0] || vertex == id[1] || vertex == id[2]) << side;
      }
    }
    u32 sides = 0;
    for (u32 k = 0; k < Triples::at_once; ++k) {
      if (sides_of[k] != 0 && is_valid_triangle(group * Triples::at_once + k)) sides |= sides_of[k];
    }
    return sides;
  }

  COPSE_HD bool is_valid_triangle(u64 i) const {
    return !is_empty(copse::bounds(load_triangle(view, smaller(i, triangles.count - 1))));
  }
};

struct UniteSides {
  COPSE_HD u32 operator()(u32 a, u32 b) const { return a | b; }
};

/// Where all six vertices count, their box, by stride 0; else the box of every stride_count-th triangle.
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

/// True where the way over the vertices pays, which is three short launches more, and can be gone: packed arrays,
/// and not mostly vertices of other meshes.
inline bool reads_vertices_first(const TriangleTable& table, u64 n) {
  constexpr u64 fewest_triangles = u64{1} << 22;
  if (table.entries != nullptr || n < fewest_triangles) return false;
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
  reduce(ex, "bounds: vertices", positions.group_count(), BoundsOfVertices{positions},
         VertexBounds::of(Aabb::empty(), invalid_id), MergeVertexBounds{}, bounds);
  reduce(ex, "bounds: sides", triangles.group_count(), SidesOfTriangles{view, triangles, bounds}, u32{0},
         UniteSides{}, sides);
  reduce(ex, "bounds: triangles", BoxOfStride::stride_count, BoxOfStride{view, n, bounds, sides}, Aabb::empty(),
         MergeBoxes{}, out);
}

/// *out = the box of the valid ones among the first `n` primitives.
template <class Executor, class Boxes>
void bound_primitives(const Executor& ex, const Boxes& boxes, u64 n, Aabb* out) {
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    if (reads_vertices_first(boxes.table, n)) return bound_by_vertices(ex, boxes.table.view, n, out);
  }
  reduce(ex, "bounds", n, BoxOfPrimitive<Boxes>{boxes}, Aabb::empty(), MergeBoxes{}, out);
}

/// Scratch of bound_primitives.
template <class Executor>
u64 bound_primitives_scratch_bytes(const Executor& ex, u64 n) {
  const u64 by_vertices = ScratchArena::bytes_for<VertexBounds>(1) + ScratchArena::bytes_for<u32>(1) +
                          reduce_scratch_bytes<VertexBounds>(ex, n);
  return larger(by_vertices, u64(reduce_scratch_bytes<Aabb>(ex, n)));
}

}  // namespace copse::detail
