// An Accel with splits gives the answers of one without, bit for bit: each triangle once, however many of its places a
// ray or a query reaches.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "accel/accel_file.h"
#include "accel/accel_hit_view.h"
#include "accel/accel_hits.h"
#include "accel/accel_queries.h"
#include "builders/bvh/validate.h"
#include "motion/motion_accel.h"
#include "primitives/core/graph.h"
#include "tests/accel/accels.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/queries/query_oracle.h"
#include "tests/support/filled_memory.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/wide_bvh.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::SceneOfViews;

/// Boards through the whole box between small triangles, and some that are no triangles.
Mesh boards(u32 seed) {
  test::RayMaker make(seed);
  Mesh mesh = generate_random(150, 0.05f);
  for (u32 i = 0; i < 80; ++i) {
    const vec3 from = make.point(0, 1), to = make.point(0, 1), aside = make.point(-0.2f, 0.2f);
    const u32 first = u32(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), {from, to, from + aside});
    mesh.triangles.push_back(uvec3(first, first + 1, first + 2));
  }
  mesh.positions.push_back(vec3(infinity));
  mesh.triangles.push_back(uvec3(0, 1, u32(mesh.positions.size()) - 1));
  return mesh;
}

/// The boards twice, so that each triangle stands in the place of another one.
std::vector<Mesh> boards_twice() {
  return {boards(3), generate_sphere(2), boards(3)};
}

Mesh sheared(Mesh mesh) {
  for (vec3& p : mesh.positions) p = vec3(p.x + 0.3f * p.y, p.y * 0.9f, p.z - 0.4f * p.x);
  return mesh;
}

std::vector<Ray> rays_at_boards() {
  std::vector<Ray> rays = test::difficult_rays(boards(3), 400, 1);
  test::RayMaker make(9);
  for (u32 i = 0; i < 200; ++i) {
    const vec3 from = make.point(-0.3f, 1.3f);
    rays.push_back({from, 0, make.point(-0.3f, 1.3f) - from, i % 4 == 0 ? 0.6f : infinity});
  }
  return rays;
}

/// All that is asked of an Accel, in an order that depends on no tree.
struct SplitAnswers {
  std::vector<Hit> closest, first, all;
  std::vector<u8> any, inside;
  std::vector<u32> counts, overlap_counts;
  std::vector<u64> offsets;
  std::vector<NearestPoint> nearest;
  std::vector<Neighbour> neighbours;
  std::vector<std::vector<u32>> overlaps;
  std::vector<std::pair<u32, u32>> pairs;
};

template <class Region>
void ask_overlaps(Context& context, const Accel& accel, const std::vector<Region>& regions,
                  SplitAnswers& answers) {
  const Buffer<Region> queries(context, regions);
  Buffer<u32> counts(context, regions.size());
  count_overlaps<Region>(context, accel, queries.span(), counts.span());
  for (const u32 count : counts.download()) answers.overlap_counts.push_back(count);
  const OverlapLists lists = all_overlaps<Region>(context, accel, queries.span());
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<u32> ids = lists.primitives.download();
  for (size_t i = 0; i < regions.size(); ++i) {
    answers.overlaps.emplace_back(ids.begin() + i64(offsets[i]), ids.begin() + i64(offsets[i + 1]));
    std::sort(answers.overlaps.back().begin(), answers.overlaps.back().end());
  }
}

