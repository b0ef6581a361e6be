#include "scene/scene_render.h"

#include <cstring>

#include "accel/accel_render.h"
#include "builders/geometry/generate.h"
#include "tests/scene/scenes.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

/// A file of a mesh, and instances of it. The second half of its triangles is a part of its own.
SceneFile file_of(Mesh mesh, std::vector<Instance> instances) {
  SceneFile file;
  const u64 half = mesh.triangles.size() / 2;
  file.meshes.push_back({"mesh", std::move(mesh), {}, {0, 0}});
  file.meshes[0].parts = {{.triangle_count = half, .geometry = 0},
                          {.triangle_count = file.meshes[0].mesh.triangles.size() - half, .geometry = 1}};
  file.materials.push_back({});
  file.instance_names.resize(instances.size());
  file.instances = std::move(instances);
  return file;
}

/// What a scene needs, in the order in which it must be freed.
struct Built {
  SceneMeshes meshes;
  std::vector<Accel> accels;
  Scene scene;

  Built(Context& context, const SceneFile& file)
      : meshes(context, file),
        accels(build_accels(context, meshes)),
        scene(build(context, accels, file.instances)) {}
};

Instance moved(float x) {
  Instance instance;
  instance.rows[0][3] = x;
  return instance;
}

RenderOptions options_of(Shading shading) {
  return {.width = 61, .height = 47, .shading = shading, .ambient_rays = 5, .ambient_distance = 0.7f};
}

/// The pixels, as numbers that can be compared.
std::vector<u32> words_of(const Image& image) {
  std::vector<u32> words(image.pixels.size());
  std::memcpy(words.data(), image.pixels.data(), words.size() * sizeof(u32));
  return words;
}

constexpr Shading shadings[] = {Shading::normal, Shading::distance, Shading::ambient_occlusion};

}  // namespace

class SceneRender : public OnEachBackend {};

TEST_P(SceneRender, ShowsOneInstanceAsItsAccelIsShown) {
  const SceneFile file = file_of(generate_sphere(3), {Instance{}});
  const Built built(context(), file);
  const Camera camera = frame_box(bounds(file.meshes[0].mesh), 40, 61.0f / 47);
  for (const Shading shading : shadings) {
    const Image picture = render(context(), built.scene, built.meshes, camera, options_of(shading));
    const Image wanted = render(context(), built.accels[0], camera, options_of(shading));
    EXPECT_EQ(words_of(picture), words_of(wanted)) << u32(shading);
  }
}

/// Moved by whole numbers, and doubled: each point of the flattened mesh is the same float.
TEST_P(SceneRender, ShowsInstancesAsTheSameTrianglesInOneMesh) {
  std::vector<Instance> instances = {moved(-3), Instance{}, moved(3)};
  for (int i = 0; i < 3; ++i) instances[1].rows[i][i] = i == 2 ? -2 : 2;
  const SceneFile file = file_of(generate_cube(), instances);
  Mesh flat;
  for (const Instance& instance : instances) {
    const u32 first = u32(flat.positions.size());
    for (const vec3& p : file.meshes[0].mesh.positions) {
      flat.positions.push_back(vec3(instance.rows[0][0] * p.x + instance.rows[0][3], instance.rows[1][1] * p.y,
                                    instance.rows[2][2] * p.z));
    }
    for (const uvec3& corners : file.meshes[0].mesh.triangles) flat.triangles.push_back(corners + first);
  }
  const Built built(context(), file), flattened(context(), file_of(flat, {Instance{}}));
  const Aabb box = bounds(context(), built.scene);
  EXPECT_EQ(merge(box, bounds(flat)), box) << "boxes of instances are rounded outwards";
  EXPECT_LT(box.hi.x - box.lo.x, 7.0001f);
  const Camera camera = look_at(vec3(4, 6, 9), vec3(0), vec3(0, 1, 0), 50, 61.0f / 47);
  for (const Shading shading : {Shading::normal, Shading::distance}) {
    EXPECT_EQ(words_of(render(context(), built.scene, built.meshes, camera, options_of(shading))),
              words_of(render(context(), flattened.scene, flattened.meshes, camera, options_of(shading))));
  }
}

