// The tree over moving triangles: its boxes, refits, rebuilds, memory and errors.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/motion/moving_meshes.h"
#include "tests/support/values.h"

namespace copse::test {
namespace {

class MotionTree : public OnEachBackend {};

bool holds(const Aabb& box, const vec3& p) {
  return box.lo.x <= p.x && box.lo.y <= p.y && box.lo.z <= p.z && p.x <= box.hi.x && p.y <= box.hi.y &&
         p.z <= box.hi.z;
}

/// The boxes on the way from the root to a leaf hold the triangles of the leaf. Returns how many triangles it saw.
u32 expect_boxes_hold(const detail::MovingTree& tree, const detail::MovingTriangles& triangles, u32 node,
                      std::vector<Aabb>& way) {
  u32 count = 0;
  for (u32 slot = 0; slot < detail::MovingTree::width; ++slot) {
    const WideChild child = tree.child(node, slot);
    if (child.is_nothing()) continue;
    way.push_back(tree.nodes[node].child_box(slot));
    if (child.is_inner()) count += expect_boxes_hold(tree, triangles, child.first, way);
    for (u32 place = child.first; place < child.first + child.count; ++place, ++count) {
      const Triangle t = triangles.triangle(place);
      for (const Aabb& box : way) EXPECT_TRUE(holds(box, t.a) && holds(box, t.b) && holds(box, t.c)) << place;
    }
    way.pop_back();
  }
  return count;
}

TEST(MotionBoxes, HoldTheirTrianglesAtAllTimes) {
  Context context({.backend = Backend::cpu});
  for (const float far : {0.0f, 1e4f, -3e18f}) {
    Mesh mesh = generate_sphere(2);
    const float size = far == 0 ? 1.0f : 1e-3f * far;
    for (vec3& p : mesh.positions) p = p * size + vec3(far, -far, 0.5f * far);
    const MovingMesh moving(context, scattered_keys(mesh, 4, 0.7f * (size < 0 ? -size : size), 3));
    const MotionAccel accel = build(context, moving.triangles());
    RayMaker random(1);
    for (int i = 0; i < 60; ++i) {
      const float time = i < 4 ? float(i) / 3 : random.uniform(0, 1);
      const auto at = detail::KeyTime::of(time, 4);
      const auto tree = accel.view().tree_at(at);
      std::vector<Aabb> way{tree.bounds()};
      EXPECT_EQ(expect_boxes_hold(tree, accel.view().triangles_at(at), 0, way), mesh.triangles.size());
    }
  }
}

/// Where a ray is in a child's box at a time, in the units of boxes, in double precision.
struct ExactSpan {
  double entry = 0, exit = 1e300;

