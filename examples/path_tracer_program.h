#pragma once

// The program around path_tracer.h: a mesh on a table under a light, samples in passes, a PNG. The main function
// decides how threads share the pixels of a pass.

#include <copse/copse.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "path_tracer.h"

namespace path_tracer {

struct Arguments {
  std::string mesh, picture;
  u32 size = 512, samples = 64;
  copse::Backend backend = copse::Backend::automatic;
};

/// The mesh, the table and the light as one list of triangles, with a material id for each.
struct SceneOnHost {
  copse::Mesh mesh;
  std::vector<u32> material_ids;
  std::vector<Material> materials;
  Light light;
  copse::Aabb object;  // the box of the mesh alone

  void add_rectangle(const vec3& corner, const vec3& u, const vec3& v, u32 material) {
    const u32 first = u32(mesh.positions.size());
    for (const vec3& p : {corner, corner + u, corner + u + v, corner + v}) mesh.positions.push_back(p);
    mesh.triangles.push_back({first, first + 1, first + 2});
    mesh.triangles.push_back({first, first + 2, first + 3});
    material_ids.insert(material_ids.end(), 2, material);
  }
};

inline SceneOnHost make_scene(const std::string& mesh_file) {
  SceneOnHost scene{copse::load_mesh(mesh_file), {}, {}, {}, {}};
  scene.material_ids.assign(scene.mesh.triangles.size(), 0);
  scene.object = copse::bounds(scene.mesh);
  const vec3 middle = copse::centroid(scene.object), size = scene.object.hi - scene.object.lo;
  const float reach = std::max({size.x, size.y, size.z});
  const vec3 emission(17, 15, 12);
  scene.materials = {
      {vec3(0.75f, 0.72f, 0.66f), vec3(0)}, {vec3(0.35f, 0.42f, 0.50f), vec3(0)}, {vec3(0), emission}};

  const vec3 table(middle.x, scene.object.lo.y - 1e-3f * reach, middle.z);
  scene.add_rectangle(table - vec3(20, 0, 20) * reach, vec3(0, 0, 40) * reach, vec3(40, 0, 0) * reach, 1);

  Light& light = scene.light;
  light.corner = middle + vec3(-1.6f, 1.7f, -0.2f) * reach;
  light.edge_u = vec3(0.8f, 0.5f, 0) * reach;
  light.edge_v = vec3(0, 0, 1) * reach;
  light.emission = emission;
  const vec3 normal = cross(light.edge_u, light.edge_v);
  light.area = sqrtf(dot(normal, normal));
  light.normal = normal / light.area;
  if (dot(light.normal, middle - light.corner) < 0) light.normal = -light.normal;
  scene.add_rectangle(light.corner, light.edge_u, light.edge_v, 2);
  return scene;
}

/// Calls `trace` for every pixel on all cores.
inline void trace_on_host(const TracePixel& trace, u64 pixel_count) {
  constexpr u64 pixels_at_once = 256;
  std::atomic<u64> next{0};
  const auto work = [&] {
    for (u64 begin; (begin = next.fetch_add(pixels_at_once)) < pixel_count;) {
      for (u64 pixel = begin; pixel < std::min(begin + pixels_at_once, pixel_count); ++pixel) trace(pixel);
    }
  };
  std::vector<std::thread> threads;
  for (u32 i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

/// Converts sums of samples to a picture: means, clipped, with the gamma of sRGB.
inline copse::Image to_image(const std::vector<vec3>& sums, u32 size, u32 samples) {
  copse::Image image{size, size, {}};
  const auto level = [&](float sum) {
    return copse::u8(std::lround(255 * std::pow(std::clamp(sum / float(samples), 0.0f, 1.0f), 1 / 2.2f)));
  };
  for (const vec3& sum : sums) image.pixels.push_back({level(sum.x), level(sum.y), level(sum.z), 255});
  return image;
}

/// Renders and writes the picture. `share_out(context, trace, pixel_count)` traces every pixel.
template <class ShareOut>
void render(const Arguments& arguments, const ShareOut& share_out) {
  copse::Context context({.backend = arguments.backend});
  const SceneOnHost host = make_scene(arguments.mesh);
  const copse::Buffer<vec3> positions(context, host.mesh.positions);
  const copse::Buffer<glm::uvec3> indices(context, host.mesh.triangles);
  const copse::Buffer<u32> material_ids(context, host.material_ids);
  const copse::Buffer<Material> materials(context, host.materials);
  const copse::TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
  const copse::Accel accel = copse::build(context, triangles);

  const vec3 size = host.object.hi - host.object.lo;
  const Scene scene{accel.view(),
                    triangles,
                    material_ids.data(),
                    materials.data(),
                    host.light,
                    vec3(0.32f, 0.38f, 0.48f),
                    1e-4f * sqrtf(dot(size, size))};
  const copse::Camera camera = copse::frame_box(host.object, 38, 1);
  const u64 pixel_count = u64{arguments.size} * arguments.size;
  copse::Buffer<vec3> sums(context, std::vector<vec3>(pixel_count, vec3(0)));

  // Traces passes of a few samples, as a window would show them.
  constexpr u32 samples_per_pass = 8;
  copse::Stopwatch stopwatch(context);
  for (u32 first = 0; first < arguments.samples; first += samples_per_pass) {
    const u32 count = std::min(samples_per_pass, arguments.samples - first);
    share_out(context, TracePixel{scene, camera, arguments.size, arguments.size, first, count, sums.data()},
              pixel_count);
  }
  const double seconds = stopwatch.milliseconds() * 1e-3;
  copse::save_png(arguments.picture, to_image(sums.download(), arguments.size, arguments.samples));
  std::printf("%s written: %u x %u pixels of %u samples in %.2f s on %s\n", arguments.picture.c_str(),
              arguments.size, arguments.size, arguments.samples, seconds, context.device_name().c_str());
}

/// Reads the arguments, renders, and returns the exit code.
template <class ShareOut>
int run(int argument_count, char** words, const ShareOut& share_out) {
  Arguments arguments;
  const auto number = [&](int i, u32 standard) {
    return argument_count > i ? u32(std::strtoul(words[i], nullptr, 10)) : standard;
  };
  arguments.size = number(3, arguments.size);
  arguments.samples = number(4, arguments.samples);
  const bool in_range = arguments.size - 1 < 16384 && arguments.samples - 1 < 1000000;
  if (argument_count < 3 || argument_count > 6 || !in_range) {
    std::fprintf(stderr, "usage: path_tracer MESH OUT.png [SIZE [SAMPLES [cpu|cuda]]]\n");
    return 2;
  }
  arguments.mesh = words[1];
  arguments.picture = words[2];
  const std::string backend = argument_count > 5 ? words[5] : "";
  if (backend == "cpu") arguments.backend = copse::Backend::cpu;
  if (backend == "cuda") arguments.backend = copse::Backend::cuda;
  try {
    render(arguments, share_out);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "path_tracer: %s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace path_tracer
