#include "builders/bvh/collapse.h"

#include <cmath>
#include <functional>
#include <map>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "tests/support/backends.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"
#include "tests/support/shuffled_bvh.h"
#include "tests/support/wide_checker.h"

namespace copse::test {

class Collapse : public OnEachBackend {
 protected:
  /// Calls f(a tree of the layout that was never made) for each layout.
  template <class F>
  void for_each_layout(const F& f) {
    f(Bvh4{}, "bvh4");
    f(CompressedBvh4{}, "cbvh4");
    f(CompressedBvh8{}, "cbvh8");
  }
};
COPSE_ON_EACH_BACKEND(Collapse);

TEST_P(Collapse, EveryHardMeshOfEveryBuilderIsWhatItsContractSays) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    const std::vector<Aabb> boxes = triangle_boxes(hard.mesh);
    for (u32 leaf : {1u, 3u}) {
      const Bvh trees[] = {build(context(), mesh.view(), LbvhOptions{.max_leaf_size = leaf}),
                           build(context(), mesh.view(), HplocOptions{.max_leaf_size = leaf})};
      for (const Bvh& bvh : trees) {
        for_each_layout([&](auto layout, const char* name) {
          SCOPED_TRACE(hard.name + ", " + name + ", leaf " + std::to_string(leaf));
          const auto wide = collapse<decltype(layout)>(context(), bvh, {.max_leaf_size = leaf});
          const WideCopy copy(wide);
          EXPECT_EQ(copy.counts.invalid_count, hard.invalid_count);
          EXPECT_EQ(copy.counts.node_count == 0, boxes.size() == hard.invalid_count);
          WideChecker(copy, boxes, leaf);
        });
      }
    }
  }
}

/// The least SAH cost of a wide tree, by the recurrence alone.
class SlowCollapse {
 public:
  SlowCollapse(const BvhCopy& tree, u32 width, const CollapseOptions& options)
      : tree_(tree), width_(width), options_(options), root_area_(half_area(tree.nodes[0].box())) {}

  double min_cost() { return wide_cost(0); }

 private:
  double area(u32 node) const { return half_area(tree_.nodes[node].box()) / root_area_; }

  u32 primitives(u32 node) const {
    const BvhNode& n = tree_.nodes[node];
    return n.is_leaf() ? n.count : primitives(n.first) + primitives(n.first + 1);
  }
  double wide_cost(u32 node) {
    const BvhNode& n = tree_.nodes[node];
    return options_.costs.traversal * area(node) + shared_cost(n.first, n.first + 1, width_);
  }
  double shared_cost(u32 left, u32 right, u32 slots) {
    double least = infinity;
    for (u32 part = 1; part < slots; ++part) least = std::min(least, cost(left, part) + cost(right, slots - part));
    return least;
  }
  double cost(u32 node, u32 slots) {
    const auto known = costs_.find({node, slots});
    if (known != costs_.end()) return known->second;
    const BvhNode& n = tree_.nodes[node];
    const double as_leaf = options_.costs.intersection * area(node) * primitives(node);
    double least = as_leaf;
    if (!n.is_leaf()) {
      least = wide_cost(node);
      if (primitives(node) <= options_.max_leaf_size) least = std::min(least, as_leaf);
      if (slots > 1) least = std::min(least, shared_cost(n.first, n.first + 1, slots));
    }
    return costs_[{node, slots}] = least;
  }

  const BvhCopy& tree_;
  u32 width_;
  CollapseOptions options_;
  double root_area_;
  std::map<std::pair<u32, u32>, double> costs_;
};

/// The SAH cost of the exact boxes of a wide tree.
template <class Node>
double exact_cost(const WideCopy<Node>& tree, const std::vector<Aabb>& boxes, const SahCosts& costs) {
  std::vector<Aabb> exact(tree.nodes.size(), Aabb::empty());
  double sum = 0;
  const std::function<void(u32)> add = [&](u32 node) {
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = tree.nodes[node].child(slot);
      Aabb box = Aabb::empty();
      if (child.is_inner()) {
        add(child.first);
        box = exact[child.first];
      } else if (child.is_leaf()) {
        for (u32 k = 0; k < child.count; ++k) box = merge(box, boxes[tree.primitive_ids[child.first + k]]);
        sum += costs.intersection * half_area(box) * child.count;
      }
      exact[node] = merge(exact[node], box);
    }
    sum += costs.traversal * half_area(exact[node]);
  };
  add(0);
  return sum / half_area(exact[0]);
}

