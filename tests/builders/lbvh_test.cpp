#include "builders/bvh/lbvh.h"

#include <algorithm>
#include <map>
#include <set>

#include "builders/bvh/stats.h"
#include "builders/bvh/validate.h"
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

/// The keys of a mesh in sorted order, by the public pieces; slot order for equal ones.
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
      const BvhCopy tree(build_lbvh(context(), mesh.view(), options));
      const SlowLbvh expected(sorted_keys(hard.mesh, options.morton_bits), options.max_leaf_size);
      ASSERT_EQ(tree.counts.node_count, expected.nodes.size()) << hard.name;
      std::vector<u32> first(tree.nodes.size()), count(tree.nodes.size());
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

TEST_P(Lbvh, EveryHardMeshBuildsAValidTree) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (const LbvhOptions& options : option_sweep()) {
      const Bvh bvh = build_lbvh(context(), mesh.view(), options);
      const ValidationReport report = validate(context(), bvh, mesh.view());
      ASSERT_TRUE(report.ok()) << hard.name << ": " << report.message();
      const BvhCounts counts = bvh.counts.download()[0];
      EXPECT_EQ(counts.invalid_count, hard.invalid_count) << hard.name;
      EXPECT_EQ(counts.primitive_count + counts.invalid_count, hard.mesh.triangles.size()) << hard.name;
      for (const BvhNode& node : BvhCopy(bvh).nodes) ASSERT_LE(node.count, options.max_leaf_size) << hard.name;
    }
  }
}

TEST_P(Lbvh, EveryPrimitiveAppearsOnce) {
  const Mesh host = generate_random(5000, 0.05f);
  const DeviceMesh mesh(context(), host);
  const BvhCopy tree(build_lbvh(context(), mesh.view(), {.max_leaf_size = 3}));
  std::multiset<u32> seen;
  for (const BvhNode& node : tree.nodes) {
    for (u32 k = 0; k < node.count; ++k) seen.insert(tree.primitive_ids[node.first + k]);
  }
  ASSERT_EQ(seen.size(), 5000u);
  for (u32 i = 0; i < 5000; ++i) EXPECT_EQ(seen.count(i), 1u);
}

TEST_P(Lbvh, TwoRunsGiveTheSameBytes) {
  const DeviceMesh mesh(context(), generate_random(30000, 0.02f));
  const BvhCopy first(build_lbvh(context(), mesh.view(), {.max_leaf_size = 2}));
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_TRUE(same_bytes(first, BvhCopy(build_lbvh(context(), mesh.view(), {.max_leaf_size = 2}))));
  }
}

TEST_P(Lbvh, TakesStrideShortIndicesAndNoIndices) {
  const Mesh host = generate_sphere(3);
  const DeviceMesh plain(context(), host);
  const BvhCopy expected(build_lbvh(context(), plain.view()));

  std::vector<float> records;
  for (const vec3& p : host.positions) records.insert(records.end(), {p.x, p.y, p.z, -1, -2});
  const Buffer<float> record_buffer(context(), records);
  const PositionSpan strided(reinterpret_cast<const vec3*>(record_buffer.data()), host.positions.size(), 20);
  const TriangleView with_stride{.positions = strided, .triangles = plain.triangles.span()};
  EXPECT_TRUE(same_bytes(expected, BvhCopy(build_lbvh(context(), with_stride))));

  std::vector<glm::u16vec3> short_indices(host.triangles.begin(), host.triangles.end());
  const Buffer<glm::u16vec3> short_buffer(context(), short_indices);
  const TriangleView with_short{.positions = plain.positions.span(), .triangles = short_buffer.span()};
  EXPECT_TRUE(same_bytes(expected, BvhCopy(build_lbvh(context(), with_short))));

  std::vector<vec3> corners;
  for (const uvec3& t : host.triangles) {
    corners.insert(corners.end(), {host.positions[t.x], host.positions[t.y], host.positions[t.z]});
  }
  const Buffer<vec3> soup(context(), corners);
  EXPECT_TRUE(same_bytes(expected, BvhCopy(build_lbvh(context(), TriangleView{.positions = soup.span()}))));
}

TEST_P(Lbvh, SeveralViewsAreOneNumbering) {
  const Mesh host = generate_random(1000, 0.1f);
  const DeviceMesh whole(context(), host);
  const BvhCopy expected(build_lbvh(context(), whole.view()));

  // Twenty views of uneven size, some empty: more than travel in one launch.
  std::vector<TriangleView> views;
  for (u64 part = 0, begin = 0; part < 20; ++part) {
    const u64 end = part == 19 ? 1000 : begin + (part % 4 == 2 ? 0 : 10 * part);
    views.push_back({.positions = whole.positions.span(),
                     .triangles = whole.triangles.span().subspan(begin, end - begin),
                     .geometry = u32(part)});
    begin = end;
  }
  const Bvh bvh = build_lbvh(context(), views);
  EXPECT_TRUE(same_bytes(expected, BvhCopy(bvh)));
  EXPECT_TRUE(validate(context(), bvh, views).ok());
}

TEST_P(Lbvh, BoxesBuildTheTreeOfTheirTriangles) {
  const Mesh host = generate_random(3000, 0.05f);
  std::vector<Aabb> boxes;
  for (u32 i = 0; i < host.triangles.size(); ++i) boxes.push_back(triangle_box(host, i));
  const DeviceMesh mesh(context(), host);
  const Buffer<Aabb> box_buffer(context(), boxes);
  const Bvh bvh = build_lbvh(context(), BoxView{box_buffer.span()});
  EXPECT_TRUE(same_bytes(BvhCopy(build_lbvh(context(), mesh.view())), BvhCopy(bvh)));
  EXPECT_TRUE(validate(context(), bvh, BoxView{box_buffer.span()}).ok());
}

