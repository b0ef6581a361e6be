#pragma once

// Compares the packed triangles of an Accel with its mesh, before they go into a file and after they come out of one.

#include <span>
#include <string>

#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle_records.h"
#include "builders/io/structure/structure_layout.h"

namespace copse::detail {

/// Returns how the first packed triangle that is not a triangle of the mesh differs, or an empty string. Ids and vertex
/// indices must be in range.
///   parts: have as many triangles in all as the mesh
///   masks: one per packed triangle at least; empty if all bits of all masks are set
std::string find_packed_fault(const TriangleRecords& mesh, std::span<const StructurePart> parts,
                              std::span<const PackedTriangle> packed, std::span<const u32> masks);

}  // namespace copse::detail