TEST_P(Collapse, NoTreeOverTheSameBinaryOneCostsLess) {
  const Mesh meshes[] = {generate_random(900, 0.05f), generate_sphere(3), generate_hairball(30, 30)};
  const CollapseOptions all_options[] = {
      {}, {.max_leaf_size = 1}, {.max_leaf_size = 2, .costs = {3, 1}}, {.max_leaf_size = 3, .costs = {0.5, 2}}};
  for (const Mesh& host : meshes) {
    const DeviceMesh mesh(context(), host);
    const std::vector<Aabb> boxes = triangle_boxes(host);
    for (u32 leaf : {1u, 2u}) {
      const Bvh bvh = build(context(), mesh.view(), HplocOptions{.max_leaf_size = leaf});
      const BvhCopy binary(bvh);
      for (const CollapseOptions& options : all_options) {
        for_each_layout([&](auto layout, const char* name) {
          using Tree = decltype(layout);
          const double least = SlowCollapse(binary, Tree::Node::width, options).min_cost();
          const WideCopy wide(collapse<Tree>(context(), bvh, options));
          EXPECT_NEAR(exact_cost(wide, boxes, options.costs), least, 1e-4 * least) << name;
        });
      }
    }
  }
}

TEST_P(Collapse, TreesLikeChainsAreWhatTheContractSays) {
  Mesh host;
  for (u32 i = 0; i < 3000; ++i) {
    const float at = float(i) * float(i);
    host.positions.insert(host.positions.end(), {{at, 0, 0}, {at, 1, 0}, {at + 1, 0, 1}});
    host.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const std::vector<Aabb> boxes = triangle_boxes(host);
  const UploadedBvh chain(context(), build_host_bvh(boxes, 1, HostSplit::chain));
  Bvh bvh = make_bvh(context(), boxes.size());
  bvh.nodes.upload(chain.nodes.download());
  bvh.parents.upload(chain.parents.download());
  bvh.primitive_ids.upload(chain.primitive_ids.download());
  bvh.counts.upload(chain.counts.download());
  bvh.source_count = boxes.size();
  bvh.max_leaf_size = 1;
  for_each_layout([&](auto layout, const char* name) {
    SCOPED_TRACE(name);
    const WideCopy copy(collapse<decltype(layout)>(context(), bvh, {.max_leaf_size = 1}));
    WideChecker(copy, boxes, 1);
    EXPECT_LE(copy.counts.node_count, (boxes.size() - 1) / (decltype(layout)::Node::width - 1) * 12 / 10);
  });
}

TEST_P(Collapse, RelativesMayStandFarApart) {
  const Mesh host = generate_random(40000, 0.01f);
  const std::vector<Aabb> boxes = triangle_boxes(host);
  const DeviceMesh mesh(context(), host);
  for (u32 leaf : {1u, 3u}) {
    const Bvh bvh = build(context(), mesh.view(), HplocOptions{.max_leaf_size = leaf});
    const Bvh shuffled = shuffled_pairs(context(), bvh, leaf);
    for_each_layout([&](auto layout, const char* name) {
      SCOPED_TRACE(name);
      using Tree = decltype(layout);
      const WideCopy wide(collapse<Tree>(context(), bvh)), far_apart(collapse<Tree>(context(), shuffled));
      WideChecker(far_apart, boxes, 3);
      EXPECT_EQ(far_apart.counts.node_count, wide.counts.node_count);
      const double cost = exact_cost(wide, boxes, SahCosts{});
      EXPECT_NEAR(exact_cost(far_apart, boxes, SahCosts{}), cost, 1e-9 * cost);
    });
  }
}

TEST_P(Collapse, LeavesTakeWholeSubtreesOfManyPrimitives) {
  constexpr u32 most = 9;
  const CollapseOptions options{.max_leaf_size = most, .costs = {8, 1}};
  const Mesh host = generate_hairball(60, 40);
  const DeviceMesh mesh(context(), host);
  const Bvh bvh = build(context(), mesh.view(), HplocOptions{});
  for_each_layout([&](auto layout, const char* name) {
    if constexpr (decltype(layout)::Node::width == 4) {
      SCOPED_TRACE(name);
      const WideCopy copy(collapse<decltype(layout)>(context(), bvh, options));
      WideChecker(copy, triangle_boxes(host), most);
      u32 largest = 0;
      for (const auto& node : copy.nodes) {
        for (u32 slot = 0; slot < node.width; ++slot) largest = std::max(largest, node.child(slot).count);
      }
      EXPECT_GT(largest, 4u);
    }
  });
}

TEST_P(Collapse, LargeLeavesOfTheBinaryTreeStay) {
  const Mesh host = generate_random(2000, 0.05f);
  const DeviceMesh mesh(context(), host);
  const Bvh bvh = build(context(), mesh.view(), LbvhOptions{.max_leaf_size = 8});
  const WideCopy copy(collapse<CompressedBvh4>(context(), bvh, {.max_leaf_size = 1}));
  WideChecker(copy, triangle_boxes(host), 8);
}

TEST_P(Collapse, AHundredRunsGiveTheSameBytes) {
  const DeviceMesh mesh(context(), generate_random(30000, 0.02f));
  const Bvh bvh = build(context(), mesh.view(), HplocOptions{});
  const WideCopy first(collapse<CompressedBvh8>(context(), bvh));
  for (int repeat = 0; repeat < 100; ++repeat) {
    ASSERT_TRUE(same_bytes(first, WideCopy(collapse<CompressedBvh8>(context(), bvh)))) << "run " << repeat;
  }
}

TEST_P(Collapse, WorksInPlaceWithoutAllocating) {
  const DeviceMesh large(context(), generate_random(4000, 0.05f)), small(context(), generate_sphere(2));
  Bvh bvh = build(context(), large.view(), HplocOptions{});
  for_each_layout([&](auto layout, const char*) {
    using Tree = decltype(layout);
    rebuild(context(), bvh, large.view(), HplocOptions{});
    Tree wide = collapse<Tree>(context(), bvh);
    const WideCopy before(wide);
    const u64 warm = context().scratch_bytes();
    rebuild(context(), bvh, small.view(), HplocOptions{});
    collapse(context(), wide, bvh);
    EXPECT_TRUE(same_bytes(WideCopy(wide), WideCopy(collapse<Tree>(context(), bvh))));
    rebuild(context(), bvh, large.view(), HplocOptions{});
    collapse(context(), wide, bvh);
    EXPECT_TRUE(same_bytes(WideCopy(wide), before));
    EXPECT_EQ(context().scratch_bytes(), warm);
  });
}

TEST_P(Collapse, CapturedRebuildFollowsItsInput) {
  const Mesh before = generate_random(2000, 0.05f);
  Mesh after = before;
  for (vec3& p : after.positions) p = vec3(p.y, p.z * 2, p.x);
  for_each_layout([&](auto layout, const char*) {
    using Tree = decltype(layout);
    DeviceMesh mesh(context(), before);
    Bvh bvh = build(context(), mesh.view(), HplocOptions{});
    Tree wide = collapse<Tree>(context(), bvh);
    Graph graph = context().capture([&] {
      rebuild(context(), bvh, mesh.view(), HplocOptions{});
      collapse(context(), wide, bvh);
    });
    mesh.positions.upload(after.positions);
    for (int repeat = 0; repeat < 2; ++repeat) {
      graph.launch();
      const Bvh fresh = build(context(), mesh.view(), HplocOptions{});
      EXPECT_TRUE(same_bytes(WideCopy(wide), WideCopy(collapse<Tree>(context(), fresh))));
    }
  });
}

TEST_P(Collapse, SizesAreKnownBeforehand) {
  for (u64 n : {0, 1, 2, 3, 1000, 70000}) {
    const DeviceMesh mesh(context(), n == 0 ? Mesh{} : generate_random(u32(n), 0.1f));
    const Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
    for_each_layout([&](auto layout, const char* name) {
      using Tree = decltype(layout);
      Context fresh({.backend = GetParam(), .stream = context().stream()});
      const BuildSizes sizes = collapse_sizes<Tree>(fresh, n);
      const Tree wide = collapse<Tree>(fresh, bvh);
      EXPECT_EQ(wide.size_bytes(), sizes.result_bytes) << name;
      EXPECT_EQ(fresh.scratch_bytes(), sizes.scratch_bytes) << name << ", " << n;
    });
  }
}

TEST_P(Collapse, ACompactCopyHasTheSameTreeAndNoRoomToSpare) {
  for (u32 n : {0u, 1u, 5u, 3000u}) {
    const DeviceMesh mesh(context(), n == 0 ? Mesh{} : generate_random(n, 0.05f));
    const Bvh bvh = build(context(), mesh.view(), HplocOptions{.max_leaf_size = 2});
    const Bvh compact_bvh = compact_copy(context(), bvh);
    EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(compact_bvh)));
    EXPECT_EQ(compact_bvh.nodes.size(), BvhCopy(bvh).nodes.size());
    for_each_layout([&](auto layout, const char*) {
      const auto wide = collapse<decltype(layout)>(context(), bvh);
      const auto compact = compact_copy(context(), wide);
      EXPECT_TRUE(same_bytes(WideCopy(wide), WideCopy(compact)));
      EXPECT_EQ(compact.nodes.size(), WideCopy(wide).nodes.size());
    });
  }
}

