#pragma once

// What the examples share: a mesh on the device, points of a stretched mesh, and the body of main.

#include <copse/copse.h>

#include <cstdio>
#include <exception>
#include <vector>

namespace example {

/// A mesh in the memory of a context.
struct DeviceMesh {
  copse::Buffer<glm::vec3> positions;
  copse::Buffer<glm::uvec3> indices;

  DeviceMesh(copse::Context& context, const copse::Mesh& mesh)
      : positions(context, mesh.positions), indices(context, mesh.triangles) {}

  copse::TriangleView view() const { return {.positions = positions.span(), .triangles = indices.span()}; }
};

inline std::vector<glm::vec3> scaled(std::vector<glm::vec3> points, const glm::vec3& factors) {
  for (glm::vec3& point : points) point *= factors;
  return points;
}

/// Runs an example and returns the exit code of its program: 0 if `succeeds()` is true, else 1. An exception becomes
/// a line on standard error. The code is 77 if there is no GPU, which ctest counts as skipped.
template <class Example>
int run(const char* name, const Example& succeeds) {
  try {
    return succeeds() ? 0 : 1;
  } catch (const copse::Error& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return error.code() == copse::ErrorCode::no_device ? 77 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace example
