// Batches through the tree that suits them.

#include "trace/trace_trees.h"

#include <gtest/gtest.h>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/ray_trees.h"
#include "builders/geometry/generate.h"
#include "primitives/core/graph.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/trace/oracle.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;

constexpr TraceLayout layouts[] = {TraceLayout::automatic, TraceLayout::binary, TraceLayout::wide};

class TraceTrees : public test::OnEachBackend {
 protected:
  void expect_brute_force(const RayTrees& trees, const Mesh& mesh, const std::vector<Ray>& rays) {
    const Buffer<Ray> device(context(), rays);
    Buffer<Hit> hits(context(), rays.size());
    Buffer<u8> occluded(context(), rays.size());
    for (const TraceLayout layout : layouts) {
      closest_hits(context(), trees.view(), device.span(), hits.span(), {.layout = layout});
      any_hits(context(), trees.view(), device.span(), occluded.span(), {.layout = layout});
      const std::vector<Hit> got = hits.download();
      const std::vector<u8> got_any = occluded.download();
      for (size_t i = 0; i < rays.size(); ++i) {
        const Hit expected = test::brute_force_hit({host_view(mesh)}, rays[i]);
        ASSERT_TRUE(test::same_bits(got[i], expected)) << name_of(layout) << ", " << test::text(rays[i]);
        ASSERT_EQ(got_any[i], is_hit(expected) ? 1 : 0) << name_of(layout) << ", " << test::text(rays[i]);
      }
    }
  }

  TraceChoice chosen(const RayTrees& trees, const std::vector<Ray>& rays, const TraceTreesOptions& options = {}) {
    const Buffer<Ray> device(context(), rays);
    Buffer<Hit> hits(context(), rays.size());
    Buffer<u32> word(context(), 1);
    TraceTreesOptions with_word = options;
    with_word.chosen = word.span();
    closest_hits(context(), trees.view(), device.span(), hits.span(), with_word);
    return TraceChoice::of(word.download()[0]);
  }

  RayTrees make(const DeviceMesh& mesh) {
    return make_ray_trees(context(), build(context(), mesh.view(), HplocOptions{}), mesh.view());
  }
};

/// A small picture, with this many rays along an edge.
std::vector<Ray> rays_together(u32 across = 64, const vec3& origin = vec3(0, 0, 3)) {
  const float step = 0.064f / float(across);
  std::vector<Ray> rays;
  for (u32 i = 0; i < across * across; ++i) {
    rays.push_back({origin, 0, vec3(float(i % across) * step, float(i / across) * step, -1), infinity});
  }
  return rays;
}

std::vector<Ray> rays_apart() {
  test::RayMaker make(7);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 4096; ++i) rays.push_back({vec3(0), 0, make.point(-1, 1), infinity});
  return rays;
}

TEST_P(TraceTrees, FindTheHitsOfBruteForce) {
  for (const Mesh& mesh : {generate_random(600, 0.2f), generate_sphere(3), generate_cube()}) {
    const DeviceMesh device(context(), mesh);
    const RayTrees trees = make(device);
    ASSERT_NO_FATAL_FAILURE(expect_brute_force(trees, mesh, test::difficult_rays(mesh, 1000, 1)));
    ASSERT_NO_FATAL_FAILURE(expect_brute_force(trees, mesh, rays_together()));
    ASSERT_NO_FATAL_FAILURE(expect_brute_force(trees, mesh, {}));
  }
}

