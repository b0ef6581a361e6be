// Motion blur of instances: meshes that spin and slide while the picture is taken.
// Usage: motion_scene MESH PICTURE.png [SAMPLES]

#include <copse/copse.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <glm/geometric.hpp>
#include <string>
#include <vector>

namespace {

constexpr copse::u32 width = 640, height = 240, key_count = 5, instance_count = 3;

/// Where an instance is at a key: the first stands still, the second spins by 200 degrees, the third slides and tips over.
copse::MotionTransform place(const copse::Aabb& box, copse::u32 instance, copse::u32 key) {
  const glm::vec3 middle = (box.lo + box.hi) * 0.5f, size = box.hi - box.lo;
  const float time = float(key) / (key_count - 1);
  const float angle = instance == 1 ? 3.5f * time : instance == 2 ? 0.5f * time : 0.0f;
  copse::MotionTransform place;
  place.pivot_x = -middle.x, place.pivot_y = -middle.y, place.pivot_z = -middle.z;  // it turns about its middle
  place.rotation[instance == 2 ? 2 : 1] = std::sin(angle / 2);
  place.rotation[3] = std::cos(angle / 2);
  place.translation[0] = (1.4f * float(instance) + (instance == 2 ? 0.4f * time : 0.0f)) * size.z;
  return place;
}

/// Rays through all pixels, `samples` each, at times that are spread over the exposure.
void make_rays(const copse::Aabb& box, copse::u32 samples, std::vector<copse::Ray>& rays,
               std::vector<float>& times) {
  const glm::vec3 size = box.hi - box.lo, to = glm::vec3(1.55f, 0, 0) * size.z;
  const copse::Camera camera =
      copse::look_at(to + glm::vec3(-0.3f, 0.6f, -2.9f) * size.z, to, {0, 1, 0}, 38, float(width) / height);
  for (copse::u32 i = 0; i < width * height; ++i) {
    for (copse::u32 sample = 0; sample < samples; ++sample) {
      const float shift = float(i * 7919u % 101u) / 101;  // another one in each pixel
      rays.push_back(copse::camera_ray(camera, i % width, i / width, width, height));
      times.push_back((float(sample) + shift) / float(samples));
    }
  }
}

glm::vec3 shade(const copse::Mesh& mesh, const std::vector<copse::MotionTransform>& transforms,
                const copse::SceneHit& hit, const copse::Ray& ray, float time) {
  const copse::TransformRows at = copse::transform_at(&transforms[hit.instance * key_count], key_count, time);
  const auto placed = [&](copse::u32 corner) {
    const glm::vec3& p = mesh.positions[corner];
    glm::vec3 place;
    for (int i = 0; i < 3; ++i) {
      place[i] = at.rows[i][0] * p.x + at.rows[i][1] * p.y + at.rows[i][2] * p.z + at.rows[i][3];
    }
    return place;
  };
  const glm::uvec3 corners = mesh.triangles[hit.primitive];
  const glm::vec3 a = placed(corners.x), b = placed(corners.y), c = placed(corners.z);
  const glm::vec3 normal = glm::normalize(glm::cross(b - a, c - a));
  const glm::vec3 colours[] = {{0.95f, 0.6f, 0.35f}, {0.4f, 0.65f, 0.95f}, {0.55f, 0.8f, 0.45f}};
  return colours[hit.instance] * (0.2f + 0.8f * glm::abs(glm::dot(normal, glm::normalize(ray.direction))));
}

void draw(const char* mesh_file, const char* picture, copse::u32 samples) {
  const copse::Mesh mesh = copse::load_mesh(mesh_file);
  const copse::Aabb box = copse::bounds(mesh);
  std::vector<copse::Ray> host_rays;
  std::vector<float> host_times;
  make_rays(box, samples, host_rays, host_times);

  copse::Context context;
  const copse::Buffer<glm::vec3> positions(context, mesh.positions);
  const copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
  const copse::Accel accel =
      copse::build(context, copse::TriangleView{.positions = positions.span(), .triangles = indices.span()});
  // snippet begins
  std::vector<copse::MotionTransform> host_transforms;  // of instance 0 at all keys, then of instance 1
  for (copse::u32 instance = 0; instance < instance_count; ++instance) {
    for (copse::u32 key = 0; key < key_count; ++key) host_transforms.push_back(place(box, instance, key));
  }
  const copse::Buffer<copse::MotionTransform> transforms(context, host_transforms);
  const copse::MotionInstanceView instances{.transforms = transforms.span(), .key_count = key_count};
  const copse::MotionScene scene = copse::build(context, accel, instances);

  const copse::Buffer<copse::Ray> rays(context, host_rays);
  const copse::Buffer<float> times(context, host_times);  // 0 at the first key, 1 at the last
  copse::Buffer<copse::SceneHit> hits(context, rays.size());
  copse::closest_hits(context, scene, rays.span(), hits.span(), {.times = times.span()});
  // snippet ends
  const std::vector<copse::SceneHit> found = hits.download();

  copse::Image image{width, height, {}};
  for (copse::u32 pixel = 0; pixel < width * height; ++pixel) {
    glm::vec3 sum(0);
    for (copse::u32 i = pixel * samples; i < (pixel + 1) * samples; ++i) {
      sum += is_hit(found[i]) ? shade(mesh, host_transforms, found[i], host_rays[i], host_times[i]) : glm::vec3(1);
    }
    const glm::vec3 colour = 255.0f * sum / float(samples);
    image.pixels.push_back({copse::u8(colour.x), copse::u8(colour.y), copse::u8(colour.z), 255});
  }
  copse::save_png(picture, image);
  std::printf("%llu instances at %u keys in %llu bytes\n", static_cast<unsigned long long>(scene.instance_count()),
              scene.key_count(), static_cast<unsigned long long>(scene.size_bytes()));
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 3 || argument_count > 4) {
    std::fprintf(stderr, "usage: motion_scene MESH PICTURE.png [SAMPLES]\n");
    return 2;
  }
  const int samples = argument_count == 4 ? std::atoi(arguments[3]) : 32;
  if (samples < 1 || samples > 1024) {
    std::fprintf(stderr, "motion_scene: %s samples; there can be 1 to 1024\n", arguments[3]);
    return 2;
  }
  try {
    draw(arguments[1], arguments[2], copse::u32(samples));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "motion_scene: %s\n", error.what());
    return 1;
  }
  return 0;
}
