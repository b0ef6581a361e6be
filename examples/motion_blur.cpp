// Motion blur: a mesh that moves while the picture is taken. Usage: motion_blur MESH PICTURE.png [SAMPLES]

#include <copse/copse.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <string>
#include <vector>

namespace {

constexpr copse::u32 width = 480, height = 270, key_count = 5;

/// The positions of the mesh at a key: it turns by 17 degrees in all, and goes to the right.
std::vector<glm::vec3> positions_at(const copse::Mesh& mesh, copse::u32 key) {
  const copse::Aabb box = copse::bounds(mesh);
  const float time = float(key) / float(key_count - 1);
  const glm::mat4 turn = glm::rotate(glm::mat4(1), 2.2f + 0.3f * time, glm::vec3(0, 1, 0));
  std::vector<glm::vec3> positions;
  for (const glm::vec3& p : mesh.positions) {
    const glm::vec3 from_middle = p - (box.lo + box.hi) * 0.5f;
    positions.push_back(glm::vec3(turn * glm::vec4(from_middle, 1)) +
                        (box.hi - box.lo) * glm::vec3(0.2f * (time - 0.5f), 0, 0));
  }
  return positions;
}

/// Rays through all pixels, `samples` each, at times that are spread over the exposure.
void make_rays(const copse::Aabb& box, copse::u32 samples, std::vector<copse::Ray>& rays,
               std::vector<float>& times) {
  const float size = glm::length(box.hi - box.lo);
  const copse::Camera camera =
      copse::look_at(glm::vec3(0, 0.25f, 1.2f) * size, glm::vec3(0), {0, 1, 0}, 45, float(width) / height);
  for (copse::u32 i = 0; i < width * height; ++i) {
    for (copse::u32 sample = 0; sample < samples; ++sample) {
      const float shift = float(i * 7919u % 101u) / 101;  // another one in each pixel
      rays.push_back(copse::camera_ray(camera, i % width, i / width, width, height));
      times.push_back((float(sample) + shift) / float(samples));
    }
  }
}

glm::vec3 shade(const std::vector<std::vector<glm::vec3>>& keys, const glm::uvec3& corners, const copse::Ray& ray,
                float time) {
  const copse::u32 key = copse::u32(time * (key_count - 1));
  const float part = time * (key_count - 1) - float(key);
  const auto at = [&](copse::u32 corner) { return glm::mix(keys[key][corner], keys[key + 1][corner], part); };
  const glm::vec3 a = at(corners.x), b = at(corners.y), c = at(corners.z);
  const glm::vec3 normal = glm::normalize(glm::cross(b - a, c - a));
  return glm::vec3(0.95f, 0.6f, 0.35f) * (0.2f + 0.8f * glm::abs(glm::dot(normal, glm::normalize(ray.direction))));
}

void draw(const char* mesh_file, const char* picture, copse::u32 samples) {
  const copse::Mesh mesh = copse::load_mesh(mesh_file);
  std::vector<std::vector<glm::vec3>> positions;
  for (copse::u32 key = 0; key < key_count; ++key) positions.push_back(positions_at(mesh, key));
  std::vector<copse::Ray> host_rays;
  std::vector<float> host_times;
  make_rays(copse::bounds(mesh), samples, host_rays, host_times);

  // snippet begins
  copse::Context context;
  const copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
  std::vector<copse::Buffer<glm::vec3>> buffers;  // the positions at each key
  std::vector<copse::TriangleView> keys;
  for (const std::vector<glm::vec3>& at_key : positions) {
    buffers.emplace_back(context, at_key);
    keys.push_back({.positions = buffers.back().span(), .triangles = indices.span()});
  }
  const copse::MotionAccel accel = copse::build(context, copse::MotionTriangles(keys));

  const copse::Buffer<copse::Ray> rays(context, host_rays);
  const copse::Buffer<float> times(context, host_times);  // 0 at the first key, 1 at the last
  copse::Buffer<copse::Hit> hits(context, rays.size());
  copse::closest_hits(context, accel, rays.span(), hits.span(), {.times = times.span()});
  const std::vector<copse::Hit> found = hits.download();
  // snippet ends

  copse::Image image{width, height, {}};
  for (copse::u32 pixel = 0; pixel < width * height; ++pixel) {
    glm::vec3 sum(0);
    for (copse::u32 i = pixel * samples; i < (pixel + 1) * samples; ++i) {
      const bool is_hit = copse::is_hit(found[i]);
      sum += is_hit ? shade(positions, mesh.triangles[found[i].primitive], host_rays[i], host_times[i])
                    : glm::vec3(1);
    }
    const glm::vec3 colour = 255.0f * sum / float(samples);
    image.pixels.push_back({copse::u8(colour.x), copse::u8(colour.y), copse::u8(colour.z), 255});
  }
  copse::save_png(picture, image);
  std::printf("%u keys of %zu triangles in %llu bytes\n", key_count, mesh.triangles.size(),
              static_cast<unsigned long long>(accel.size_bytes()));
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 3 || argument_count > 4) {
    std::fprintf(stderr, "usage: motion_blur MESH PICTURE.png [SAMPLES]\n");
    return 2;
  }
  const int samples = argument_count == 4 ? std::atoi(arguments[3]) : 32;
  if (samples < 1 || samples > 1024) {
    std::fprintf(stderr, "motion_blur: %s samples; there can be 1 to 1024\n", arguments[3]);
    return 2;
  }
  try {
    draw(arguments[1], arguments[2], copse::u32(samples));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "motion_blur: %s\n", error.what());
    return 1;
  }
  return 0;
}
