// A glTF file: its meshes, its instances, and a ray through them. Usage: scene_file SCENE.glb

#include <copse/copse.h>
#include <copse/scene/scene_file.h>
#include <copse/scene/scene_meshes.h>

#include <cstdio>
#include <exception>
#include <vector>

namespace {

void look_down(const char* scene_file) {
  // snippet begins
  copse::Context context;
  const copse::SceneFile file = copse::load_scene(scene_file);
  const copse::SceneMeshes meshes(context, file);
  const std::vector<copse::Accel> accels = copse::build_accels(context, meshes);  // one tree per mesh
  const copse::Scene scene = copse::build(context, accels, file.instances);       // one tree over the instances

  const copse::Ray down{{5, 100, 5}, 0, {0, -1, 0}, copse::infinity};
  const copse::Buffer<copse::Ray> rays(context, std::vector{down});
  copse::Buffer<copse::SceneHit> hits(context, 1);
  copse::closest_hits(context, scene, rays.span(), hits.span());
  const copse::SceneHit hit = hits.download()[0];  // waits
  // snippet ends
  std::printf("%zu meshes of %llu triangles, %zu instances of %llu triangles\n", file.meshes.size(),
              static_cast<unsigned long long>(file.triangle_count()), file.instances.size(),
              static_cast<unsigned long long>(file.instanced_triangle_count()));
  if (!is_hit(hit)) return;
  const copse::SceneMesh& mesh = file.meshes[file.instances[hit.instance].accel];
  std::printf("the ray meets %s, of the material %s, at y = %.3f\n", file.instance_names[hit.instance].c_str(),
              file.materials[mesh.materials[hit.geometry]].name.c_str(), 100 - hit.t);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: scene_file SCENE.glb\n");
    return 2;
  }
  try {
    look_down(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "scene_file: %s\n", error.what());
    return 1;
  }
  return 0;
}
