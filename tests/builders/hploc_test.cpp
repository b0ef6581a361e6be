#include "builders/bvh/hploc.h"

#include <algorithm>
#include <map>
#include <set>

#include "builders/bvh/hploc_cluster.h"
#include "builders/bvh/hploc_ranges.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/stats.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/morton.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

class Hploc : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Hploc);

std::vector<HplocOptions> hploc_options() {
  std::vector<HplocOptions> options = {{}};
  for (u32 radius : {1, 2, 3, 5, 8}) options.push_back({.radius = radius});
  for (u32 leaf : {1, 3, 8}) options.push_back({.morton_bits = 30, .max_leaf_size = leaf});
  options.push_back({.morton_bits = 63});
  options.push_back({.morton_bits = 48, .max_leaf_size = 4});
  return options;
}

std::string describe(const HplocOptions& options) {
  return "radius " + std::to_string(options.radius) + ", " + std::to_string(options.morton_bits) + " bits, leaf " +
         std::to_string(options.max_leaf_size);
}

/// The tree by its definition, from the top down over an LBVH of the same leaves: slow and obvious.
class SlowHploc {
 public:
  SlowHploc(const BvhCopy& lbvh, u32 radius) : lbvh_(lbvh), radius_(radius) {
    if (lbvh.counts.leaf_count == 0) return;
    nodes.resize(lbvh.counts.node_count);
    parents.resize(lbvh.counts.node_count / 2);
    std::vector<u32> leaf_nodes;
    for (u32 i = 0; i < lbvh.nodes.size(); ++i) {
      if (lbvh.nodes[i].is_leaf()) leaf_nodes.push_back(i);
    }
    std::ranges::sort(leaf_nodes, {}, [&](u32 node) { return lbvh.nodes[node].first; });
    for (u32 slot = 0; slot < leaf_nodes.size(); ++slot) slots_[leaf_nodes[slot]] = slot;
    place(clusters_of(0, 1).front(), 0);
  }
  std::vector<BvhNode> nodes;
  std::vector<u32> parents;

 private:
  struct Item {
    BvhNode node;
    u32 slot;
  };

  u32 leaves_below(u32 node) const {
    const BvhNode& n = lbvh_.nodes[node];
    return n.is_leaf() ? 1 : leaves_below(n.first) + leaves_below(n.first + 1);
  }

  std::vector<Item> clusters_of(u32 node, u32 most_left) {
    const BvhNode& n = lbvh_.nodes[node];
    if (n.is_leaf()) return {{n, slots_.at(node)}};
    std::vector<Item> items = clusters_of(n.first, 16);
    for (const Item& item : clusters_of(n.first + 1, 16)) items.push_back(item);
    const u32 size = leaves_below(node);
    if (size <= 16 && most_left == 16) return items;
    while (items.size() > most_left) items = merge_once(items, size <= 256 ? radius_ : 8);
    return items;
  }

  std::vector<Item> merge_once(const std::vector<Item>& items, u32 radius) {
    const u32 count = u32(items.size());
    std::vector<u32> nearest(count);
    for (u32 i = 0; i < count; ++i) {
      u32 lowest = ~0u;
      for (u32 j = i < radius ? 0 : i - radius; j < count && j <= i + radius; ++j) {
        if (j == i) continue;
        const u32 a = std::min(i, j), b = std::max(i, j);
        const u32 key = detail::neighbour_key(items[a].node.box(), items[b].node.box(), a, b - a);
        if (key < lowest) lowest = key, nearest[i] = j;
      }
    }
    std::vector<Item> left;
    for (u32 i = 0; i < count; ++i) {
      const u32 j = nearest[i];
      if (nearest[j] != i) {
        left.push_back(items[i]);
      } else if (i < j) {
        const u32 given_up = items[j].slot;
        EXPECT_LT(items[i].slot, given_up);
        place(items[i], 2 * given_up - 1);
        place(items[j], 2 * given_up);
        const Aabb box = copse::merge(items[i].node.box(), items[j].node.box());
        left.push_back({BvhNode::inner(box, 2 * given_up - 1), items[i].slot});
      }
    }
    EXPECT_LT(left.size(), items.size());
    return left;
  }

  void place(const Item& item, u32 node) {
    nodes[node] = item.node;
    if (!item.node.is_leaf()) parents[sibling_pair(item.node.first)] = node;
  }

