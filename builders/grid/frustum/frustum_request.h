#pragma once

#include "builders/grid/frustum/frustum_shape.h"

namespace copse::detail {

/// What a frustum and a resolution of tiles across, tiles down and slabs say to a build.
/// Throws: Error invalid_argument for either out of range.
FrustumRequest request_frustum(const ViewFrustum& frustum, const uvec3& resolution);

/// Throws: Error invalid_argument for a resolution out of range.
void check_frustum_resolution(const uvec3& resolution);

}  // namespace copse::detail
