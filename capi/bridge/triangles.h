#pragma once

#include <vector>

#include "capi/bridge/arrays.h"
#include "capi/geometry.h"

namespace copse::capi {

/// Returns the geometries of a caller, checked. All have the size of the first one.
/// Throws: Error invalid_argument, also for an index past the end of positions in host memory.
std::vector<copse_geometry> read_geometries(const copse_geometry* geometries, u64 count);

/// Returns the number of triangles of a geometry.
inline u64 triangle_count_of(const copse_geometry& geometry) {
  return geometry.index_bytes == 0 ? geometry.position_count / 3 : geometry.triangle_count;
}

/// Geometries of a caller as views in the memory of a context. The copies live as long as this object.
class Triangles {
 public:
  Triangles(Context& context, const copse_geometry* geometries, u64 count);

  const std::vector<TriangleView>& views() const { return views_; }

  /// Copies arrays on the host again, as they are now, if they were copied.
  void refresh() { copies_.refresh(); }

 private:
  HostRanges copies_;
  std::vector<TriangleView> views_;
};

/// The mesh of geometries on the host, and its parts, as files have them.
struct JoinedMesh {
  Mesh mesh;
  std::vector<MeshPart> parts;
};

/// Returns the triangles of a caller as one mesh. Geometries that follow each other and have the same positions share
/// them.
/// Waits: for geometries in the memory of the context.
JoinedMesh join(Context& context, const copse_geometry* geometries, u64 count);

}  // namespace copse::capi
