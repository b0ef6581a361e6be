#include "builders/geometry/generate.h"

#include <cmath>
#include <new>
#include <random>
#include <string>
#include <unordered_map>

#include "primitives/core/error.h"

namespace copse {

namespace {

constexpr u64 max_elements = u64{1} << 31;

/// Returns a * b, or 2^64 - 1 if that overflows.
u64 saturated_product(u64 a, u64 b) {
  return a != 0 && b > ~u64{0} / a ? ~u64{0} : a * b;
}

std::string count_text(u64 count) {
  return count == ~u64{0} ? "2^64 or more" : std::to_string(count);
}

void check_size(const std::string& what, u64 triangle_count, u64 vertex_count) {
  if (triangle_count <= max_elements && vertex_count <= max_elements) return;
  throw Error(ErrorCode::capacity, what + " would have " + count_text(triangle_count) + " triangles and " +
                                       count_text(vertex_count) + " vertices, at most " +
                                       std::to_string(max_elements) + " of each can be made");
}

/// Returns an empty mesh with room for so many vertices and triangles.
Mesh mesh_of(const std::string& what, u64 triangle_count, u64 vertex_count) {
  check_size(what, triangle_count, vertex_count);
  Mesh mesh;
  try {
    mesh.positions.reserve(vertex_count);
    mesh.triangles.reserve(triangle_count);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, what + ": no memory for " + std::to_string(triangle_count) +
                                              " triangles and " + std::to_string(vertex_count) + " vertices");
  }
  return mesh;
}

/// Asks the token at every 2^16th element.
void throw_if_cancelled(const CancelToken& cancel, const char* function, u64 element) {
  if (element % (1 << 16) == 0 && cancel.stop_requested()) {
    throw Error(ErrorCode::cancelled, std::string(function) + ": cancelled");
  }
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

void check_indices(const Mesh& mesh) {
  for (const uvec3& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      if (t[k] >= mesh.positions.size()) {
        refuse("subdivide: vertex " + std::to_string(t[k]) + " of " + std::to_string(mesh.positions.size()));
      }
    }
  }
}

/// Cuts a triangle at the vertices `middle` of its edges; the quarters at its corners come first.
void append_quarters(const uvec3& t, const uvec3& middle, std::vector<uvec3>& out) {
  out.push_back({t.x, middle.x, middle.z});
  out.push_back({middle.x, t.y, middle.y});
  out.push_back({middle.z, middle.y, t.z});
  out.push_back(middle);
}

Mesh subdivide_once(const Mesh& mesh, const CancelToken& cancel) {
  const u64 triangle_count = mesh.triangles.size();
  Mesh fine = mesh_of("the subdivided mesh", 4 * triangle_count, mesh.positions.size() + 3 * triangle_count);
  fine.positions.insert(fine.positions.end(), mesh.positions.begin(), mesh.positions.end());
  const auto add_midpoint = [&](u32 a, u32 b) {
    const vec3 &p = mesh.positions[a], &q = mesh.positions[b];
    fine.positions.push_back({(p.x + q.x) / 2, (p.y + q.y) / 2, (p.z + q.z) / 2});
    return u32(fine.positions.size() - 1);
  };
  for (const uvec3& t : mesh.triangles) {
    const u32 x = add_midpoint(t.x, t.y);
    const u32 y = add_midpoint(t.y, t.z);
    const u32 z = add_midpoint(t.z, t.x);
    append_quarters(t, {x, y, z}, fine.triangles);
    throw_if_cancelled(cancel, "subdivide", fine.triangles.size() / 4);
  }
  return fine;
}

/// Unlike glm::normalize, it returns the null vector for the null vector.
vec3 unit(const vec3& v) {
  const float length = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z) + 1e-9f;
  return {v.x / length, v.y / length, v.z / length};
}

/// The vertices in the middle of edges, on the unit sphere, one for the two triangles at an edge.
class SphereEdges {
 public:
  explicit SphereEdges(Mesh& mesh) : mesh_(mesh) { middle_of_.reserve(3 * mesh.triangles.size() / 2); }

  u32 middle(u32 a, u32 b) {
    const u64 edge = a < b ? u64{a} << 32 | b : u64{b} << 32 | a;
    const auto [place, is_new] = middle_of_.try_emplace(edge, u32(mesh_.positions.size()));
    if (is_new) mesh_.positions.push_back(unit(mesh_.positions[a] + mesh_.positions[b]));
    return place->second;
  }

 private:
  Mesh& mesh_;
  std::unordered_map<u64, u32> middle_of_;
};

/// Twelve corners: (0, 1, g), g the golden ratio, with all signs and cyclic shifts, on the unit sphere.
void add_icosahedron(Mesh& mesh) {
  constexpr float g = 1.618034f;
  for (const vec3& p :
       {vec3(-1, g, 0), vec3(1, g, 0), vec3(-1, -g, 0), vec3(1, -g, 0), vec3(0, -1, g), vec3(0, 1, g),
        vec3(0, -1, -g), vec3(0, 1, -g), vec3(g, 0, -1), vec3(g, 0, 1), vec3(-g, 0, -1), vec3(-g, 0, 1)}) {
    mesh.positions.push_back(unit(p));
  }
  for (const uvec3& t : {uvec3(0, 11, 5), uvec3(0, 5, 1),  uvec3(0, 1, 7),   uvec3(0, 7, 10), uvec3(0, 10, 11),
                         uvec3(1, 5, 9),  uvec3(5, 11, 4), uvec3(11, 10, 2), uvec3(10, 7, 6), uvec3(7, 1, 8),
                         uvec3(3, 9, 4),  uvec3(3, 4, 2),  uvec3(3, 2, 6),   uvec3(3, 6, 8),  uvec3(3, 8, 9),
                         uvec3(4, 9, 5),  uvec3(2, 4, 11), uvec3(6, 2, 10),  uvec3(8, 6, 7),  uvec3(9, 8, 1)}) {
    mesh.triangles.push_back(t);
  }
}

