#pragma once

// Triangles in records of any length and at any address, as files have them.

#include <cstring>
#include <span>

#include "builders/geometry/mesh.h"
#include "builders/geometry/triangle.h"

namespace copse {

/// The vertices and triangles of a mesh in host memory, at any stride and any address. It owns nothing.
struct TriangleRecords {
  const char* positions = nullptr;     // the three floats of vertex 0
  u64 vertex_count = 0;                // how many vertices there are
  u64 position_stride = sizeof(vec3);  // bytes from one vertex to the next
  const char* triangles = nullptr;     // the three vertex numbers of triangle 0, of 32 bits each
  u64 triangle_count = 0;
  u64 triangle_stride = sizeof(uvec3);  // bytes from one triangle to the next

  TriangleRecords() = default;
  TriangleRecords(std::span<const vec3> vertices, std::span<const uvec3> vertex_ids)
      : positions(reinterpret_cast<const char*>(vertices.data())),
        vertex_count(vertices.size()),
        triangles(reinterpret_cast<const char*>(vertex_ids.data())),
        triangle_count(vertex_ids.size()) {}

  /// Refers to the vertices and triangles of a mesh, which must outlive this.
  TriangleRecords(const Mesh& mesh) : TriangleRecords(mesh.positions, mesh.triangles) {}

  /// Returns vertex number i.
  vec3 position(u64 i) const { return load<vec3>(positions + i * position_stride); }
  /// Returns the vertex numbers of triangle number i.
  uvec3 vertex_ids(u64 i) const { return load<uvec3>(triangles + i * triangle_stride); }
  Triangle triangle(u64 i) const {
    const uvec3 id = vertex_ids(i);
    return {clean_point(position(id.x)), clean_point(position(id.y)), clean_point(position(id.z))};
  }

 private:
  template <class T>
  static T load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
};

}  // namespace copse
