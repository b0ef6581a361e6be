#pragma once

#include <vector>

#include "builders/geometry/mesh.h"
#include "trace/ray.h"

namespace copse::cli {

/// size x size rays in tiles of 8 x 8 pixels, direction (u, v, -1) normalised with u and v in [-0.5, 0.5].
/// Origin: the centre of `box`, for an exterior moved by twice the half diagonal along +z.
///   size: a multiple of 8
std::vector<Ray> make_primary_rays(const Aabb& box, bool interior, u32 size);

/// One ray for each primary hit, in order: cosine-distributed around the normal on the viewer's side, its
/// origin lifted off the surface by 1e-4 of the box's half diagonal. The same on every run.
std::vector<Ray> make_diffuse_rays(const Mesh& mesh, const Aabb& box, const std::vector<Ray>& primary,
                                   const std::vector<Hit>& hits);

}  // namespace copse::cli
