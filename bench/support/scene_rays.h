#pragma once

#include <vector>

#include "builders/geometry/mesh.h"
#include "trace/ray.h"

namespace copse::bench {

/// Returns size x size rays in tiles of 8 x 8 pixels. Their directions are (u, v, -1), normalised, with u and v in
/// [-0.5, 0.5]. Their origin is the centre of `box`; for an exterior it is moved by twice the half diagonal along
/// +z.
///   size: a multiple of 8
std::vector<Ray> make_primary_rays(const Aabb& box, bool interior, u32 size);

/// Returns one ray per primary hit, in order. Its direction is cosine-distributed around the normal on the
/// viewer's side. Its origin is lifted off the surface by 1e-4 of the box's half diagonal. The rays are the same
/// on every run.
std::vector<Ray> make_diffuse_rays(const Mesh& mesh, const Aabb& box, const std::vector<Ray>& primary,
                                   const std::vector<Hit>& hits);

}  // namespace copse::bench
