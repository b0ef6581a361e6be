#pragma once

// How a distance field lies in memory: bricks of voxels near a surface, and 512 floats for each brick.

#include "builders/grid/layout.h"

namespace copse {

/// The values of a brick.
inline constexpr u32 brick_values = brick_edge * brick_edge * brick_edge;

/// Returns the centre of a voxel, rounded once to floats.
COPSE_HD inline vec3 voxel_centre(const GridShape& shape, const uvec3& voxel) {
  return vec3(float(add_rn(shape.lo.x, (voxel.x + 0.5) / shape.cells_per_unit.x)),
              float(add_rn(shape.lo.y, (voxel.y + 0.5) / shape.cells_per_unit.y)),
              float(add_rn(shape.lo.z, (voxel.z + 0.5) / shape.cells_per_unit.z)));
}

/// Distances of voxels from a surface, for kernels. DistanceField in distance_field.h describes them.
struct DistanceFieldView {
  BrickView bricks;
  BufferSpan<const float> values;
  float band;

  /// Returns the values of the brick at a place, or null if there is none.
  COPSE_HD const float* values_at(u64 place) const {
    const auto found = bricks.table.find(place);
    return found.found && u64{found.value} * brick_values < values.size()
               ? values.data() + u64{found.value} * brick_values
               : nullptr;
  }
};

}  // namespace copse