/// On CUDA, the number of the 5,120 triangles per ray decides, and where the rays start.
TEST_P(TraceTrees, SuitTheirChoiceToTheFinenessOfTriangles) {
  if (GetParam() != Backend::cuda) GTEST_SKIP() << "the CPU goes by the directions alone";
  const DeviceMesh device(context(), generate_sphere(4));
  const RayTrees trees = make(device);
  const auto expect = [&](const std::vector<Ray>& rays, TraceLayout layout, TraceKernel kernel) {
    const TraceChoice choice = chosen(trees, rays);
    EXPECT_EQ(choice.layout, layout) << rays.size();
    EXPECT_EQ(choice.kernel, kernel) << rays.size();
  };
  const vec3 inside(0.1f);
  expect(rays_together(64), TraceLayout::wide, TraceKernel::persistent);
  expect(rays_together(80), TraceLayout::wide, TraceKernel::persistent);
  expect(rays_together(128), TraceLayout::binary, TraceKernel::thread_per_ray);
  expect(rays_together(512), TraceLayout::binary, TraceKernel::packets);
  expect(rays_together(64, inside), TraceLayout::wide, TraceKernel::persistent);
  expect(rays_together(80, inside), TraceLayout::binary, TraceKernel::thread_per_ray);
}

TEST_P(TraceTrees, SayWhatTheyChose) {
  const DeviceMesh device(context(), generate_sphere(4));
  const RayTrees trees = make(device);
  EXPECT_EQ(chosen(trees, rays_together(128)).layout, TraceLayout::binary);
  EXPECT_EQ(chosen(trees, rays_apart()).layout, TraceLayout::wide);
  for (const TraceLayout layout : {TraceLayout::binary, TraceLayout::wide}) {
    const TraceChoice choice = chosen(trees, rays_apart(), {.layout = layout});
    EXPECT_EQ(choice.layout, layout);
    EXPECT_NE(choice.kernel, TraceKernel::automatic);
  }
  if (GetParam() == Backend::cuda) {
    EXPECT_EQ(chosen(trees, rays_together(128)).kernel, TraceKernel::thread_per_ray);
    EXPECT_EQ(chosen(trees, rays_apart()).kernel, TraceKernel::persistent);
  }
  const DeviceMesh few(context(), generate_cube());
  EXPECT_EQ(chosen(make(few), rays_apart()).layout, TraceLayout::binary);
}

TEST_P(TraceTrees, ABatchOfNoRaysLeavesWhatTheyChose) {
  const DeviceMesh device(context(), generate_sphere(4));
  TriangleView masked = device.view();
  masked.mask = 2;
  const RayTrees trees = make(device);
  const RayTrees masked_trees = make_ray_trees(context(), build(context(), masked, HplocOptions{}), masked);
  constexpr u32 before = 0xabcdef;
  for (const TraceLayout layout : layouts) {
    for (const RayTrees* each : {&trees, &masked_trees}) {
      Buffer<u32> word(context(), std::vector<u32>{before});
      closest_hits(context(), each->view(), {}, BufferSpan<Hit>{}, {.layout = layout, .chosen = word.span()});
      any_hits(context(), each->view(), {}, BufferSpan<u8>{}, {.layout = layout, .chosen = word.span()});
      EXPECT_EQ(word.download()[0], before) << name_of(layout);
    }
  }
}

TEST_P(TraceTrees, FollowRefitsAndRebuilds) {
  Mesh mesh = generate_sphere(3);
  const DeviceMesh before(context(), mesh);
  RayTrees trees = make(before);
  for (vec3& p : mesh.positions) p = p * vec3(2, 0.5f, 1) + vec3(1, 1, 1);
  const DeviceMesh stretched(context(), mesh);
  refit(context(), trees, stretched.view());
  const std::vector<Ray> rays = test::difficult_rays(mesh, 500, 2);
  ASSERT_NO_FATAL_FAILURE(expect_brute_force(trees, mesh, rays));
  rebuild(context(), trees.binary, stretched.view(), LbvhOptions{});
  collapse(context(), trees, stretched.view());
  ASSERT_NO_FATAL_FAILURE(expect_brute_force(trees, mesh, rays));
  EXPECT_EQ(trees.size_bytes(), trees.binary.size_bytes() + trees.wide.size_bytes() +
                                    2 * mesh.triangles.size() * sizeof(PackedTriangle));
}

