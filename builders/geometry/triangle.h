#pragma once

#include "builders/geometry/aabb.h"
#include "builders/geometry/glm.h"
#include "primitives/core/span.h"

namespace copse {

/// Vertex positions at a stride, so that they may stand inside a larger vertex record.
struct PositionSpan {
  const vec3* data = nullptr;
  u64 size = 0;                     // vertices
  u64 stride_bytes = sizeof(vec3);  // from one position to the next; at least 12, a multiple of 4

  constexpr PositionSpan() = default;
  constexpr PositionSpan(BufferSpan<const vec3> span) : data(span.data()), size(span.size()) {}
  constexpr PositionSpan(BufferSpan<vec3> span) : data(span.data()), size(span.size()) {}
  constexpr PositionSpan(const vec3* first, u64 count, u64 stride)
      : data(first), size(count), stride_bytes(stride) {}

  COPSE_HD vec3 at(u64 i) const {
    return *reinterpret_cast<const vec3*>(reinterpret_cast<const unsigned char*>(data) + i * stride_bytes);
  }
};

/// Three vertex indices per triangle, of 32 or 16 bits. Without indices, triangle i has the vertices 3i, 3i + 1
/// and 3i + 2.
struct IndexSpan {
  const void* data = nullptr;
  u64 size = 0;         // triangles; without indices it is the number of vertices over 3
  u32 index_bytes = 0;  // 4, 2 or 0

  constexpr IndexSpan() = default;
  constexpr IndexSpan(BufferSpan<const uvec3> span) : data(span.data()), size(span.size()), index_bytes(4) {}
  constexpr IndexSpan(BufferSpan<uvec3> span) : data(span.data()), size(span.size()), index_bytes(4) {}
  constexpr IndexSpan(BufferSpan<const glm::u16vec3> span)
      : data(span.data()), size(span.size()), index_bytes(2) {}
  constexpr IndexSpan(BufferSpan<glm::u16vec3> span) : data(span.data()), size(span.size()), index_bytes(2) {}
};

/// The triangles of one geometry, in the memory of the context.
struct TriangleView {
  PositionSpan positions;
  IndexSpan triangles = {};  // every index below positions.size
  u32 geometry = 0;          // the id that hits report
  u32 mask = ~u32{0};        // a ray skips it if their masks share no bit: TraceOptions::masks

  COPSE_HD u64 triangle_count() const { return triangles.index_bytes == 0 ? positions.size / 3 : triangles.size; }
};

struct Triangle {
  vec3 a, b, c;
};

/// The numbers of the vertices of a triangle among the positions of its view.
struct VertexIds {
  u64 a, b, c;
};

/// Returns the vertex numbers of triangle `i` of a view.
COPSE_HD inline VertexIds vertex_ids(const TriangleView& view, u64 i) {
  if (view.triangles.index_bytes == 4) {
    const u32* index = static_cast<const u32*>(view.triangles.data) + 3 * i;
    return {index[0], index[1], index[2]};
  }
  if (view.triangles.index_bytes == 2) {
    const u16* index = static_cast<const u16*>(view.triangles.data) + 3 * i;
    return {index[0], index[1], index[2]};
  }
  return {3 * i, 3 * i + 1, 3 * i + 2};
}

/// Returns triangle `i` of a view.
COPSE_HD inline Triangle load_triangle(const TriangleView& view, u64 i) {
  const VertexIds id = vertex_ids(view, i);
  return {clean_point(view.positions.at(id.a)), clean_point(view.positions.at(id.b)),
          clean_point(view.positions.at(id.c))};
}

/// Returns the box of a triangle, or the empty box if a coordinate is infinite or NaN. Branch-free, see is_finite.
COPSE_HD inline Aabb bounds(const Triangle& t) {
  const vec3 lo = lower_corner(t.a, lower_corner(t.b, t.c)), hi = upper_corner(t.a, upper_corner(t.b, t.c));
  const bool finite = is_finite(t.a) & is_finite(t.b) & is_finite(t.c);
  return {vec3(finite ? lo.x : infinity, finite ? lo.y : infinity, finite ? lo.z : infinity),
          vec3(finite ? hi.x : -infinity, finite ? hi.y : -infinity, finite ? hi.z : -infinity)};
}

}  // namespace copse