SplitAnswers ask_all(Context& context, const Accel& accel) {
  constexpr u32 k = 3;
  const Buffer<Ray> rays(context, rays_at_boards());
  Buffer<Hit> closest(context, rays.size()), first(context, k * rays.size());
  Buffer<u8> any(context, rays.size());
  Buffer<u32> counts(context, rays.size());
  closest_hits(context, accel, rays.span(), closest.span());
  any_hits(context, accel, rays.span(), any.span());
  first_hits(context, accel, rays.span(), first.span());
  count_hits(context, accel, rays.span(), counts.span());
  const HitLists lists = all_hits(context, accel, rays.span());
  const Buffer<vec3> points(context, test::difficult_points(boards(3), 200, 5));
  Buffer<NearestPoint> nearest(context, points.size());
  Buffer<Neighbour> neighbours(context, 5 * points.size());
  Buffer<u8> inside(context, points.size());
  nearest_points(context, accel, points.span(), nearest.span());
  nearest_primitives(context, accel, points.span(), neighbours.span());
  points_inside(context, accel, points.span(), inside.span());
  SplitAnswers answers{.closest = closest.download(),
                       .first = first.download(),
                       .all = lists.hits.download(),
                       .any = any.download(),
                       .inside = inside.download(),
                       .counts = counts.download(),
                       .overlap_counts = {},
                       .offsets = lists.offsets.download(),
                       .nearest = nearest.download(),
                       .neighbours = neighbours.download(),
                       .overlaps = {},
                       .pairs = {}};
  test::RayMaker make(11);
  std::vector<Sphere> spheres;
  std::vector<Aabb> boxes;
  for (u32 i = 0; i < 60; ++i) {
    const vec3 at = make.point(0, 1);
    spheres.push_back({at, 0.15f});
    boxes.push_back({at - 0.1f, at + 0.1f});
  }
  ask_overlaps(context, accel, spheres, answers);
  ask_overlaps(context, accel, boxes, answers);
  for (const PrimitivePair& pair : self_overlaps(context, accel).download()) {
    answers.pairs.emplace_back(pair.first, pair.second);
  }
  std::sort(answers.pairs.begin(), answers.pairs.end());
  return answers;
}

void expect_same_answers(const SplitAnswers& got, const SplitAnswers& expected, const std::string& name) {
  EXPECT_TRUE(test::same_bytes(got.closest, expected.closest)) << name;
  EXPECT_TRUE(test::same_bytes(got.first, expected.first)) << name;
  EXPECT_EQ(got.any, expected.any) << name;
  EXPECT_EQ(got.counts, expected.counts) << name;
  EXPECT_EQ(got.offsets, expected.offsets) << name;
  EXPECT_TRUE(test::same_bytes(got.all, expected.all)) << name;
  EXPECT_TRUE(test::same_bytes(got.nearest, expected.nearest)) << name;
  EXPECT_TRUE(test::same_bytes(got.neighbours, expected.neighbours)) << name;
  EXPECT_EQ(got.overlap_counts, expected.overlap_counts) << name;
  EXPECT_EQ(got.overlaps, expected.overlaps) << name;
  EXPECT_EQ(got.pairs, expected.pairs) << name;
  EXPECT_GT(got.pairs.size(), 100u) << name;
  EXPECT_GT(got.all.size(), 500u) << name;
}

bool has_repeats_in_leaves(const Accel& accel) {
  const WideBvhCounts counts = accel.tree().counts.download()[0];
  return counts.primitive_count + counts.invalid_count > accel.triangle_count();
}

class AccelSplits : public test::OnEachBackend {
 protected:
  void SetUp() override {
    OnEachBackend::SetUp();
    if (!IsSkipped()) views_.emplace(context(), boards_twice(), std::vector<u32>{1, 2, 4});
  }
  const std::vector<TriangleView>& views() const { return views_->device(); }

 private:
  std::optional<SceneOfViews> views_;
};

TEST_P(AccelSplits, AnswerAsThoseWithout) {
  const SplitAnswers expected = ask_all(context(), build(context(), views()));
  for (const Quality quality : test::all_qualities) {
    for (const float splits : {1.3f, 4.0f}) {
      const Accel accel = build(context(), views(), {.quality = quality, .splits = splits});
      EXPECT_TRUE(has_repeats_in_leaves(accel));
      EXPECT_TRUE(validate(context(), accel.tree(), views()).is_valid());
      expect_same_answers(ask_all(context(), accel), expected, name_of(quality));
    }
  }
}

TEST_P(AccelSplits, AnswerTheSameRefittedRebuiltAndCompacted) {
  const std::vector<Mesh> meshes = boards_twice();
  const SceneOfViews moved(context(), {sheared(meshes[0]), meshes[1], sheared(meshes[2])}, {1, 2, 4});
  const SplitAnswers before = ask_all(context(), build(context(), views()));
  const SplitAnswers after = ask_all(context(), build(context(), moved.device()));
  Accel accel = build(context(), views(), AccelOptions{.splits = 2});
  refit(context(), accel, moved.device());
  expect_same_answers(ask_all(context(), accel), after, "refitted");
  rebuild(context(), accel, views());
  expect_same_answers(ask_all(context(), accel), before, "rebuilt");
  compact(context(), accel);
  EXPECT_EQ(accel.capacity(), accel.triangle_count());
  expect_same_answers(ask_all(context(), accel), before, "compacted");
  refit(context(), accel, moved.device());
  expect_same_answers(ask_all(context(), accel), after, "compacted and refitted");
  EXPECT_COPSE_ERROR(rebuild(context(), accel, views()), ErrorCode::invalid_argument, "was compacted");
}

