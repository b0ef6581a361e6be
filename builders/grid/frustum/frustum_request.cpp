#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <string>

#include "builders/grid/frustum/frustum_shape.h"
#include "primitives/core/check.h"

// All of this is computed on the host in double precision, so both backends get the same numbers.

namespace copse::detail {

namespace {

std::string text(const vec3& v) {
  return std::string("(") + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

void check_depth(const char* name, float depth) {
  if (depth >= 0 && is_finite(depth)) return;
  refuse("frustum grid",
         std::string("the ") + name + " depth is " + std::to_string(depth) + "; it can be 0, or above and finite");
}

void check_frustum(const ViewFrustum& f) {
  const auto check = [](const char* name, const vec3& v) {
    if (!is_finite(v))
      refuse("frustum grid", std::string("the frustum's ") + name + " is " + text(v) + "; it must be finite");
  };
  check("eye", f.eye);
  check("forward", f.forward);
  check("right", f.right);
  check("up", f.up);
  check_depth("nearest", f.nearest);
  check_depth("farthest", f.farthest);
  if (f.nearest > 0 && f.farthest > 0 && !(f.nearest < f.farthest)) {
    refuse("frustum grid", "the nearest depth is " + std::to_string(f.nearest) +
                               ", not below the farthest one of " + std::to_string(f.farthest));
  }
}

/// Returns the part of the shape that follows from the camera.
FrustumShape shape_of(const ViewFrustum& f) {
  const dvec3 right(f.right), up(f.up), forward(f.forward);
  const double volume = glm::dot(right, glm::cross(up, forward));
  const double most = glm::length(right) * glm::length(up) * glm::length(forward);
  if (!(std::abs(volume) > 1e-9 * most)) {
    refuse("frustum grid", "forward " + text(f.forward) + ", right " + text(f.right) + " and up " + text(f.up) +
                               " lie in a plane");
  }
  FrustumShape shape{};
  shape.eye = dvec3(f.eye);
  shape.x = glm::cross(up, forward) / volume;
  shape.y = -glm::cross(forward, right) / volume;  // downwards
  shape.z = glm::cross(right, up) / volume;
  shape.x_y_z_per_length = dvec3(glm::length(shape.x), glm::length(shape.y), glm::length(shape.z));
  shape.length_per_x_y_z = dvec3(glm::length(right), glm::length(up), glm::length(forward));
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      shape.corner = std::max(shape.corner, glm::length(forward + x * right + y * up));
    }
  }
  return shape;
}

/// Returns the maximum units per unit of length across the screen. A move at depth 1 changes x / z by the change
/// of x, and by as much as the depth changes.
double screen_units(const FrustumShape& shape, const uvec3& resolution) {
  const dvec3& per_length = shape.x_y_z_per_length;
  return std::max(resolution.x * (per_length.x + per_length.z), resolution.y * (per_length.y + per_length.z)) *
         units_per_cell / 2;
}

/// Cells must be large enough that usual triangles are not blurred.
void check_padding(const FrustumRequest& request) {
  FrustumShape shape = request.shape;
  const double slabs = slab_units(request, 1, min_depth_ratio);
  shape.units_per_length = std::max(request.screen_units, slabs);
  const double blur = blur_in_units(shape, 2 * shape.corner);
  if (blur < max_frustum_padding / 2 - cell_padding) return;
  refuse("frustum grid", "rounding moves a ray by " + std::to_string(blur) + "/256 of a cell, with " +
                             std::to_string(request.cells.y) + " x " + counted(request.cells.z, "tiles") + " in " +
                             std::to_string(request.cells.x) + " slabs; the limit is " +
                             std::to_string(max_frustum_padding / 2 - cell_padding) +
                             "/256: the frustum is too narrow or too wide");
}

}  // namespace

void check_frustum_resolution(const uvec3& r) {
  const bool tiles = std::min(r.x, r.y) >= 1 && std::max(r.x, r.y) <= max_frustum_tiles;
  if (tiles && r.z >= 1 && r.z <= max_frustum_slabs) return;
  refuse("frustum grid", "the resolution is " + std::to_string(r.x) + " x " + std::to_string(r.y) + " x " +
                             std::to_string(r.z) + "; tiles can be 1 to " + std::to_string(max_frustum_tiles) +
                             " each way, slabs 1 to " + std::to_string(max_frustum_slabs));
}

FrustumRequest request_frustum(const ViewFrustum& frustum, const uvec3& resolution) {
  check_frustum_resolution(resolution);
  check_frustum(frustum);
  FrustumRequest request{};
  request.shape = shape_of(frustum);
  request.cells = uvec3(resolution.z, resolution.x, resolution.y);
  request.screen_units = screen_units(request.shape, resolution);
  request.nearest = frustum.nearest;
  request.farthest = frustum.farthest;
  check_padding(request);
  return request;
}

}  // namespace copse::detail
