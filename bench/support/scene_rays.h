#pragma once

#include <vector>

#include "builders/geometry/mesh.h"
#include "trace/ray.h"

namespace copse::bench {

/// Returns the centre of `box`; for an exterior it is moved by twice the half diagonal along +z.
vec3 default_eye(const Aabb& box, bool interior);

/// Returns size x size rays in tiles of 8 x 8 pixels. Their origin is the eye. Their directions are (u, v, -1),
/// normalised, with u and v in [-0.5, 0.5].
///   size: a multiple of 8
std::vector<Ray> make_primary_rays(const vec3& eye, u32 size);

/// Returns one ray per primary hit, in order. Its direction is cosine-distributed around the normal on the
/// viewer's side. Its origin is lifted off the surface by 1e-4 of the box's half diagonal. The rays are the same
/// on every run.
std::vector<Ray> make_diffuse_rays(const Mesh& mesh, const Aabb& box, const std::vector<Ray>& primary,
                                   const std::vector<Hit>& hits);

/// Returns the light for shadow rays. In an interior it is near the eye, else it is outside, above and to the right.
vec3 shadow_light(const Aabb& box, const vec3& eye, bool interior);

/// Returns one ray per primary hit, in order, from the hit to the light. t is 1 at the light, where the ray ends. The
/// origin is lifted as that of a diffuse ray.
std::vector<Ray> make_shadow_rays(const Mesh& mesh, const Aabb& box, const std::vector<Ray>& primary,
                                  const std::vector<Hit>& hits, const vec3& light);

}  // namespace copse::bench
