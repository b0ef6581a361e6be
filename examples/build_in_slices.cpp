// A tree over more triangles than the memory of a GPU may take, built in slices. Its bytes are those of a build in one
// piece.

#include <copse/copse.h>
#include <copse/scale.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "example_support.h"

namespace {

bool run() {
  const copse::Mesh mesh = copse::generate_random(300000, 0.01f);
  // snippet begins
  copse::Context host({.backend = copse::Backend::cpu});
  copse::Context device;  // a GPU, if one answers
  const copse::TriangleView triangles{
      .positions = copse::BufferSpan(mesh.positions.data(), mesh.positions.size()),
      .triangles = copse::BufferSpan(mesh.triangles.data(), mesh.triangles.size())};

  const copse::SlicedBuildOptions options{.memory_bytes = copse::u64{16} << 20};
  const copse::Bvh tree = copse::build_in_slices(host, device, triangles, options);  // in host memory
  // snippet ends

  const copse::SlicedBuildSizes sizes = copse::sliced_build_sizes(device, mesh.triangles.size(), options);
  const copse::Bvh in_one_piece = copse::build(host, triangles, copse::LbvhOptions{});
  const std::vector<copse::BvhNode> nodes = tree.nodes.download(), expected = in_one_piece.nodes.download();
  const bool equal = std::memcmp(nodes.data(), expected.data(), nodes.size() * sizeof(copse::BvhNode)) == 0;
  std::printf("%llu slices, built by %s in %llu KiB of memory; the nodes of a build in one piece are %s\n",
              static_cast<unsigned long long>(sizes.slice_count), device.device_name().c_str(),
              static_cast<unsigned long long>(sizes.device_bytes >> 10), equal ? "the same" : "others");
  return equal;
}

}  // namespace

int main() {
  return example::run("build_in_slices", run);
}