TEST_P(AccelSplits, AreSavedAndLoaded) {
  const Mesh mesh = boards(5);
  const DeviceMesh device(context(), mesh);
  Accel accel = build(context(), device.view(), AccelOptions{.splits = 1.5f});
  const SplitAnswers expected = ask_all(context(), build(context(), device.view()));
  const test::TemporaryFolder folder;
  for (const char* state : {"whole", "compacted"}) {
    save_accel(folder / "a.copse", context(), mesh, accel);
    AccelFile file = load_accel(folder / "a.copse", context());
    EXPECT_TRUE(has_repeats_in_leaves(file.accel)) << state;
    EXPECT_GT(file.accel.options().splits, 1.3f) << state;
    EXPECT_LE(file.accel.options().splits, 1.5f) << state;
    EXPECT_TRUE(validate(context(), file.accel.tree(), device.view()).is_valid()) << state;
    expect_same_answers(ask_all(context(), file.accel), expected, state);
    refit(context(), file.accel, device.view());
    expect_same_answers(ask_all(context(), file.accel), expected, std::string(state) + " and refitted");
    if (GetParam() == Backend::cpu) {
      const MappedAccel mapped = map_accel(folder / "a.copse");
      EXPECT_TRUE(has_repeats_in_leaves(mapped.accel)) << state;
      expect_same_answers(ask_all(context(), mapped.accel), expected, std::string(state) + " and mapped");
    }
    compact(context(), accel);
  }
}

TEST_P(AccelSplits, HaveTheSameBytesWhateverMemoryHeldBefore) {
  std::vector<u8> repeats[2];
  for (const u8 filling : {0, 1}) {
    test::FilledMemory memory(context(), filling == 0 ? 0xff : 0x25);
    Context filled({.backend = GetParam(), .stream = context().stream(), .memory = &memory});
    const Accel accel = build(filled, views(), AccelOptions{.splits = 1.5f});
    const Buffer<RepeatedPlace>& all = accel.tree().repeats;
    repeats[filling].resize(all.size() * sizeof(RepeatedPlace));
    filled.device().download(repeats[filling].data(), all.data(), repeats[filling].size());
  }
  EXPECT_EQ(repeats[0], repeats[1]);
}

/// Notes each call, and accepts the hits on every third triangle.
struct EveryThird {
  std::vector<std::pair<u32, u32>>& asked;
  FilterAnswer operator()(const Hit& hit) const {
    asked.emplace_back(hit.geometry, hit.primitive);
    return hit.primitive % 3 == 0 ? FilterAnswer::accept : FilterAnswer::pass_over;
  }
};

TEST(AccelSplitsOnHost, AskFiltersOncePerTriangle) {
  Context context({.backend = Backend::cpu});
  const SceneOfViews views(context, boards_twice());
  const Accel plain = build(context, views.device()),
              split = build(context, views.device(), AccelOptions{.splits = 4});
  u64 asked_count = 0;
  for (const Ray& ray : rays_at_boards()) {
    std::vector<std::pair<u32, u32>> asked, expected_asked;
    const Hit hit = closest_hit(split.view(), ray, EveryThird{asked});
    EXPECT_TRUE(test::same_bits(hit, closest_hit(plain.view(), ray, EveryThird{expected_asked})));
    std::sort(asked.begin(), asked.end());
    EXPECT_TRUE(std::adjacent_find(asked.begin(), asked.end()) == asked.end()) << test::text(ray);
    asked.clear(), expected_asked.clear();
    const auto pass_over_all = [](std::vector<std::pair<u32, u32>>& calls) {
      return [&calls](const Hit& each) {
        calls.emplace_back(each.geometry, each.primitive);
        return FilterAnswer::pass_over;
      };
    };
    EXPECT_FALSE(any_hit(split.view(), ray, pass_over_all(asked)));
    EXPECT_FALSE(any_hit(plain.view(), ray, pass_over_all(expected_asked)));
    std::sort(asked.begin(), asked.end());
    std::sort(expected_asked.begin(), expected_asked.end());
    EXPECT_EQ(asked, expected_asked) << test::text(ray);
    EXPECT_EQ(count_hits(split.view(), ray), expected_asked.size());
    asked_count += asked.size();
  }
  EXPECT_GT(asked_count, 1000u);
}

