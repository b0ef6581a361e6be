// One tree whose parts are on all GPUs of this machine, which send to each other by NCCL. Its nodes are those of one context.

#include <copse/copse.h>
#include <copse/shards.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "example_support.h"

namespace {

/// Returns the triangles of a mesh that a rank brings.
copse::Mesh part_of(const copse::Mesh& mesh, copse::u32 rank, copse::u32 count) {
  const size_t n = mesh.triangles.size(), begin = n * rank / count, end = n * (rank + 1) / count;
  return {mesh.positions, {mesh.triangles.begin() + long(begin), mesh.triangles.begin() + long(end)}};
}

bool run() {
  const copse::Mesh mesh = copse::generate_random(100000, 0.01f);
  std::vector<copse::BvhNode> nodes;

  // snippet begins
  copse::Devices gpus({.backend = copse::Backend::cuda});
  std::vector<copse::Communicator> threads = copse::Communicator::of_devices(gpus);  // or communicator_of_mpi
  gpus.run([&](copse::Context& context, copse::u32 rank) {
    copse::Communicator comm = copse::communicator_of_nccl(context, std::move(threads[rank]));
    const example::DeviceMesh part(context, part_of(mesh, rank, comm.size()));
    const copse::ShardedBvh tree = copse::build_sharded(comm, context, part.view());

    copse::Context host({.backend = copse::Backend::cpu});
    const copse::Bvh whole = copse::gather(comm, host, tree);
    if (rank == 0) nodes = whole.nodes.download();
  });
  // snippet ends

  copse::Context host({.backend = copse::Backend::cpu});
  const copse::TriangleView all{.positions = copse::BufferSpan(mesh.positions.data(), mesh.positions.size()),
                                .triangles = copse::BufferSpan(mesh.triangles.data(), mesh.triangles.size())};
  const std::vector<copse::BvhNode> expected = copse::build(host, all, copse::LbvhOptions{}).nodes.download();
  const bool equal = nodes.size() == expected.size() &&
                     std::memcmp(nodes.data(), expected.data(), nodes.size() * sizeof(copse::BvhNode)) == 0;
  std::printf("%u GPUs; their nodes are %s\n", gpus.count(), equal ? "those of one context" : "others");
  return equal;
}

}  // namespace

int main() {
  return example::run("nccl_tree", run);
}