TEST_P(SceneRender, TintsByMaterialAndByInstance) {
  SceneFile file = file_of(generate_cube(), {moved(-3), moved(3)});
  const Camera camera = look_at(vec3(0.5f, 0.5f, 12), vec3(0.5f), vec3(0, 1, 0), 50, 61.0f / 47);
  const auto colours = [&](Shading shading) {
    const Built built(context(), file);
    const Image picture = render(context(), built.scene, built.meshes, camera, options_of(shading));
    return std::pair(words_of(picture)[23 * 61 + 17], words_of(picture)[23 * 61 + 43]);
  };
  const auto [left, right] = colours(Shading::primitive);
  EXPECT_NE(left, right);
  const auto white = colours(Shading::normal);
  EXPECT_EQ(white.first, white.second);
  file.materials.push_back({"green", {0, 1, 0, 1}});
  file.meshes[0].materials = {1, 1};
  const auto green = colours(Shading::normal);
  EXPECT_EQ(green.first, white.first & 0xff00ff00u) << "alpha and green";
}

TEST_P(SceneRender, HeatCountsTheVisitsOfBothLevels) {
  Context cpu({.backend = Backend::cpu});
  const SceneFile file = file_of(generate_sphere(4), {moved(-1.5f), moved(0.3f), moved(2)});
  const Built built(context(), file), host(cpu, file);
  cpu.wait();
  const Camera camera = frame_box(bounds(cpu, host.scene), 40, 61.0f / 47);
  const RenderOptions options{.width = 61, .height = 47, .shading = Shading::heat, .heat_limit = 60};
  const std::vector<u32> words = words_of(render(context(), built.scene, built.meshes, camera, options));
  const std::vector<AccelView> accels{host.accels[0].view()};
  const u32 spread = GetParam() == Backend::cpu ? 0 : 4;  // a GPU rounds boxes in another way
  u32 most = 0;
  for (u32 i = 0; i < 61 * 30; ++i) {  // the legend is below
    const Ray ray = camera_ray(camera, i % 61, i / 61, 61, 47);
    const u32 visits = visit_count(host.scene, accels, ray);
    bool is_near = false;
    for (u32 other = visits - std::min(visits, spread); other <= visits + spread; ++other) {
      const Image expected{1, 1, {heat_colour(float(other) / 60)}};
      is_near |= words[i] == words_of(expected)[0];
    }
    ASSERT_TRUE(is_near) << i << ": " << visits;
    most = std::max(most, visits);
  }
  EXPECT_GT(most, 20u);
}

TEST_P(SceneRender, RefusesWhatItCannotShow) {
  const SceneFile file = file_of(generate_cube(), {Instance{}});
  const Built built(context(), file), other(context(), file_of(generate_cube(), {moved(1), moved(2)}));
  const Camera camera = frame_box(bounds(file.meshes[0].mesh), 40, 1);
  EXPECT_COPSE_ERROR(render(context(), built.scene, other.meshes, camera), ErrorCode::invalid_argument,
                     "the scene has 1 instance of 1 accel, but the meshes have 2 instances of 1 mesh");
  EXPECT_COPSE_ERROR(render(context(), built.scene, built.meshes, camera, {.width = 0}),
                     ErrorCode::invalid_argument, "width is 0");
  EXPECT_COPSE_ERROR(render(context(), Scene{}, built.meshes, camera), ErrorCode::invalid_argument, "never built");
}

TEST(SceneRenderBackends, GiveEqualPictures) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  Instance turned = moved(2);
  turned.rows[0][0] = turned.rows[1][1] = 0.6f;
  turned.rows[0][1] = -0.8f, turned.rows[1][0] = 0.8f;
  const SceneFile file = file_of(generate_sphere(4), {moved(-1.5f), turned, moved(0.3f)});
  const Built host(cpu, file), device(cuda, file);
  const Camera camera = frame_box(bounds(cpu, host.scene), 40, 61.0f / 47);
  for (const Shading shading :
       {Shading::normal, Shading::primitive, Shading::distance, Shading::ambient_occlusion, Shading::heat}) {
    EXPECT_EQ(words_of(render(cpu, host.scene, host.meshes, camera, options_of(shading))),
              words_of(render(cuda, device.scene, device.meshes, camera, options_of(shading))))
        << u32(shading);
  }
}

COPSE_ON_EACH_BACKEND(SceneRender);

}  // namespace copse::test
