// Fine voxels of a mesh: sparse bricks, an octree, a DAG that stores equal subtrees once, and a file for programs that
// read NanoVDB. A ray meets the same voxel in each.
//
//   voxel_trees [OUT.nvdb]

#include <copse/copse.h>
#include <copse/grids.h>

#include "example_support.h"

namespace {

bool build_all(const char* path) {
  copse::Context context({.backend = copse::Backend::cpu});
  const copse::Mesh mesh = copse::generate_sphere(5);
  example::DeviceMesh device_mesh(context, mesh);
  const copse::Bricks bricks = copse::build_bricks(context, device_mesh.view(), {.resolution = 512});

  // snippet begins
  const copse::VoxelTree octree = copse::build_octree(context, bricks);
  const copse::VoxelTree dag = copse::build_dag(context, octree);
  // snippet ends

  const copse::NanoGrid grid = copse::build_nano_grid(context, bricks, copse::NanoType::index);
  copse::save_nano_grid(path, copse::download(grid), copse::NanoCodec::zip);

  const auto bytes = [](const auto& structure) { return static_cast<unsigned long long>(structure.size_bytes()); };
  std::printf("%llu bytes as bricks, %llu as an octree, %llu as a DAG, %llu as NanoVDB\n", bytes(bricks),
              bytes(octree), bytes(dag), bytes(grid));

  // Views of the CPU backend can be used on the host.
  const copse::Ray ray{{0.1f, 0.1f, 9}, 0, {0, 0, -1}, copse::infinity};
  const copse::VoxelHit hit = copse::first_voxel(bricks.view(), ray);
  std::printf("voxel %u %u %u at %.3f\n", hit.voxel.x, hit.voxel.y, hit.voxel.z, hit.t);
  for (const copse::VoxelTree* tree : {&octree, &dag}) {
    const copse::VoxelHit same = copse::first_voxel(tree->view(), ray);
    if (same.voxel != hit.voxel || same.t != hit.t) return false;
    if (copse::count_voxels(context, *tree) != copse::count_voxels(context, bricks)) return false;
  }
  const copse::HostVoxels loaded = copse::load_voxels(path);
  return copse::is_hit(hit) && copse::count_voxels(loaded) == copse::count_voxels(context, bricks);
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("voxel_trees", [&] { return build_all(argc == 2 ? argv[1] : "voxels.nvdb"); });
}