TEST_P(Collapse, RefusesWhatItCannotDo) {
  const auto code = ErrorCode::invalid_argument;
  const DeviceMesh mesh(context(), generate_sphere(2));
  const Bvh bvh = build(context(), mesh.view(), LbvhOptions{.max_leaf_size = 4});
  EXPECT_COPSE_ERROR(collapse<Bvh4>(context(), bvh, {.max_leaf_size = 0}), code, "max_leaf_size is 0");
  EXPECT_COPSE_ERROR(collapse<Bvh4>(context(), bvh, {.max_leaf_size = 33}), code, "33");
  EXPECT_COPSE_ERROR(collapse<CompressedBvh8>(context(), bvh, {.max_leaf_size = 4}), code, "1 to 3");
  EXPECT_COPSE_ERROR(collapse<CompressedBvh8>(context(), bvh), code,
                     "up to 4 primitives, but those of this layout at most 3");
  EXPECT_COPSE_ERROR(collapse<Bvh4>(context(), bvh, {.costs = {-1, 1}}), code, "traversal");
  EXPECT_COPSE_ERROR(collapse<Bvh4>(context(), bvh, {.costs = {1, std::nan("")}}), code, "intersection");
  EXPECT_COPSE_ERROR(collapse_sizes<Bvh4>(context(), max_primitives + 1), ErrorCode::capacity, "2147483649");
  Bvh4 small = compact_copy(context(), collapse<Bvh4>(context(), bvh));
  EXPECT_COPSE_ERROR(collapse(context(), small, bvh), code, "has room for");
  Bvh compact = compact_copy(context(), bvh);
  EXPECT_COPSE_ERROR(rebuild(context(), compact, mesh.view(), LbvhOptions{}), code, "nodes");
}

TEST_P(Collapse, StopsWhenCancelled) {
  std::stop_source stop;
  Context cancellable({.backend = GetParam(), .cancel = stop.get_token()});
  const DeviceMesh mesh(cancellable, generate_sphere(2));
  const Bvh bvh = build(cancellable, mesh.view(), LbvhOptions{});
  stop.request_stop();
  EXPECT_COPSE_ERROR(collapse<Bvh4>(cancellable, bvh), ErrorCode::cancelled, "cancelled");
}

}  // namespace copse::test
