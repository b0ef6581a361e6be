#pragma once

#include "builders/geometry/aabb.h"
#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "viewer/model/scene/playback.h"

namespace copse::viewer {

/// Vertices that deform() writes: explode pulls triangles apart, so each gets vertices of its own.
u64 deformed_vertex_count(Deformation deformation, u64 vertex_count, u64 triangle_count);

/// Writes the scene as it is in a pose; at phase 0 of any deformation it is at rest. Equal on all backends. Waits
/// for nothing and allocates nothing.
///   box:       of the scene at rest; deformations are in proportion to it
///   rest:      the vertices at rest
///   triangles: each with three of them. For explode, triangle i gets vertices 3i, 3i + 1 and 3i + 2 of `out`; for
///              all others vertices keep their numbers
///   out:       deformed_vertex_count() vertices; must not overlap `rest`
/// Throws: Error invalid_argument for another size of `out`, Error cancelled.
void deform(Context& context, const Pose& pose, const Aabb& box, BufferSpan<const vec3> rest,
            BufferSpan<const uvec3> triangles, BufferSpan<vec3> out);

/// What the body of deform() is given.
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