  ExactSpan(const detail::NodeAtKeys& node, u32 slot, const Ray& ray, const RaySlabs& slabs) {
    const Aabb a = node.before->child_box(slot), b = node.after->child_box(slot);
    for (int axis = 0; axis < 3; ++axis) {
      const double lo = a.lo[axis] + double(node.part) * (double(b.lo[axis]) - a.lo[axis]);
      const double hi = a.hi[axis] + double(node.part) * (double(b.hi[axis]) - a.hi[axis]);
      const auto time = [&](double plane) {
        return (plane - ray.origin[axis]) / ray.direction[axis] * slabs.time_scale - slabs.start;
      };
      entry = std::max(entry, std::min(time(lo), time(hi)));
      exit = std::min(exit, std::max(time(lo), time(hi)));
    }
  }
};

/// A span that is rounded outwards, and by little.
void expect_around(const BoxSpan& span, const ExactSpan& exact, float slack) {
  if (exact.entry > exact.exit) return;
  EXPECT_LE(span.entry, exact.entry);
  EXPECT_GE(span.exit, exact.exit);
  EXPECT_GE(span.entry, exact.entry - slack);
  EXPECT_LE(span.exit, exact.exit + slack);
}

TEST(MotionBoxes, SpansOfBothKindsHoldTheExactOnes) {
  Context context({.backend = Backend::cpu});
  for (const float far : {0.0f, 50.0f}) {
    Mesh mesh = generate_sphere(3);
    for (vec3& p : mesh.positions) p = p + vec3(far, -far, 0);
    const MovingMesh moving(context, scattered_keys(mesh, 2, 0.3f, 3));
    const MotionAccel accel = build(context, moving.triangles());
    RayMaker random(2);
    for (int i = 0; i < 300; ++i) {
      const auto tree = accel.view().tree_at(detail::KeyTime::of(random.uniform(0, 1), 2));
      const Ray ray = random.into(tree.bounds());
      const RaySlabs slabs = prepare_moving_ray(ray, detail::TreeReach::of(tree.bounds())).slabs;
      const detail::NodeAtKeys node = tree.nodes[random.below(accel.tree().counts.download()[0].node_count)];
      const auto* quads = reinterpret_cast<const detail::Quad*>(node.before);
      const auto* second = reinterpret_cast<const detail::Quad*>(node.after);
      const auto a = detail::planes_of_node(slabs, quads[2], quads[3]);
      const auto b = detail::planes_of_node(slabs, second[2], second[3]);
      BoxSpan mixed[4], in_floats[4];
      find_mixed_spans(node, slabs, quads[0], second[0], a, b, mixed);
      find_host_spans(node, slabs, a, b, in_floats);
      for (u32 slot = 0; slot < 4; ++slot) {
        if (node.child(slot).is_nothing()) continue;
        const ExactSpan exact(node, slot, ray, slabs);
        const float slack = 0.02f * (1 + far) * (1 + slabs.time_scale);
        expect_around(mixed[slot], exact, slack * 10);
        expect_around(in_floats[slot], exact, slack * 10);
      }
    }
  }
}

TEST(MotionTimes, KeysAreMetExactlyAndPartsStayBelowOne) {
  for (u32 key_count = 2; key_count < 400; ++key_count) {
    const float last = float(key_count - 1);
    for (u32 key = 0; key < key_count; ++key) {
      const float time = float(key) / last;
      const auto at = detail::KeyTime::of(time, key_count);
      ASSERT_EQ(at.before, key) << key_count;
      ASSERT_EQ(at.after, key) << key_count;
      ASSERT_EQ(at.part, 0) << key_count;
      for (const float near : {std::nextafter(time, -1.0f), std::nextafter(time, 2.0f)}) {
        const auto beside = detail::KeyTime::of(near, key_count);
        ASSERT_LT(beside.after, key_count);
        ASSERT_TRUE(beside.part >= 0 && beside.part < 1) << near;
        ASSERT_EQ(beside.after - beside.before, beside.part == 0 ? 0u : 1u) << near;
      }
    }
  }
  EXPECT_EQ(detail::KeyTime::of(-5, 3).before, 0u);
  EXPECT_EQ(detail::KeyTime::of(5, 3).before, 2u);
  EXPECT_FALSE(detail::KeyTime::of(std::nanf(""), 3).is_number);
}

TEST_P(MotionTree, RefitAndRebuildFollowTheKeysInAGraph) {
  const MovingMesh first(context(), scattered_keys(generate_sphere(2), 3, 0.2f, 1)),
      second(context(), scattered_keys(generate_sphere(2), 3, 0.9f, 2));
  MotionAccel accel = build(context(), first.triangles());
  const TimedRays rays(second.keys(), 200, 5);
  refit(context(), accel, second.triangles());
  expect_hits(context(), accel, second, rays, "refit");
  rebuild(context(), accel, first.triangles());
  Graph refits = context().capture([&] { refit(context(), accel, second.triangles()); });
  Graph rebuilds = context().capture([&] { rebuild(context(), accel, first.triangles()); });
  refits.launch();
  expect_hits(context(), accel, second, rays, "captured refit");
  rebuilds.launch();
  expect_hits(context(), accel, first, rays, "captured rebuild");
}

TEST_P(MotionTree, ARebuildMayHaveMoreOrFewerTriangles) {
  const MovingMesh few(context(), scattered_keys(generate_random(10, 0.4f), 2, 0.2f, 1)),
      many(context(), scattered_keys(generate_random(90, 0.4f), 2, 0.2f, 2)),
      none(context(), std::vector<Mesh>(2)), two(context(), scattered_keys(generate_random(2, 1), 2, 0.1f, 3));
  MotionAccel accel = build(context(), few.triangles(), {.capacity = 90});
  for (const MovingMesh* mesh : {&few, &many, &none, &two}) {
    rebuild(context(), accel, mesh->triangles());
    expect_hits(context(), accel, *mesh, TimedRays(mesh->keys(), 100, 3), "rebuild");
  }
  EXPECT_EQ(accel.triangle_count(), 2u);
  EXPECT_EQ(accel.capacity(), 90u);
}

TEST_P(MotionTree, ACompactedTreeIsTracedAndRefittedButNotRebuilt) {
  const MovingMesh first(context(), scattered_keys(generate_sphere(3), 3, 0.2f, 1)),
      second(context(), scattered_keys(generate_sphere(3), 3, 0.4f, 2)), none(context(), std::vector<Mesh>(3));
  MotionAccel accel = build(context(), first.triangles());
  const u64 before = accel.size_bytes();
  compact(context(), accel);
  EXPECT_LT(accel.size_bytes(), before * 7 / 10);
  expect_hits(context(), accel, first, TimedRays(first.keys(), 100, 3), "compacted");
  refit(context(), accel, second.triangles());
  expect_hits(context(), accel, second, TimedRays(second.keys(), 100, 3), "refitted");
  EXPECT_COPSE_ERROR(rebuild(context(), accel, first.triangles()), invalid, "the structure was compacted");
  MotionAccel empty = build(context(), none.triangles());
  compact(context(), empty);
  expect_hits(context(), empty, none, TimedRays(none.keys(), 5, 3), "nothing");
  MotionAccel never;
  EXPECT_COPSE_ERROR(compact(context(), never), invalid, "was never built");
}

TEST_P(MotionTree, SizesAreKnown) {
  const MovingMesh mesh(context(), scattered_keys(generate_sphere(3), 3, 0.2f, 1));
  const MotionAccel accel = build(context(), mesh.triangles());
  const BuildSizes sizes = motion_sizes(context(), accel.triangle_count(), mesh.keys()[0].positions.size(), 3, {});
  EXPECT_EQ(accel.size_bytes(), sizes.result_bytes);
  EXPECT_LE(context().scratch_bytes(), sizes.scratch_bytes);
}

TEST(MotionTreeOfBothBackends, HasTheSameBytes) {
  COPSE_SKIP_WITHOUT_GPU();
  const auto bytes = [](Backend backend, Quality quality) {
    Context context({.backend = backend});
    const MovingMesh mesh(context, scattered_keys(generate_sphere(4), 3, 0.1f, 9));
    const MotionAccel accel = build(context, mesh.triangles(), {.quality = quality});
    const MotionView view = accel.view();
    const u32 used = accel.tree().counts.download()[0].node_count;
    const std::vector<CompressedBvh4Node> nodes = accel.tree().nodes.download();
    std::vector<u8> all;
    const auto append = [&](const auto* data, u64 count) {
      const auto* begin = reinterpret_cast<const u8*>(data);
      all.insert(all.end(), begin, begin + count * sizeof(*data));
    };
    for (u32 key = 0; key < 3; ++key) append(nodes.data() + key * view.node_stride, used);
    const std::vector<PackedTriangle> packed = accel.packed_triangles().triangles.download();
    append(packed.data(), packed.size());
    append(accel.tree().parents.download().data(), used);
    return all;
  };
  for (const Quality quality : all_qualities) {
    EXPECT_TRUE(bytes(Backend::cpu, quality) == bytes(Backend::cuda, quality)) << name_of(quality);
  }
}

TEST_P(MotionTree, RefusesWhatDoesNotFit) {
  const MovingMesh mesh(context(), scattered_keys(generate_sphere(1), 2, 0.2f, 1)),
      three(context(), scattered_keys(generate_sphere(1), 3, 0.2f, 1)),
      larger(context(), scattered_keys(generate_sphere(2), 2, 0.2f, 1));
  MotionAccel accel = build(context(), mesh.triangles()), never;
  const auto of = [](std::vector<TriangleView> views) { return MotionTriangles(views); };
  EXPECT_COPSE_ERROR(build(context(), of({})), invalid, "0 keys were given; there can be 2 to 65535");
  EXPECT_COPSE_ERROR(build(context(), of({mesh.views()[0]})), invalid,
                     "1 keys were given; there can be 2 to 65535");
  EXPECT_COPSE_ERROR(build(context(), of({mesh.views()[0], larger.views()[1]})), invalid,
                     "320 triangles in view 0 of key 1, but 80 in that of key 0");
  TriangleView short_of_positions = mesh.views()[1];
  --short_of_positions.positions.size;
  EXPECT_COPSE_ERROR(build(context(), of({mesh.views()[0], short_of_positions})), invalid,
                     "41 positions in view 0 of key 1, but 42 in that of key 0");
  const std::vector<std::vector<TriangleView>> uneven = {{mesh.views()[0]}, {}};
  EXPECT_COPSE_ERROR(build(context(), MotionTriangles(uneven)), invalid, "key 1 has 0 views, but key 0 has 1");
  EXPECT_COPSE_ERROR(build(context(), mesh.triangles(), {.quality = Quality(7)}), invalid, "quality is 7");
  EXPECT_COPSE_ERROR(rebuild(context(), accel, three.triangles()), invalid, "3 keys");
  EXPECT_COPSE_ERROR(refit(context(), accel, three.triangles()), invalid, "3 keys");
  EXPECT_COPSE_ERROR(rebuild(context(), accel, larger.triangles()), invalid,
                     "320 triangles, but the structure has room for 80");
  EXPECT_COPSE_ERROR(refit(context(), accel, larger.triangles()), invalid,
                     "320 triangles, but the structure was built over 80");
  EXPECT_COPSE_ERROR(refit(context(), never, mesh.triangles()), invalid, "was never built");
  EXPECT_COPSE_ERROR(motion_sizes(context(), 10, 10, 1, {}), invalid, "1 keys");
  const Buffer<Ray> rays(context(), 3);
  const Buffer<float> times(context(), 2);
  Buffer<Hit> hits(context(), 3);
  EXPECT_COPSE_ERROR(closest_hits(context(), never, rays.span(), hits.span()), invalid, "was never built");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays.span(), hits.span(), {.times = times.span()}), invalid,
                     "2 times");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays.span(), hits.span(), {.cull = Cull(9)}), invalid,
                     "options.cull is 9");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays.span().first(2), hits.span()), invalid, "3 results");
}

TEST(MotionTreeOfAnotherBackend, IsRefused) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), gpu({.backend = Backend::cuda});
  const MovingMesh mesh(cpu, scattered_keys(generate_sphere(1), 2, 0.2f, 1));
  MotionAccel accel = build(cpu, mesh.triangles());
  EXPECT_COPSE_ERROR(refit(gpu, accel, mesh.triangles()), invalid, "was built by the backend cpu");
}

COPSE_ON_EACH_BACKEND(MotionTree);

}  // namespace
}  // namespace copse::test