TEST_P(TraceTrees, AreTracedAgainByACapturedGraph) {
  const Mesh mesh = generate_sphere(3);
  const DeviceMesh device(context(), mesh);
  const RayTrees trees = make(device);
  Buffer<Ray> rays(context(), rays_together());
  Buffer<Hit> hits(context(), rays.size());
  Buffer<u32> word(context(), 1);
  const auto work = [&] {
    closest_hits(context(), trees.view(), rays.span(), hits.span(), {.chosen = word.span()});
  };
  work();
  Graph graph = context().capture(work);
  const std::vector<Ray> apart = rays_apart();
  rays.upload(apart);
  graph.launch();
  EXPECT_EQ(TraceChoice::of(word.download()[0]).layout, TraceLayout::wide);
  const std::vector<Hit> got = hits.download();
  for (size_t i = 0; i < apart.size(); i += 7) {
    ASSERT_TRUE(test::same_bits(got[i], test::brute_force_hit({host_view(mesh)}, apart[i])));
  }
}

TEST_P(TraceTrees, MasksOfViewsAndRaysHold) {
  const Mesh mesh = generate_sphere(3);
  const DeviceMesh device(context(), mesh);
  TriangleView view = device.view();
  view.mask = 2;
  const RayTrees trees = make_ray_trees(context(), build(context(), view, HplocOptions{}), view);
  const std::vector<Ray> rays = rays_together();
  std::vector<u32> masks(rays.size());
  for (size_t i = 0; i < masks.size(); ++i) masks[i] = u32(i % 4);
  const Buffer<Ray> device_rays(context(), rays);
  const Buffer<u32> device_masks(context(), masks);
  Buffer<Hit> hits(context(), rays.size());
  for (const TraceLayout layout : layouts) {
    closest_hits(context(), trees.view(), device_rays.span(), hits.span(),
                 {.layout = layout, .masks = device_masks.span()});
    const std::vector<Hit> got = hits.download();
    for (size_t i = 0; i < rays.size(); ++i) {
      const bool is_there = (masks[i] & 2) != 0 && is_hit(test::brute_force_hit({host_view(mesh)}, rays[i]));
      ASSERT_EQ(is_hit(got[i]), is_there) << i;
    }
  }
}

TEST_P(TraceTrees, RefuseWhatDoesNotFit) {
  const DeviceMesh device(context(), generate_cube()), other(context(), generate_sphere(1));
  RayTrees trees = make(device);
  Buffer<Ray> rays(context(), 4);
  Buffer<Hit> hits(context(), 4);
  Buffer<u32> words(context(), 2);
  EXPECT_COPSE_ERROR(closest_hits(context(), trees.view(), rays.span(), hits.span().first(3)),
                     ErrorCode::invalid_argument, "3 results, but the number of rays is 4");
  EXPECT_COPSE_ERROR(closest_hits(context(), trees.view(), rays.span(), hits.span(), {.chosen = words.span()}),
                     ErrorCode::invalid_argument, "2 choices");
  EXPECT_COPSE_ERROR(closest_hits(context(), RayTreesView{}, rays.span(), hits.span()),
                     ErrorCode::invalid_argument, "0 nodes");
  const Buffer<u32> masks(context(), std::vector<u32>(12, 1));
  RayTreesView half = trees.view();
  half.wide_masks = masks.span();
  EXPECT_COPSE_ERROR(closest_hits(context(), half, rays.span(), hits.span()), ErrorCode::invalid_argument,
                     "0 and 12 masks");
  EXPECT_COPSE_ERROR(refit(context(), trees, other.view()), ErrorCode::invalid_argument, "built over 12");
  EXPECT_COPSE_ERROR(collapse(context(), trees, other.view()), ErrorCode::invalid_argument, "built over 12");
}

COPSE_ON_EACH_BACKEND(TraceTrees);

}  // namespace
}  // namespace copse