  const BvhCopy& lbvh_;
  u32 radius_;
  std::map<u32, u32> slots_;
};

TEST_P(Hploc, IsTheTreeOfTheSortedLeavesByItsDefinition) {
  std::vector<NamedMesh> meshes = hard_meshes();
  meshes.push_back({"random 3000", generate_random(3000, 0.05f)});
  for (const NamedMesh& hard : meshes) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (const HplocOptions& options : hploc_options()) {
      const BvhCopy lbvh(build_lbvh(context(), mesh.view(), {options.morton_bits, options.max_leaf_size}));
      const SlowHploc expected(lbvh, options.radius);
      const BvhCopy tree(build_hploc(context(), mesh.view(), options));
      ASSERT_EQ(tree.counts.leaf_count, lbvh.counts.leaf_count) << hard.name;
      ASSERT_TRUE(same_bytes(tree.primitive_ids, lbvh.primitive_ids)) << hard.name;
      if (tree.counts.leaf_count == 0) continue;
      ASSERT_TRUE(same_bytes(tree.nodes, expected.nodes)) << hard.name << ", " << describe(options);
      ASSERT_TRUE(same_bytes(tree.parents, expected.parents)) << hard.name << ", " << describe(options);
    }
  }
}

TEST_P(Hploc, EveryHardMeshBuildsAValidTree) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (const HplocOptions& options : hploc_options()) {
      const Bvh bvh = build_hploc(context(), mesh.view(), options);
      const ValidationReport report = validate(context(), bvh, mesh.view());
      ASSERT_TRUE(report.ok()) << hard.name << ", " << describe(options) << ": " << report.message();
      const BvhCounts counts = bvh.counts.download()[0];
      EXPECT_EQ(counts.invalid_count, hard.invalid_count) << hard.name;
      EXPECT_EQ(counts.primitive_count + counts.invalid_count, hard.mesh.triangles.size()) << hard.name;
      for (const BvhNode& node : BvhCopy(bvh).nodes) ASSERT_LE(node.count, options.max_leaf_size) << hard.name;
    }
  }
}

TEST_P(Hploc, EveryCountAroundAWarpATileAndItsCutBuildsAValidTree) {
  for (u64 n :
       {1,   2,   15,  16,  17,  18,  31,  32,  33,  47,  48,  49,  63,  64,  65,   95,   96,   97,   127,
        128, 129, 191, 192, 193, 255, 256, 257, 383, 384, 385, 511, 512, 513, 4095, 4096, 4097, 8191, 8193}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.05f));
    const Bvh bvh = build_hploc(context(), mesh.view());
    const ValidationReport report = validate(context(), bvh, mesh.view());
    ASSERT_TRUE(report.ok()) << n << ": " << report.message();
  }
}

TEST_P(Hploc, EveryPrimitiveAppearsOnce) {
  const DeviceMesh mesh(context(), generate_random(5000, 0.05f));
  const BvhCopy tree(build_hploc(context(), mesh.view(), {.max_leaf_size = 3}));
  std::multiset<u32> seen;
  for (const BvhNode& node : tree.nodes) {
    for (u32 k = 0; k < node.count; ++k) seen.insert(tree.primitive_ids[node.first + k]);
  }
  ASSERT_EQ(seen.size(), 5000u);
  for (u32 i = 0; i < 5000; ++i) EXPECT_EQ(seen.count(i), 1u);
}

TEST_P(Hploc, AHundredRunsGiveTheSameBytes) {
  const DeviceMesh mesh(context(), generate_random(30000, 0.02f));
  const BvhCopy first(build_hploc(context(), mesh.view()));
  for (int repeat = 0; repeat < 100; ++repeat) {
    ASSERT_TRUE(same_bytes(first, BvhCopy(build_hploc(context(), mesh.view())))) << "run " << repeat;
  }
}

TEST_P(Hploc, CostsLessThanAnLbvh) {
  for (const Mesh& host : {generate_sphere(5), generate_hairball(100, 50)}) {
    const DeviceMesh mesh(context(), host);
    const double lbvh = stats(context(), build_lbvh(context(), mesh.view())).sah_cost;
    for (u32 radius : {3, 4, 8}) {
      const double hploc = stats(context(), build_hploc(context(), mesh.view(), {.radius = radius})).sah_cost;
      EXPECT_LT(hploc, 0.97 * lbvh) << "radius " << radius;
    }
  }
}