/// Draws one number after the other, in the order x, y, z: the arguments of one call have no order.
template <class Distribution>
vec3 draw(Distribution& distribution, std::mt19937& engine) {
  vec3 v;
  v.x = distribution(engine);
  v.y = distribution(engine);
  v.z = distribution(engine);
  return v;
}

}  // namespace

Mesh subdivide(const Mesh& mesh, u32 times, const CancelToken& cancel) {
  throw_if_cancelled(cancel, "subdivide", 0);
  check_indices(mesh);
  // Refuse before the first step.
  u64 triangle_count = mesh.triangles.size(), vertex_count = mesh.positions.size();
  for (u32 i = 0; i < times && triangle_count > 0; ++i) {
    vertex_count += 3 * triangle_count;
    triangle_count *= 4;
    check_size("the subdivided mesh", triangle_count, vertex_count);
  }
  Mesh fine = mesh;
  for (u32 i = 0; i < times && triangle_count > 0; ++i) fine = subdivide_once(fine, cancel);
  return fine;
}

Mesh generate_hairball(u64 strands, u32 segments, const CancelToken& cancel) {
  if (segments == 0) refuse("a hairball of strands of 0 segments, at least 1 is needed");
  Mesh mesh = mesh_of("the hairball", saturated_product(strands, 2 * u64{segments}),
                      saturated_product(strands, 2 * (u64{segments} + 1)));
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  const float half_width = 0.0008f, step = 0.7f / float(segments);
  for (u64 s = 0; s < strands; ++s) {
    vec3 direction = unit(draw(normal, engine));
    vec3 p = direction * 0.3f;
    const vec3 side = draw(normal, engine) * half_width;
    const u32 base = u32(mesh.positions.size());
    for (u32 i = 0; i <= segments; ++i) {
      mesh.positions.push_back(p - side);
      mesh.positions.push_back(p + side);
      direction = unit(direction + draw(normal, engine) * 0.12f);
      p = p + direction * step;
    }
    for (u32 i = 0; i < segments; ++i) {
      throw_if_cancelled(cancel, "generate_hairball", mesh.triangles.size() / 2);
      const u32 b = base + 2 * i;
      mesh.triangles.push_back({b, b + 1, b + 2});
      mesh.triangles.push_back({b + 1, b + 3, b + 2});
    }
  }
  return mesh;
}

Mesh generate_random(u64 count, float size, const CancelToken& cancel) {
  if (!is_finite(size) || size < 0)
    refuse("random triangles of size " + std::to_string(size) + ", 0 or more is needed");
  Mesh mesh = mesh_of("the random mesh", count, saturated_product(count, 3));
  std::mt19937 engine(2);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (u64 i = 0; i < count; ++i) {
    throw_if_cancelled(cancel, "generate_random", i);
    const vec3 place = draw(uniform, engine);
    for (int k = 0; k < 3; ++k) mesh.positions.push_back(place + (draw(uniform, engine) - 0.5f) * size);
    const u32 first = u32(3 * i);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

Mesh generate_grid(u32 n, const CancelToken& cancel) {
  if (n == 0) refuse("a grid of 0 x 0 quads, at least 1 x 1 is needed");
  const u64 quads = u64{n} * n, row = u64{n} + 1;
  Mesh mesh = mesh_of("the grid", saturated_product(quads, 2), saturated_product(row, row));
  for (u32 y = 0; y <= n; ++y) {
    for (u32 x = 0; x <= n; ++x) mesh.positions.push_back({float(x) / float(n), float(y) / float(n), 0});
  }
  for (u32 y = 0; y < n; ++y) {
    for (u32 x = 0; x < n; ++x) {
      throw_if_cancelled(cancel, "generate_grid", mesh.triangles.size() / 2);
      const u32 a = u32(y * row) + x, b = a + 1, c = a + u32(row), d = c + 1;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  }
  return mesh;
}

Mesh generate_sphere(u32 subdivisions, const CancelToken& cancel) {
  const u64 fold = subdivisions < 32 ? u64{1} << (2 * subdivisions) : ~u64{0};
  const u64 triangle_count = saturated_product(20, fold);
  Mesh mesh = mesh_of("the sphere", triangle_count, triangle_count / 2 + 2);
  add_icosahedron(mesh);
  for (u32 i = 0; i < subdivisions; ++i) {
    SphereEdges edges(mesh);
    std::vector<uvec3> fine;
    fine.reserve(4 * mesh.triangles.size());
    for (const uvec3& t : mesh.triangles) {
      throw_if_cancelled(cancel, "generate_sphere", fine.size() / 4);
      const u32 x = edges.middle(t.x, t.y);
      const u32 y = edges.middle(t.y, t.z);
      const u32 z = edges.middle(t.z, t.x);
      append_quarters(t, {x, y, z}, fine);
    }
    mesh.triangles = std::move(fine);
  }
  return mesh;
}

Mesh generate_cube() {
  // Bit k of a corner's number is its coordinate on axis k.
  Mesh mesh;
  for (u32 corner = 0; corner < 8; ++corner) {
    mesh.positions.push_back(vec3(float(corner & 1), float(corner >> 1 & 1), float(corner >> 2 & 1)));
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

}  // namespace copse
