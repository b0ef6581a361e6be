#pragma once

#include "builders/geometry/mesh.h"
#include "primitives/core/cancel_token.h"

namespace copse {

// Generated meshes, for benchmarks and tests. The random ones use std::mt19937 and the distributions of libstdc++,
// so that a scene is the same everywhere.
//
// All functions throw Error capacity, before they make anything, if the mesh would have more than 2^31 triangles
// or vertices. `cancel` is a token such as std::stop_token: once a stop is requested, they throw Error cancelled soon.

/// Returns the mesh with every triangle cut into 4 at the midpoints of its edges, `times` times. Midpoints are not
/// shared.
/// Throws: Error capacity, Error invalid_argument for an index past the last vertex.
COPSE_API Mesh subdivide(const Mesh& mesh, u32 times, const CancelToken& cancel = {});

/// Returns thin strips that grow out of a sphere of radius 0.3. A strip has `segments` quads, 2 * segments
/// triangles.
/// Throws: Error capacity, Error invalid_argument for 0 segments.
COPSE_API Mesh generate_hairball(u64 strands, u32 segments, const CancelToken& cancel = {});

/// Returns `count` triangles of about `size` at uniform random places of the unit cube.
/// Throws: Error capacity, Error invalid_argument for a size that is negative, infinite or NaN.
COPSE_API Mesh generate_random(u64 count, float size, const CancelToken& cancel = {});

/// Returns a flat square of n x n quads in the plane z = 0 from (0, 0) to (1, 1), facing +z.
/// Throws: Error capacity, Error invalid_argument for n = 0.
COPSE_API Mesh generate_grid(u32 n, const CancelToken& cancel = {});

/// Returns a closed sphere of radius 1 around the origin: an icosahedron cut `subdivisions` times, with shared
/// vertices and 20 * 4^subdivisions triangles that face outwards.
/// Throws: Error capacity.
COPSE_API Mesh generate_sphere(u32 subdivisions, const CancelToken& cancel = {});

/// Returns the unit cube from (0, 0, 0) to (1, 1, 1): 12 triangles that face outwards, 8 vertices.
COPSE_API Mesh generate_cube();

}  // namespace copse