TEST_P(Hploc, BoxesBuildTheTreeOfTheirTriangles) {
  const Mesh host = generate_random(3000, 0.05f);
  std::vector<Aabb> boxes;
  for (const uvec3& t : host.triangles) {
    boxes.push_back(bounds(Triangle{clean_point(host.positions[t.x]), clean_point(host.positions[t.y]),
                                    clean_point(host.positions[t.z])}));
  }
  const DeviceMesh mesh(context(), host);
  const Buffer<Aabb> box_buffer(context(), boxes);
  const Bvh bvh = build_hploc(context(), BoxView{box_buffer.span()});
  EXPECT_TRUE(same_bytes(BvhCopy(build_hploc(context(), mesh.view())), BvhCopy(bvh)));
  EXPECT_TRUE(validate(context(), bvh, BoxView{box_buffer.span()}).ok());
}

TEST_P(Hploc, LeavesOutInvertedAndInfiniteBoxes) {
  std::vector<Aabb> boxes(100, Aabb{vec3(0), vec3(1)});
  boxes[3] = {vec3(1), vec3(0)};
  boxes[50] = Aabb::empty();
  boxes[60].hi.y = infinity;
  boxes[99].lo.z = std::numeric_limits<float>::quiet_NaN();
  const Buffer<Aabb> buffer(context(), boxes);
  const Bvh bvh = build_hploc(context(), BoxView{buffer.span()});
  EXPECT_EQ(bvh.counts.download()[0].invalid_count, 4u);
  EXPECT_TRUE(validate(context(), bvh, BoxView{buffer.span()}).ok());
}

TEST_P(Hploc, FlatBoxesOfInfiniteAreaBuildAValidTree) {
  // Their extents overflow, and infinity times the flat side's zero is no number.
  const float most = std::numeric_limits<float>::max();
  std::vector<Aabb> boxes;
  for (u32 i = 0; i < 300; ++i)
    boxes.push_back({vec3(-most, float(i % 3), -most), vec3(most, float(i % 3), most)});
  const Buffer<Aabb> buffer(context(), boxes);
  for (u32 radius : {1, 4, 8}) {
    const Bvh bvh = build_hploc(context(), BoxView{buffer.span()}, {.radius = radius});
    EXPECT_TRUE(validate(context(), bvh, BoxView{buffer.span()}).ok()) << "radius " << radius;
  }
}

TEST_P(Hploc, SeveralViewsAreOneNumbering) {
  const DeviceMesh whole(context(), generate_random(1000, 0.1f));
  const BvhCopy expected(build_hploc(context(), whole.view()));
  std::vector<TriangleView> views;
  for (u64 begin = 0; begin < 1000; begin += 50) {
    views.push_back({.positions = whole.positions.span(),
                     .triangles = whole.triangles.span().subspan(begin, 50),
                     .geometry = u32(begin)});
  }
  EXPECT_TRUE(same_bytes(expected, BvhCopy(build_hploc(context(), views))));
}

TEST_P(Hploc, RefitChangesNothingWhereNothingMovedAndFitsWhatDid) {
  const Mesh host = generate_random(5000, 0.05f);
  DeviceMesh mesh(context(), host);
  Bvh bvh = build_hploc(context(), mesh.view(), {.max_leaf_size = 2});
  const BvhCopy before(bvh);
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(same_bytes(before, BvhCopy(bvh)));
  Mesh moved = host;
  for (vec3& p : moved.positions) p = vec3(p.x + p.y * p.z, p.y * 1.5f - p.x, p.z);
  mesh.positions.upload(moved.positions);
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(validate(context(), bvh, mesh.view()).ok());
}

TEST_P(Hploc, RebuildsInPlaceWithoutAllocating) {
  const DeviceMesh large(context(), generate_random(4000, 0.05f)), small(context(), generate_sphere(2));
  Bvh bvh = build_lbvh(context(), large.view());
  rebuild_hploc(context(), bvh, large.view());
  const u64 warm = context().scratch_bytes();
  const BvhNode* memory = bvh.nodes.data();
  rebuild_hploc(context(), bvh, small.view());
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_hploc(context(), small.view()))));
  EXPECT_TRUE(validate(context(), bvh, small.view()).ok());
  rebuild_hploc(context(), bvh, large.view());
  EXPECT_EQ(bvh.nodes.data(), memory);
  EXPECT_EQ(context().scratch_bytes(), warm);
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_hploc(context(), large.view()))));
}

