#pragma once

#include "bench/sizes/field_part.h"
#include "copse.h"
#include "primitives/core/buffer.h"

namespace copse::bench {

/// A sheet of rolling hills over the unit square, made on the context's device. It may have any number of
/// triangles. They are indexed, and six of them share each vertex.
struct HeightField {
  Buffer<vec3> positions;
  Buffer<uvec3> triangles;

  TriangleView view() const { return {.positions = positions.span(), .triangles = triangles.span()}; }
  u64 size_bytes() const { return positions.size_bytes() + triangles.size_bytes(); }
};

/// Throws: Error out_of_memory.
HeightField make_height_field(Context& context, u64 triangle_count);

/// Makes the triangles of one rank.
/// Throws: Error out_of_memory.
HeightField make_height_field(Context& context, const FieldPart& part);

}  // namespace copse::bench
