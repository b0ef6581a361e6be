#pragma once

// Meshes and rays that bytes say, for the targets that build over them and trace them.

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "builders/geometry/mesh.h"
#include "builders/geometry/triangle.h"
#include "builders/validation_report.h"
#include "primitives/core/buffer.h"
#include "trace/ray.h"

namespace copse::fuzz {

/// Takes values off the front of the bytes; zeros once they have ended.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  template <class T>
  T take() {
    T value{};
    const size_t count = std::min(left_.size(), sizeof value);
    std::memcpy(&value, left_.data(), count);
    left_.remove_prefix(count);
    return value;
  }
  bool is_empty() const { return left_.empty(); }

 private:
  std::string_view left_;
};

/// A mesh of up to 96 vertices and 96 triangles.
Mesh mesh_of(Bytes& bytes);

/// Up to 16 rays, some of them at a vertex.
std::vector<Ray> rays_of(Bytes& bytes, const Mesh& mesh);

/// A mesh in the memory of a context.
struct Placed {
  Placed(Context& context, const Mesh& mesh)
      : positions(context, mesh.positions), triangles(context, mesh.triangles) {}
  TriangleView view() const { return {.positions = positions.span(), .triangles = triangles.span()}; }

  Buffer<vec3> positions;
  Buffer<uvec3> triangles;
};

/// A context of the CPU whose only worker is this thread.
Context& one_worker();

void expect_valid(const ValidationReport& report);

/// The closest hits by a test of every triangle.
std::vector<Hit> hits_of_all(const Mesh& mesh, const std::vector<Ray>& rays);

/// Ends the program unless `found` is the triangle of `expected`, at the same t.
void expect_hit(const Ray& ray, const Hit& found, const Hit& expected, const char* what);

}  // namespace copse::fuzz