TEST_P(Hploc, CapturedRebuildFollowsItsInput) {
  const Mesh before = generate_random(2000, 0.05f);
  Mesh after = before;
  for (vec3& p : after.positions) p = vec3(p.y, p.z * 2, p.x);
  for (u32 leaf : {1, 4}) {
    DeviceMesh mesh(context(), before);
    const HplocOptions options{.max_leaf_size = leaf};
    Bvh bvh = build_hploc(context(), mesh.view(), options);
    Graph graph = context().capture([&] { rebuild_hploc(context(), bvh, mesh.view(), options); });
    mesh.positions.upload(after.positions);
    for (int repeat = 0; repeat < 2; ++repeat) {
      graph.launch();
      EXPECT_TRUE(validate(context(), bvh, mesh.view()).ok());
      EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_hploc(context(), mesh.view(), options))));
    }
  }
}

TEST_P(Hploc, TwoContextsBuildAtOnce) {
  Context other({.backend = GetParam()});
  const Mesh host = generate_random(20000, 0.02f);
  const DeviceMesh mesh(context(), host), other_mesh(other, host);
  context().wait();
  other.wait();
  Bvh bvh = build_hploc(context(), mesh.view()), other_bvh = build_hploc(other, other_mesh.view());
  for (int repeat = 0; repeat < 5; ++repeat) {
    rebuild_hploc(context(), bvh, mesh.view());
    rebuild_hploc(other, other_bvh, other_mesh.view());
  }
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(other_bvh)));
}

TEST_P(Hploc, SizesAreKnownBeforehand) {
  for (u64 n : {0, 1, 2, 1000, 70000}) {
    const DeviceMesh mesh(context(), n == 0 ? Mesh{} : generate_random(n, 0.1f));
    for (const HplocOptions& options : hploc_options()) {
      Context fresh({.backend = GetParam(), .stream = context().stream()});
      const BuildSizes sizes = hploc_sizes(fresh, n, options);
      const Bvh bvh = build_hploc(fresh, mesh.view(), options);
      EXPECT_EQ(bvh.size_bytes(), sizes.result_bytes);
      EXPECT_EQ(fresh.scratch_bytes(), sizes.scratch_bytes) << n << ", " << describe(options);
    }
  }
}

TEST_P(Hploc, RefusesOptionsOutOfRange) {
  const DeviceMesh mesh(context(), generate_cube());
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(build_hploc(context(), mesh.view(), {.radius = 0}), code, "radius is 0; it can be 1 to 8");
  EXPECT_COPSE_ERROR(build_hploc(context(), mesh.view(), {.radius = 9}), code, "9");
  EXPECT_COPSE_ERROR(build_hploc(context(), mesh.view(), {.morton_bits = 29}), code, "29");
  EXPECT_COPSE_ERROR(build_hploc(context(), mesh.view(), {.max_leaf_size = 0}), code, "0");
  EXPECT_COPSE_ERROR(build_hploc(context(), mesh.view(), {.max_leaf_size = 33}), code, "33");
  EXPECT_COPSE_ERROR(build_hploc(context(), BoxView{{nullptr, most_primitives + 1}}), ErrorCode::capacity,
                     "2147483649");
  Bvh small = build_hploc(context(), BoxView{});
  EXPECT_COPSE_ERROR(rebuild_hploc(context(), small, mesh.view()), code, "12");
}

TEST_P(Hploc, StopsWhenCancelled) {
  std::stop_source stop;
  Context cancellable({.backend = GetParam(), .cancel = stop.get_token()});
  const DeviceMesh mesh(cancellable, generate_sphere(2));
  stop.request_stop();
  EXPECT_COPSE_ERROR(build_hploc(cancellable, mesh.view()), ErrorCode::cancelled, "cancelled");
}

TEST_P(Hploc, LargeTreeIsValid) {
  for (u64 n : {1000003, 1500007}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.01f));
    for (u32 leaf : {1, 4}) {
      const Bvh bvh = build_hploc(context(), mesh.view(), {.max_leaf_size = leaf});
      const ValidationReport report = validate(context(), bvh, mesh.view());
      EXPECT_TRUE(report.ok()) << report.message();
    }
  }
}

}  // namespace copse::test