TEST_P(AccelSplits, HaveSizesThatAreKnownBeforehand) {
  const u64 n = TriangleViews(views()).primitive_count();
  for (const Quality quality : test::all_qualities) {
    const AccelOptions options{.quality = quality, .splits = 1.7f};
    Context fresh({.backend = GetParam()});
    const BuildSizes sizes = build_sizes(fresh, n, options, views().size());
    const Accel accel = build(fresh, views(), options);
    EXPECT_EQ(accel.size_bytes(), sizes.result_bytes + reference_count(n, 1.7f) * sizeof(u32));  // and masks
    EXPECT_EQ(fresh.scratch_bytes(), sizes.scratch_bytes) << name_of(quality);
  }
  const AccelOptions roomy{.capacity = 2 * n, .splits = 1.7f};
  EXPECT_EQ(build(context(), views(), roomy).capacity(), 2 * n);
}

TEST_P(AccelSplits, AreRebuiltInACapturedGraph) {
  Accel accel = build(context(), views(), AccelOptions{.splits = 1.5f}),
        expected = build(context(), views(), AccelOptions{.splits = 1.5f});
  Graph graph = context().capture([&] { rebuild(context(), accel, views()); });
  refit(context(), accel, views());
  graph.launch();
  EXPECT_TRUE(test::same_bytes(test::WideCopy(accel.tree()), test::WideCopy(expected.tree())));
  const u32 places = accel.tree().counts.download()[0].primitive_count;
  EXPECT_TRUE(test::same_bytes(accel.tree().repeats.download(places), expected.tree().repeats.download(places)));
}

TEST_P(AccelSplits, RefuseWhatHasNoMeaning) {
  constexpr ErrorCode invalid = ErrorCode::invalid_argument;
  for (const float splits : {0.5f, 4.5f, -infinity}) {
    EXPECT_COPSE_ERROR(build(context(), views(), AccelOptions{.splits = splits}), invalid,
                       "splits is " + std::to_string(splits) + "; it can be 1 to 4");
  }
  EXPECT_COPSE_ERROR(build_sizes(context(), u64{1} << 31, AccelOptions{.splits = 1.25f}), ErrorCode::capacity,
                     "2684354560 references to split triangles, at most 2147483648 fit in one tree");
  const Accel accel = build(context(), views(), AccelOptions{.splits = 2});
  EXPECT_COPSE_ERROR(self_overlaps(context(), accel, {.exact_triangles = false}), invalid,
                     "self_overlaps: exact_triangles is false, but the structure has splits");
  const DeviceMesh mesh(context(), generate_cube());
  EXPECT_COPSE_ERROR(build(context(), MotionTriangles(std::vector<TriangleView>{mesh.view(), mesh.view()}),
                           AccelOptions{.splits = 1.25f}),
                     invalid, "options.splits is 1.250000, but triangles that move cannot be split; it must be 1");
}

/// Where no GPU answers, the CPU is compared with itself on one thread.
TEST_P(AccelSplits, AreTheSameOnEveryBackend) {
  Context one_thread({.backend = Backend::cpu, .workers = 1});
  const SceneOfViews other(one_thread, boards_twice(), {1, 2, 4});
  for (const Quality quality : test::all_qualities) {
    const AccelOptions options{.quality = quality, .splits = 1.5f};
    const Accel a = build(context(), views(), options), b = build(one_thread, other.device(), options);
    EXPECT_TRUE(test::same_bytes(test::WideCopy(a.tree()), test::WideCopy(b.tree()))) << name_of(quality);
    const u32 places = a.tree().counts.download()[0].primitive_count;
    EXPECT_TRUE(test::same_bytes(a.tree().repeats.download(places), b.tree().repeats.download(places)));
    EXPECT_TRUE(test::same_bytes(a.packed_triangles().triangles.download(places),
                                 b.packed_triangles().triangles.download(places)));
  }
}

COPSE_ON_EACH_BACKEND(AccelSplits);

}  // namespace
}  // namespace copse
