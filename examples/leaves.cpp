// Leaves that are cut out of cards by a filter, and their shadows. Usage: leaves PICTURE.png

#include <copse/accel/accel_hit_view.h>
#include <copse/copse.h>

#include <cstdio>
#include <exception>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>
#include <glm/vec2.hpp>
#include <random>
#include <vector>

namespace {

constexpr copse::u32 width = 900, height = 500, leaf_count = 900;

/// Where a hit is on its card, from (0, 0) to (1, 1). A card is two triangles.
glm::vec2 place_on_card(const copse::Hit& hit) {
  return hit.primitive % 2 == 0 ? glm::vec2(hit.u + hit.v, hit.v) : glm::vec2(hit.u, hit.u + hit.v);
}

// snippet begins
/// A ray passes over a hit outside of the leaf that is drawn on its card.
struct LeafOutline {
  copse::u32 passed_over = 0;

  copse::FilterAnswer operator()(const copse::Hit& hit) {
    const glm::vec2 at = place_on_card(hit);
    if (glm::abs(at.y - 0.5f) < 0.38f * glm::sin(3.1416f * at.x)) return copse::FilterAnswer::accept;
    ++passed_over;
    return copse::FilterAnswer::pass_over;
  }
};

bool is_lit(const copse::AccelView& accel, const glm::vec3& point, LeafOutline& outline) {
  const copse::Ray to_light{point, 1e-3f, glm::normalize(glm::vec3(0.4f, 1, 0.5f)), copse::infinity};
  return !copse::any_hit(accel, to_light, outline);
}
// snippet ends

glm::vec3 shade(const copse::AccelView& accel, const copse::Ray& ray, LeafOutline& outline) {
  const copse::Hit hit = copse::closest_hit(accel, ray, outline);
  if (!copse::is_hit(hit)) return glm::vec3(0.93f, 0.96f, 1);
  const bool lit = is_lit(accel, ray.origin + hit.t * ray.direction, outline);
  const glm::vec2 at = place_on_card(hit);
  const float vein = glm::abs(at.y - 0.5f) < 0.015f || glm::fract(at.x * 7 + glm::abs(at.y - 0.5f) * 4) < 0.06f;
  const float hue = glm::fract(float(hit.primitive / 2) * 0.618f);
  const glm::vec3 green = glm::mix(glm::vec3(0.20f, 0.45f, 0.10f), glm::vec3(0.62f, 0.66f, 0.16f), hue);
  return green * (lit ? 1.0f : 0.45f) * (1 - 0.25f * vein);
}

/// Cards of random places and turns in a ball. Corners in the order (0, 0), (1, 0), (1, 1), (0, 1).
copse::Mesh cards() {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> number(-1, 1);
  const auto point = [&] {
    const float x = number(random), y = number(random), z = number(random);
    return glm::vec3(x, y, z);
  };
  copse::Mesh mesh;
  for (copse::u32 i = 0; i < leaf_count; ++i) {
    const glm::vec3 middle = glm::vec3(4.2f, 2, 2) * glm::normalize(point()) * glm::sqrt(glm::abs(number(random)));
    const glm::vec3 along = 0.45f * glm::normalize(point());
    const glm::vec3 across = 0.33f * glm::normalize(glm::cross(along, point()));
    const copse::u32 first = copse::u32(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), {middle - along - across, middle + along - across,
                                                 middle + along + across, middle - along + across});
    mesh.triangles.insert(mesh.triangles.end(), {{first, first + 1, first + 2}, {first, first + 2, first + 3}});
  }
  return mesh;
}

void draw(const char* picture) {
  const copse::Mesh mesh = cards();
  copse::Context context({.backend = copse::Backend::cpu});
  const copse::Buffer<glm::vec3> positions(context, mesh.positions);
  const copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
  const copse::Accel accel =
      copse::build(context, copse::TriangleView{.positions = positions.span(), .triangles = indices.span()});
  context.wait();

  const copse::Camera camera =
      copse::look_at({0, 1.5f, 11}, {0, 0, 0}, {0, 1, 0}, 30, float(width) / float(height));
  copse::Image image{width, height, {}};
  LeafOutline outline;
  for (copse::u32 i = 0; i < width * height; ++i) {
    const copse::Ray ray = copse::camera_ray(camera, i % width, i / width, width, height);
    const glm::vec3 colour = 255.0f * shade(accel.view(), ray, outline);
    image.pixels.push_back({copse::u8(colour.x), copse::u8(colour.y), copse::u8(colour.z), 255});
  }
  copse::save_png(picture, image);
  std::printf("%u leaves; rays passed over %u hits beside them\n", leaf_count, outline.passed_over);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: leaves PICTURE.png\n");
    return 2;
  }
  try {
    draw(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "leaves: %s\n", error.what());
    return 1;
  }
  return 0;
}
