#include "bench/sizes/height_field.h"

#include "bench/sizes/height_field_body.h"
#include "primitives/core/dispatch.h"

namespace copse::bench {

HeightField make_height_field(Context& context, u64 triangle_count) {
  u64 side = 1;
  while (2 * side * side < triangle_count) ++side;
  HeightField field{Buffer<vec3>(context, (side + 1) * (side + 1)), Buffer<uvec3>(context, triangle_count)};
  dispatch(context, [&](const auto& ex) {
    fill_height_field(ex, side, triangle_count, field.positions.data(), field.triangles.data());
  });
  return field;
}

HeightField make_height_field(Context& context, const FieldPart& part) {
  HeightField field{Buffer<vec3>(context, part.position_count()), Buffer<uvec3>(context, part.triangle_count())};
  dispatch(context,
           [&](const auto& ex) { fill_field_part(ex, part, field.positions.data(), field.triangles.data()); });
  return field;
}

}  // namespace copse::bench
