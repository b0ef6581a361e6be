// The processes of mpirun, each with some of the triangles, build one tree and trace rays through it.
//
//   mpirun -n 4 copse-example-mpi-tree

#include <copse/copse.h>
#include <copse/mpi.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "example_support.h"

namespace {

/// Returns the triangles of a mesh from `first` on, in steps.
copse::Mesh every_triangle(const copse::Mesh& mesh, copse::u32 first, copse::u32 step) {
  copse::Mesh part{mesh.positions, {}};
  for (size_t i = first; i < mesh.triangles.size(); i += step) part.triangles.push_back(mesh.triangles[i]);
  return part;
}

copse::TriangleView view_of(const copse::Mesh& mesh) {
  return {.positions = copse::BufferSpan(mesh.positions.data(), mesh.positions.size()),
          .triangles = copse::BufferSpan(mesh.triangles.data(), mesh.triangles.size())};
}

std::vector<copse::Ray> some_rays() {
  std::vector<copse::Ray> rays;
  for (int i = 0; i < 1024; ++i)
    rays.push_back({{float(i % 32) / 32, float(i / 32) / 32, -1}, 0, {0.1f, 0, 1}, 10});
  return rays;
}

/// Returns whether a tree and hits are those of one process that has all triangles, in the order of ranks.
bool equal_those_of_one(const copse::Mesh& mesh, copse::u32 rank_count, const copse::Bvh& tree,
                        const std::vector<copse::Hit>& hits) {
  copse::Context context({.backend = copse::Backend::cpu});
  std::vector<copse::Mesh> parts;
  for (copse::u32 rank = 0; rank < rank_count; ++rank) parts.push_back(every_triangle(mesh, rank, rank_count));
  std::vector<copse::TriangleView> views;
  for (const copse::Mesh& part : parts) views.push_back(view_of(part));
  const std::vector<copse::BvhNode> nodes = tree.nodes.download(),
                                    expected = copse::build(context, views, copse::LbvhOptions{}).nodes.download();
  const std::vector<copse::Ray> host_rays = some_rays();
  const copse::Buffer<copse::Ray> rays(context, host_rays);
  copse::Buffer<copse::Hit> found(context, rays.size());
  copse::closest_hits(context, copse::build(context, views), rays.span(), found.span());
  return std::memcmp(nodes.data(), expected.data(), nodes.size() * sizeof(copse::BvhNode)) == 0 &&
         std::memcmp(hits.data(), found.download().data(), hits.size() * sizeof(copse::Hit)) == 0;
}

bool run() {
  const copse::Mesh mesh = copse::generate_random(50000, 0.02f);
  // snippet begins
  copse::Communicator comm = copse::communicator_of_mpi(MPI_COMM_WORLD);
  copse::Context context(
      {.backend = copse::Backend::cpu});  // or a GPU: .device = the rank among those of this host
  const copse::Mesh part = every_triangle(mesh, comm.rank(), comm.size());
  const copse::ShardedBvh tree = copse::build_sharded(comm, context, view_of(part));
  const copse::ShardedAccel scene = copse::make_accel(comm, context, tree);

  const copse::Buffer<copse::Ray> rays(context, some_rays());
  copse::Buffer<copse::Hit> hits(context, rays.size());
  copse::closest_hits(comm, context, scene, rays.span(), hits.span());
  const copse::Bvh whole = copse::gather(comm, context, tree);  // on rank 0
  // snippet ends
  if (comm.rank() > 0) return true;
  const bool equal = equal_those_of_one(mesh, comm.size(), whole, hits.download());
  std::printf("%u processes; nodes and hits are %s\n", comm.size(), equal ? "those of one" : "others");
  return equal;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = example::run("mpi_tree", run);
  MPI_Finalize();
  return code;
}
