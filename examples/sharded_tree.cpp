// Four ranks, each with a quarter of the triangles, build one tree and trace rays through it. Nodes and hits are those of
// one context that has all triangles.

#include <copse/copse.h>
#include <copse/shards.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "example_support.h"

namespace {

constexpr copse::u32 rank_count = 4;

/// Returns every fourth triangle of a mesh.
copse::Mesh part_of(const copse::Mesh& mesh, copse::u32 rank) {
  copse::Mesh part{mesh.positions, {}};
  for (size_t i = rank; i < mesh.triangles.size(); i += rank_count) part.triangles.push_back(mesh.triangles[i]);
  return part;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// What a context finds that has all parts.
struct Expected {
  std::vector<copse::BvhNode> nodes;
  std::vector<copse::Hit> hits;
};

Expected expect_of_one(const std::vector<copse::Mesh>& parts, const std::vector<copse::Ray>& host_rays) {
  copse::Context context({.backend = copse::Backend::cpu});
  std::vector<copse::TriangleView> views;
  for (const copse::Mesh& part : parts) {
    views.push_back({.positions = copse::BufferSpan(part.positions.data(), part.positions.size()),
                     .triangles = copse::BufferSpan(part.triangles.data(), part.triangles.size())});
  }
  const copse::Buffer<copse::Ray> rays(context, host_rays);
  copse::Buffer<copse::Hit> hits(context, rays.size());
  copse::closest_hits(context, copse::build(context, views), rays.span(), hits.span());
  return {copse::build(context, views, copse::LbvhOptions{}).nodes.download(), hits.download()};
}

bool run() {
  const copse::Mesh mesh = copse::generate_random(100000, 0.01f);
  std::vector<copse::Mesh> parts;
  for (copse::u32 rank = 0; rank < rank_count; ++rank) parts.push_back(part_of(mesh, rank));
  std::vector<copse::Ray> host_rays;
  for (int i = 0; i < 4096; ++i) {
    host_rays.push_back({{float(i % 64) / 64, float(i / 64) / 64, -1}, 0, {0.1f, -0.1f, 1}, 10});
  }
  copse::u64 slots[rank_count + 1] = {};
  std::vector<copse::BvhNode> nodes;
  std::vector<copse::Hit> found;
  const auto keep = [&](const copse::ShardedBvh& tree, const copse::Bvh& whole,
                        const copse::Buffer<copse::Hit>& hits) {
    std::copy(tree.first_slots.begin(), tree.first_slots.end(), slots);
    nodes = whole.nodes.download();
    found = hits.download();
  };

  // snippet begins
  copse::Devices devices(
      {.backend = copse::Backend::cpu, .count = rank_count});  // or all GPUs: copse::Devices devices;
  std::vector<copse::Communicator> ranks = copse::Communicator::of_devices(devices);
  devices.run([&](copse::Context& context, copse::u32 rank) {
    copse::Communicator comm = std::move(ranks[rank]);
    const copse::Buffer<glm::vec3> positions(context, parts[rank].positions);
    const copse::Buffer<glm::uvec3> indices(context, parts[rank].triangles);
    const copse::TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
    const copse::Buffer<copse::Ray> rays(context, host_rays);
    copse::Buffer<copse::Hit> hits(context, rays.size());

    const copse::ShardedBvh tree = copse::build_sharded(comm, context, triangles);  // this rank's part of the tree
    const copse::ShardedAccel scene = copse::make_accel(comm, context, tree);       // for rays through all parts
    copse::closest_hits(comm, context, scene, rays.span(), hits.span());            // rays of this rank

    copse::Context host({.backend = copse::Backend::cpu});
    const copse::Bvh whole = copse::gather(comm, host, tree);  // all parts, on rank 0
    if (rank == 0) keep(tree, whole, hits);
  });
  // snippet ends

  const Expected expected = expect_of_one(parts, host_rays);
  const bool equal = same_bytes(nodes, expected.nodes) && same_bytes(found, expected.hits);
  std::printf("ranks begin at leaf");
  for (copse::u32 rank = 0; rank < rank_count; ++rank)
    std::printf(" %llu", static_cast<unsigned long long>(slots[rank]));
  std::printf(" of %llu; nodes and hits are %s\n", static_cast<unsigned long long>(slots[rank_count]),
              equal ? "those of one context" : "others");
  return equal;
}

}  // namespace

int main() {
  return example::run("sharded_tree", run);
}
