#include "builders/bvh/lbvh.h"

#include <algorithm>
#include <map>

#include "builders/geometry/morton.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

class Lbvh : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Lbvh);

std::vector<LbvhOptions> option_sweep() {
  std::vector<LbvhOptions> options;
  for (u32 bits : {30, 31, 45, 63}) {
    for (u32 leaf : {1, 3, 8}) options.push_back({bits, leaf});
  }
  return options;
}

/// The tree of the sorted keys by its definition: a range splits where its first differing bit changes;
/// ranges of at most max_leaf_size become leaves. Slow and obvious.
class SlowLbvh {
 public:
  SlowLbvh(const std::vector<u64>& keys, u32 max_leaf_size) : keys_(keys), max_leaf_size_(max_leaf_size) {
    if (!keys.empty()) collect_leaves(0, u32(keys.size()));
    if (!leaves_.empty()) place(0, 0, u32(leaves_.size()));
  }
  /// [node]: first slot and number of slots below it.
  std::map<u32, std::pair<u32, u32>> nodes;

 private:
  u32 split_of(u32 begin, u32 end) const {
    for (int bit = 63; bit >= 0; --bit) {
      for (u32 i = begin + 1; i < end; ++i) {
        if ((keys_[i - 1] >> bit & 1) != (keys_[i] >> bit & 1)) return i;
      }
    }
    for (int bit = 31; bit >= 0; --bit) {
      for (u32 i = begin + 1; i < end; ++i) {
        if (((i - 1) >> bit & 1) != (i >> bit & 1)) return i;
      }
    }
    ADD_FAILURE();
    return begin;
  }
  void collect_leaves(u32 begin, u32 end) {
    if (end - begin <= max_leaf_size_) {
      leaves_.push_back({begin, end});
      return;
    }
    const u32 split = split_of(begin, end);
    collect_leaves(begin, split);
    collect_leaves(split, end);
  }
  void place(u32 slot, u32 first_leaf, u32 last_leaf) {
    const u32 begin = leaves_[first_leaf].first, end = leaves_[last_leaf - 1].second;
    nodes[slot] = {begin, end - begin};
    if (last_leaf - first_leaf == 1) return;
    const u32 middle = split_of(begin, end);
    u32 leaf = first_leaf;
    while (leaves_[leaf].first != middle) ++leaf;
    place(2 * (leaf - 1) + 1, first_leaf, leaf);
    place(2 * (leaf - 1) + 2, leaf, last_leaf);
  }

  std::vector<u64> keys_;
  u32 max_leaf_size_;
  std::vector<std::pair<u32, u32>> leaves_;
};

Aabb triangle_box(const Mesh& mesh, u32 i) {
  const uvec3 t = mesh.triangles[i];
  return bounds(Triangle{clean_point(mesh.positions[t.x]), clean_point(mesh.positions[t.y]),
                         clean_point(mesh.positions[t.z])});
}

/// Returns the keys of a mesh in sorted order, from public functions; equal keys in input order.
std::vector<u64> sorted_keys(const Mesh& mesh, u32 morton_bits) {
  Aabb scene = Aabb::empty();
  std::vector<vec3> points;
  for (u32 i = 0; i < mesh.triangles.size(); ++i) {
    const Aabb box = triangle_box(mesh, i);
    if (is_empty(box)) continue;
    points.push_back(clean_point(centroid(box)));
    scene = merge(scene, box);
  }
  std::vector<u64> keys;
  for (const vec3& p : points) {
    keys.push_back(morton_key(p, scene) >> (63 - morton_bits) << (64 - morton_bits));
  }
  std::ranges::sort(keys);
  return keys;
}

TEST_P(Lbvh, IsTheTreeOfTheSortedKeys) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (const LbvhOptions& options : option_sweep()) {
      const BvhCopy tree(build(context(), mesh.view(), options));
      const SlowLbvh expected(sorted_keys(hard.mesh, options.morton_bits), options.max_leaf_size);
      ASSERT_EQ(tree.counts.node_count, expected.nodes.size()) << hard.name;
      for (const auto& [slot, range] : expected.nodes) {
        if (!tree.nodes[slot].is_leaf()) continue;
        ASSERT_EQ(tree.nodes[slot].first, range.first) << hard.name << " node " << slot;
        ASSERT_EQ(tree.nodes[slot].count, range.second) << hard.name << " node " << slot;
      }
      for (const auto& [slot, range] : expected.nodes) {
        const bool is_leaf = range.second <= options.max_leaf_size;
        ASSERT_EQ(tree.nodes[slot].is_leaf(), is_leaf) << hard.name << " node " << slot;
      }
    }
  }
}

TEST_P(Lbvh, SizesAreKnownBeforehand) {
  for (u64 n : {0, 1, 2, 1000, 70000}) {
    const DeviceMesh mesh(context(), n == 0 ? Mesh{} : generate_random(n, 0.1f));
    for (const LbvhOptions& options : option_sweep()) {
      Context fresh({.backend = GetParam(), .stream = context().stream()});
      const BuildSizes sizes = build_sizes(fresh, n, options);
      const Bvh bvh = build(fresh, mesh.view(), options);
      EXPECT_EQ(bvh.size_bytes(), sizes.result_bytes);
      EXPECT_EQ(fresh.scratch_bytes(), sizes.scratch_bytes) << n;
    }
  }
}

TEST_P(Lbvh, SizesOfBoxesHaveNoRoomForPrecomputedBounds) {
  const std::vector<Aabb> boxes(1000, Aabb{vec3(1), vec3(2)});
  const Buffer<Aabb> buffer(context(), boxes);
  Context fresh({.backend = GetParam(), .stream = context().stream()});
  const Bvh bvh = build(fresh, BoxView{buffer.span()}, LbvhOptions{});
  EXPECT_EQ(fresh.scratch_bytes(), build_sizes(fresh, boxes.size(), LbvhOptions{}, 0).scratch_bytes);

  // From here on CUDA may precompute the bounds of triangles, 32 bytes each.
  const u64 n = u64{1} << 22, made_bytes = GetParam() == Backend::cuda ? 32 * n : 0;
  EXPECT_LE(build_sizes(fresh, n, LbvhOptions{}, 0).scratch_bytes + made_bytes,
            build_sizes(fresh, n, LbvhOptions{}).scratch_bytes);
  EXPECT_LE(build_sizes(fresh, n - 1, LbvhOptions{}, 0).scratch_bytes,
            build_sizes(fresh, n - 1, LbvhOptions{}).scratch_bytes);
}

TEST_P(Lbvh, RefusesKeysOfOtherWidths) {
  const DeviceMesh mesh(context(), generate_cube());
  const auto code = ErrorCode::invalid_argument;
  const std::string range = "it can be 30 to 63, or 0";
  EXPECT_COPSE_ERROR(build(context(), mesh.view(), LbvhOptions{.morton_bits = 29}), code,
                     "morton_bits is 29; " + range);
  EXPECT_COPSE_ERROR(build(context(), mesh.view(), LbvhOptions{.morton_bits = 64}), code, "64");
}

}  // namespace copse::test
