#pragma once

#include "builders/geometry/aabb.h"
#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "viewer/model/scene/playback.h"

namespace copse::viewer {

/// Returns how many vertices deform() writes. explode pulls triangles apart, so each triangle gets its own
/// vertices.
u64 deformed_vertex_count(Deformation deformation, u64 vertex_count, u64 triangle_count);

/// Writes the vertices of the scene in a pose. At phase 0 of any deformation the scene is at rest. Equal on all
/// backends. Waits for nothing and allocates nothing.
///   box:       of the scene at rest; deformations scale with it
///   rest:      the vertices at rest
///   triangles: three indices into `rest` each. For explode, triangle i gets vertices 3i, 3i + 1 and 3i + 2 of
///              `out`. For all others, vertices keep their numbers
///   out:       deformed_vertex_count() vertices; must not overlap `rest`
/// Throws: Error invalid_argument for another size of `out`, Error cancelled.
void deform(Context& context, const Pose& pose, const Aabb& box, BufferSpan<const vec3> rest,
            BufferSpan<const uvec3> triangles, BufferSpan<vec3> out);

/// The arguments of the body of deform().
struct DeformJob {
  Pose pose;
  vec3 centre;     // of the box at rest
  vec3 size;       // its edges
  float diagonal;  // above 0
  BufferSpan<const vec3> rest;
  BufferSpan<const uvec3> triangles;
  vec3* out;
};

}  // namespace copse::viewer