TEST_P(Lbvh, LeavesOutInvertedAndInfiniteBoxes) {
  std::vector<Aabb> boxes(100, Aabb{vec3(0), vec3(1)});
  boxes[3] = {vec3(1), vec3(0)};
  boxes[50] = Aabb::empty();
  boxes[60].hi.y = infinity;
  boxes[99].lo.z = std::numeric_limits<float>::quiet_NaN();
  const Buffer<Aabb> buffer(context(), boxes);
  const Bvh bvh = build_lbvh(context(), BoxView{buffer.span()});
  EXPECT_EQ(bvh.counts.download()[0].invalid_count, 4u);
  EXPECT_TRUE(validate(context(), bvh, BoxView{buffer.span()}).ok());
}

TEST_P(Lbvh, RebuildsInPlaceWithoutAllocating) {
  const DeviceMesh large(context(), generate_random(4000, 0.05f)), small(context(), generate_sphere(2));
  Bvh bvh = build_lbvh(context(), large.view());
  const u64 warm = context().scratch_bytes();
  const BvhNode* memory = bvh.nodes.data();
  rebuild_lbvh(context(), bvh, small.view());
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_lbvh(context(), small.view()))));
  EXPECT_TRUE(validate(context(), bvh, small.view()).ok());
  rebuild_lbvh(context(), bvh, large.view());
  EXPECT_EQ(bvh.nodes.data(), memory);
  EXPECT_EQ(context().scratch_bytes(), warm);
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_lbvh(context(), large.view()))));
}

TEST_P(Lbvh, CapturedRebuildFollowsItsInput) {
  const Mesh before = generate_random(2000, 0.05f);
  Mesh after = before;
  for (vec3& p : after.positions) p = vec3(p.y, p.z * 2, p.x);
  DeviceMesh mesh(context(), before);
  // Two views, so that the table of views is captured as well.
  const std::vector<TriangleView> views = {
      {.positions = mesh.positions.span(), .triangles = mesh.triangles.span().first(500)},
      {.positions = mesh.positions.span(), .triangles = mesh.triangles.span().subspan(500, 1500), .geometry = 1}};
  Bvh bvh = build_lbvh(context(), views, {.max_leaf_size = 4});
  Graph graph = context().capture([&] { rebuild_lbvh(context(), bvh, views, {.max_leaf_size = 4}); });
  mesh.positions.upload(after.positions);
  for (int repeat = 0; repeat < 2; ++repeat) {
    graph.launch();
    EXPECT_TRUE(validate(context(), bvh, views).ok());
    EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_lbvh(context(), views, {.max_leaf_size = 4}))));
  }
}

TEST_P(Lbvh, SizesAreKnownBeforehand) {
  for (u64 n : {0, 1, 2, 1000, 70000}) {
    const DeviceMesh mesh(context(), n == 0 ? Mesh{} : generate_random(n, 0.1f));
    for (const LbvhOptions& options : option_sweep()) {
      Context fresh({.backend = GetParam(), .stream = context().stream()});
      const BuildSizes sizes = build_sizes(fresh, n, options);
      const Bvh bvh = build_lbvh(fresh, mesh.view(), options);
      EXPECT_EQ(bvh.size_bytes(), sizes.result_bytes);
      EXPECT_EQ(fresh.scratch_bytes(), sizes.scratch_bytes) << n;
    }
  }
}

TEST_P(Lbvh, RefusesOptionsOutOfRange) {
  const DeviceMesh mesh(context(), generate_cube());
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(build_lbvh(context(), mesh.view(), {.morton_bits = 29}), code, "29");
  EXPECT_COPSE_ERROR(build_lbvh(context(), mesh.view(), {.max_leaf_size = 0}), code, "0");
  EXPECT_COPSE_ERROR(build_lbvh(context(), mesh.view(), {.max_leaf_size = 33}), code, "33");
  EXPECT_COPSE_ERROR(build_lbvh(context(), BoxView{{nullptr, most_primitives + 1}}), ErrorCode::capacity,
                     "2147483649");
  Bvh small = build_lbvh(context(), BoxView{});
  EXPECT_COPSE_ERROR(rebuild_lbvh(context(), small, mesh.view()), code, "12");
  const TriangleView odd_stride{.positions = PositionSpan(mesh.positions.data(), 8, 13)};
  EXPECT_COPSE_ERROR(build_lbvh(context(), odd_stride), code, "13");
  const TriangleView odd_count{.positions = mesh.positions.span()};
  EXPECT_COPSE_ERROR(build_lbvh(context(), odd_count), code, "8 positions");
}

TEST_P(Lbvh, StopsWhenCancelled) {
  std::stop_source stop;
  Context cancellable({.backend = GetParam(), .cancel = stop.get_token()});
  const DeviceMesh mesh(cancellable, generate_sphere(2));
  stop.request_stop();
  EXPECT_COPSE_ERROR(build_lbvh(cancellable, mesh.view()), ErrorCode::cancelled, "cancelled");
}

TEST_P(Lbvh, LargeTreeIsValid) {
  const DeviceMesh mesh(context(), generate_random(1000003, 0.01f));
  for (u32 leaf : {1, 4}) {
    const Bvh bvh = build_lbvh(context(), mesh.view(), {.max_leaf_size = leaf});
    const ValidationReport report = validate(context(), bvh, mesh.view());
    EXPECT_TRUE(report.ok()) << report.message();
  }
}

}  // namespace copse::test
