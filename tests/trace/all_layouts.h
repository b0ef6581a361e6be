#pragma once

// Batches through trees of every layout, by every kernel, of fetched and of packed triangles.

#include <algorithm>
#include <string>
#include <vector>

#include "builders/bvh/pack_triangles.h"
#include "tests/support/device_mesh.h"
#include "tests/support/host_wide.h"
#include "tests/trace/oracle.h"
#include "trace/host_ray.h"
#include "trace/trace_rays.h"

namespace copse::test {

inline constexpr TraceKernel all_kernels[] = {TraceKernel::automatic, TraceKernel::thread_per_ray,
                                              TraceKernel::persistent, TraceKernel::packets};

/// Expects these results of a batch. `name` says which batch it is.
inline void expect_results(const std::string& name, const std::vector<Ray>& rays, const std::vector<Hit>& hits,
                           const std::vector<u8>& occluded, const std::vector<Hit>& expected) {
  ASSERT_EQ(hits.size(), expected.size()) << name;
  ASSERT_EQ(occluded.size(), expected.size()) << name;
  for (size_t i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(same_bits(hits[i], expected[i])) << name << ", ray " << i << ", " << text(rays[i]) << ": "
                                                 << text(hits[i]) << ", expected " << text(expected[i]);
    ASSERT_EQ(occluded[i], is_hit(expected[i]) ? 1 : 0) << name << ", ray " << i << ", " << text(rays[i]);
  }
}

/// Every kernel finds the expected hits.
inline void expect_hits(Context& context, const TreeView& tree, const TraceTriangles& triangles,
                        const std::vector<Ray>& rays, const std::vector<Hit>& expected) {
  const Buffer<Ray> batch(context, rays);
  Buffer<Hit> hits(context, rays.size());
  Buffer<u8> occluded(context, rays.size());
  for (const TraceKernel kernel : all_kernels) {
    closest_hits(context, tree, triangles, batch.span(), hits.span(), {.kernel = kernel});
    any_hits(context, tree, triangles, batch.span(), occluded.span(), {.kernel = kernel});
    const std::string name = std::string(name_of(kernel)) + ", layout " + std::to_string(tree.index());
    ASSERT_NO_FATAL_FAILURE(expect_results(name, rays, hits.download(), occluded.download(), expected));
  }
}

/// The same over fetched and over packed triangles.
template <class Tree>
void expect_hits_of_tree(Context& context, const Tree& tree, const DeviceMesh& mesh, const std::vector<Ray>& rays,
                         const std::vector<Hit>& expected) {
  const PackedTriangles packed = pack_triangles(context, tree.view(), mesh.view());
  ASSERT_NO_FATAL_FAILURE(expect_hits(context, tree.view(), mesh.view(), rays, expected));
  ASSERT_NO_FATAL_FAILURE(expect_hits(context, tree.view(), packed.view(), rays, expected));
}

/// Single rays of the host find the expected hits, as a caller of AccelView traces them. On CUDA there are none.
inline void expect_hits_of_host_rays(Context& context, const CompressedBvh4& tree, const DeviceMesh& mesh,
                                     const std::vector<Ray>& rays, const std::vector<Hit>& expected) {
  if (context.backend() != Backend::cpu) return;
  const PackedTriangles packed = pack_triangles(context, tree.view(), mesh.view());
  const MaskedPackedTriangles seen = masked(packed.view(), {}, 1), unseen = masked(packed.view(), {}, 0);
  std::vector<Hit> hits;
  std::vector<u8> occluded;
  for (const Ray& ray : rays) {
    hits.push_back(detail::closest_hit_on_host(tree.view(), seen, ray));
    occluded.push_back(detail::any_hit_on_host(tree.view(), seen, ray) ? 1 : 0);
    ASSERT_FALSE(detail::any_hit_on_host(tree.view(), unseen, ray)) << text(ray);
  }
  expect_results("single rays of the host", rays, hits, occluded, expected);
}

/// The same in all layouts that a binary tree can be collapsed to, of those that take leaves as large as its own.
inline void expect_hits_in_all_layouts(Context& context, const Mesh& mesh, const HostBvh& binary,
                                       const std::vector<Ray>& rays, const std::vector<Hit>& expected) {
  const DeviceMesh device(context, mesh);
  ASSERT_NO_FATAL_FAILURE(expect_hits_of_tree(context, UploadedBvh(context, binary), device, rays, expected));
  const auto four = build_host_wide<Bvh4Node>(binary).upload(context);
  ASSERT_NO_FATAL_FAILURE(expect_hits_of_tree(context, four, device, rays, expected));
  const auto compressed = build_host_wide<CompressedBvh4Node>(binary).upload(context);
  ASSERT_NO_FATAL_FAILURE(expect_hits_of_tree(context, compressed, device, rays, expected));
  ASSERT_NO_FATAL_FAILURE(expect_hits_of_host_rays(context, compressed, device, rays, expected));
  const bool has_large_leaves =
      std::any_of(binary.nodes.begin(), binary.nodes.end(), [](const BvhNode& node) { return node.count > 3; });
  if (has_large_leaves) return;
  const auto eight = build_host_wide<CompressedBvh8Node>(binary).upload(context);
  ASSERT_NO_FATAL_FAILURE(expect_hits_of_tree(context, eight, device, rays, expected));
}

/// The same in all layouts. The expected hits are those of brute force.
inline void expect_brute_force_in_all_layouts(Context& context, const Mesh& mesh, const HostBvh& binary,
                                              const std::vector<Ray>& rays) {
  expect_hits_in_all_layouts(context, mesh, binary, rays, brute_force_hits({host_view(mesh)}, rays));
}

/// Triangles of a chain, many behind each other: its trees are deeper than any stack.
inline Mesh chain_mesh(u32 count = 10000) {
  Mesh mesh;
  for (u32 i = 0; i < count; ++i) {
    const float z = float(i * 7919u % count) / float(count);
    for (const vec3& p : {vec3(0, 0, z), vec3(1, 0, z), vec3(0, 1, z)}) mesh.positions.push_back(p);
    mesh.triangles.push_back(uvec3(3 * i, 3 * i + 1, 3 * i + 2));
  }
  return mesh;
}

}  // namespace copse::test
