#include "viewer/model/scene/pile.h"

#include <algorithm>
#include <cmath>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>

#include "builders/geometry/generate.h"
#include "primitives/core/error.h"
#include "trace/random.h"

namespace copse::viewer {

namespace {

constexpr float radius = 0.5f, time_step = 1.0f / Pile::steps_per_second, gravity = 9.81f;
constexpr u32 passes = 4, max_count = 100000;

/// A number from 0 to 1 that belongs to an object.
float fraction(u32 object, u32 kind) {
  return float(copse::detail::pcg_hash(object * 8 + kind) >> 8) / float(1 << 24);
}

vec3 axis_of(u32 object) {
  return glm::normalize(vec3(fraction(object, 0), fraction(object, 1), fraction(object, 2)) - 0.45f);
}

/// The cells of a grid as wide as an object, as one number each.
u64 cell_key(const vec3& p) {
  const auto part = [](float x) { return u64(i64(std::floor(x)) + (1 << 20)); };
  return part(p.x) << 42 | part(p.y) << 21 | part(p.z);
}

Mesh scaled(Mesh mesh, const vec3& scale) {
  const vec3 middle = centroid(bounds(mesh)), size = bounds(mesh).hi - bounds(mesh).lo;
  for (vec3& p : mesh.positions) p = (p - middle) / size * scale;
  return mesh;
}

}  // namespace

Pile::Pile(u32 count) : count_(count), reach_(std::max(1.5f, 0.6f * std::cbrt(float(count)))) {
  if (count < 1 || count > max_count) {
    throw Error(ErrorCode::invalid_argument,
                "Pile: " + std::to_string(count) + " objects; it can be 1 to " + std::to_string(max_count));
  }
  rewind();
}

/// They begin in layers above the floor, each a little off its place, so that they do not stack up.
void Pile::rewind() {
  step_ = 0;
  now_.resize(count_);
  turn_.assign(count_, 0);
  const u32 side = std::max(1u, u32(std::floor(reach_ * 1.4f)));
  for (u32 i = 0; i < count_; ++i) {
    const u32 layer = i / (side * side), x = i % side, z = i / side % side;
    const vec3 jitter = 0.2f * (vec3(fraction(i, 3), fraction(i, 4), fraction(i, 5)) - 0.5f);
    now_[i] = vec3(1.1f * (float(x) - 0.5f * float(side - 1)), 2 + 1.2f * float(layer),
                   1.1f * (float(z) - 0.5f * float(side - 1))) +
              jitter;
    turn_[i] = 6.2831853f * fraction(i, 6);
  }
  before_ = now_;
}

/// Two objects whose distance is below a diameter part by half of what lacks. Cells are visited in the order of their
/// keys, and neighbours in the order of theirs, so that the result is the same everywhere.
void Pile::push_apart() {
  std::vector<std::pair<u64, u32>> cells(count_);
  for (u32 i = 0; i < count_; ++i) cells[i] = {cell_key(now_[i]), i};
  std::sort(cells.begin(), cells.end());
  for (const auto& [key, i] : cells) {
    for (int dx = -1; dx <= 1; ++dx) {
      for (int dy = -1; dy <= 1; ++dy) {
        const u64 row = key + (u64(i64(dx)) << 42) + (u64(i64(dy)) << 21);
        auto other = std::lower_bound(cells.begin(), cells.end(), std::pair(row - 1, u32{0}));
        for (; other != cells.end() && other->first <= row + 1; ++other) {
          if (other->second <= i) continue;
          const vec3 way = now_[other->second] - now_[i];
          const float square = glm::dot(way, way);
          if (!(square < 4 * radius * radius) || !(square > 1e-12f)) continue;
          const float distance = std::sqrt(square);
          const vec3 push = way * (0.5f * (2 * radius - distance) / distance);
          now_[i] -= push;
          now_[other->second] += push;
        }
      }
    }
  }
}

void Pile::stay_inside() {
  for (u32 i = 0; i < count_; ++i) {
    vec3& p = now_[i];
    if (p.y < radius) {
      p.y = radius;
      before_[i] += 0.4f * vec3(p.x - before_[i].x, 0, p.z - before_[i].z);  // friction
    }
    p.x = std::clamp(p.x, -reach_, reach_);
    p.z = std::clamp(p.z, -reach_, reach_);
  }
}

void Pile::advance() {
  for (u32 i = 0; i < count_; ++i) {
    const vec3 motion = (now_[i] - before_[i]) * 0.998f;
    before_[i] = now_[i];
    now_[i] += motion + vec3(0, -gravity * time_step * time_step, 0);
    turn_[i] += std::min(glm::length(vec3(motion.x, 0.3f * motion.y, motion.z)), 0.2f);
  }
  for (u32 pass = 0; pass < passes; ++pass) {
    push_apart();
    stay_inside();
  }
  ++step_;
}

void Pile::go_to(u32 step) {
  if (step < step_) rewind();
  while (step_ < step) advance();
}

std::vector<Instance> Pile::instances() const {
  std::vector<Instance> all = {Instance{}};  // the floor
  for (u32 i = 0; i < count_; ++i) {
    const glm::mat4 turned = glm::rotate(glm::translate(glm::mat4(1), now_[i]), turn_[i], axis_of(i));
    all.push_back(Instance::of(glm::mat4x3(turned), 1 + i % 2));
    all.back().id = i + 1;
  }
  return all;
}

Geometry Pile::scene() const {
  Mesh floor = scaled(generate_cube(), vec3(2 * reach_ + 4, 0.2f, 2 * reach_ + 4));
  for (vec3& p : floor.positions) p.y -= 0.1f;
  auto meshes = std::make_shared<std::vector<NamedMesh>>();
  meshes->push_back({"floor", std::move(floor)});
  meshes->push_back({"cube", scaled(generate_cube(), vec3(1.3f * radius))});
  meshes->push_back({"ball", scaled(generate_sphere(2), vec3(2 * radius))});
  return scene_of({std::move(meshes), instances()}, std::vector<std::string>(count_ + 1));
}

}  // namespace copse::viewer
