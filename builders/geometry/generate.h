#pragma once

#include "builders/geometry/mesh.h"

namespace copse {

// Meshes made by a recipe, for benchmarks and tests. The random ones use std::mt19937 and libstdc++'s
// distributions, so that a scene is the same everywhere.
//
// All throw Error capacity where the mesh would have more than 2^31 triangles or vertices, before anything
// is made.

/// Every triangle cut into 4 at the midpoints of its edges, `times` times. Midpoints are not shared.
/// Throws: Error capacity, Error invalid_argument for an index past the last vertex.
Mesh subdivide(const Mesh& mesh, u32 times);

/// Thin strips of `segments` quads that grow out of a sphere of radius 0.3, 2 * segments triangles each.
/// Throws: Error capacity, Error invalid_argument for 0 segments.
Mesh generate_hairball(u64 strands, u32 segments);

/// `count` triangles of about `size` at uniform random places of the unit cube.
/// Throws: Error capacity, Error invalid_argument for a size that is negative, infinite or NaN.
Mesh generate_random(u64 count, float size);

/// A flat square of n x n quads in the plane z = 0 from (0, 0) to (1, 1), facing +z.
/// Throws: Error capacity, Error invalid_argument for n = 0.
Mesh generate_grid(u32 n);

/// A closed sphere of radius 1 around the origin: an icosahedron cut `subdivisions` times, vertices shared,
/// 20 * 4^subdivisions triangles, facing outwards.
/// Throws: Error capacity.
Mesh generate_sphere(u32 subdivisions);

/// The unit cube from (0, 0, 0) to (1, 1, 1): 12 triangles, 8 vertices, facing outwards.
Mesh generate_cube();

}  // namespace copse
