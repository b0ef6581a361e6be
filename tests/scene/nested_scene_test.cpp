// Rays through scenes of scenes find what brute force finds when it goes down all paths to all triangles.

#include "scene/nested_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "primitives/core/graph.h"
#include "scene/nested_rays.h"
#include "scene/nested_view.h"
#include "tests/scene/scenes.h"

namespace copse {
namespace {

using test::Models;

constexpr ErrorCode invalid = ErrorCode::invalid_argument;

/// A scene as brute force sees it.
struct SlowScene {
  struct Part {
    const Mesh* mesh;  // null: a scene
    const SlowScene* scene;
  };
  std::vector<Part> parts;
  std::vector<Instance> instances;
  std::vector<Aabb> boxes;
};

/// A hit, and its t as the mesh has it.
struct NestedCandidate {
  NestedHit hit;
  float t_in_mesh;
};

struct SlowSearch {
  u32 mask = ~u32{0};
  Cull cull = Cull::none;
  std::vector<NestedCandidate> found = {};

  struct Step {
    Ray ray;
    Aabb box;
    u32 instance;
  };
  std::vector<Step> path = {};

  void in_mesh(const Mesh& mesh, const Ray& ray, Cull side) {
    if (!is_traceable(ray)) return;
    const RayShear shear = make_shear(ray);
    const TriangleView view = test::host_view(mesh);
    for (u32 k = 0; k < view.triangle_count(); ++k) {
      const Triangle triangle = load_triangle(view, k);
      TriangleHit hit;
      if (side != Cull::none && detail::is_culled(triangle, ray.direction, side)) continue;
      if (!intersect_triangle(shear, triangle, ray.t_min, ray.t_max, hit)) continue;
      NestedCandidate candidate{NestedHit::miss(hit.t), hit.t};
      bool is_hit = true;
      for (size_t step = path.size(); step-- > 0;) {
        is_hit = is_hit && detail::bring_into_box(path[step].ray, path[step].box, candidate.hit.t);
        candidate.hit.path[step] = path[step].instance;
      }
      if (!is_hit || candidate.hit.t > ray.t_max) continue;
      candidate.hit.primitive = k, candidate.hit.geometry = 7, candidate.hit.u = hit.u, candidate.hit.v = hit.v;
      found.push_back(candidate);
    }
  }

  void in_scene(const SlowScene& scene, const Ray& ray, Cull side) {
    if (!is_traceable(ray)) return;
    for (u32 i = 0; i < scene.instances.size(); ++i) {
      const Instance& instance = scene.instances[i];
      if (is_empty(scene.boxes[i]) || (instance.mask & mask) == 0) continue;
      detail::PlacedInstance placed{};
      EXPECT_TRUE(detail::Affine::of(&instance.rows[0][0]).store_inverse(placed.rows));
      placed.flags = instance.flags;
      const SlowScene::Part& part = scene.parts[instance.accel];
      path.push_back({ray, scene.boxes[i], i});
      const Ray below = placed.into_mesh(ray, ray.t_max);
      if (part.mesh != nullptr) in_mesh(*part.mesh, below, placed.culled_side(side));
      if (part.scene != nullptr) in_scene(*part.scene, below, placed.culled_side(side));
      path.pop_back();
    }
  }

  /// All hits, in order.
  std::vector<NestedHit> hits(const SlowScene& scene, const Ray& ray) {
    in_scene(scene, ray, cull);
    std::stable_sort(found.begin(), found.end(), [](const NestedCandidate& a, const NestedCandidate& b) {
      if (a.hit.t != b.hit.t) return a.hit.t < b.hit.t;
      const i32 order = detail::compare_paths(a.hit, b.hit);
      return order == 0 ? a.t_in_mesh < b.t_in_mesh : order < 0;
    });
    std::vector<NestedHit> sorted;
    for (const NestedCandidate& candidate : found) sorted.push_back(candidate.hit);
    return sorted;
  }
};

bool same_bits(const NestedHit& a, const NestedHit& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

std::string text(const NestedHit& hit) {
  std::string path;
  for (u32 k = 0; k < hit.path_length(); ++k) path += " " + std::to_string(hit.path[k]);
  return test::text(NestedSceneView::in_mesh(hit)) + " path" + path;
}

std::vector<NestedHit> closest(Context& context, const NestedScene& scene, const std::vector<Ray>& rays,
                               const SceneTraceOptions& options = {}) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<NestedHit> hits(context, rays.size());
  closest_hits(context, scene, device_rays.span(), hits.span(), options);
  return hits.download();
}

/// Three levels of instances: twigs of meshes, branches of twigs and meshes, and a tree of all of them. Some instances
/// stand where others do, and flags and masks are on all levels.
struct Grove {
  Models models;
  Scene twig;
  NestedScene branch, tree;
  SlowScene slow_twig, slow_branch, slow_tree;
  std::vector<Ray> rays;

  explicit Grove(Context& context, const SceneOptions& options = {})
      : models(context, {generate_sphere(1), generate_cube(), generate_random(40, 0.3f), {}}) {
    slow_twig.instances = test::random_instances(7, 4, 5, 1.5f);
    slow_branch.instances = test::random_instances(5, 2, 6, 3);
    slow_tree.instances = test::random_instances(7, 3, 7, 5);
    for (SlowScene* slow : {&slow_twig, &slow_branch, &slow_tree}) {
      slow->instances[0].mask = ~u32{0};
      slow->instances.push_back(slow->instances[0]);
      slow->instances[1].flags = InstanceFlags::flips_facing;
      slow->instances[2].flags = InstanceFlags(slow == &slow_branch ? 3 : 1);
    }
    for (const Mesh& mesh : models.meshes) slow_twig.parts.push_back({&mesh, nullptr});
    slow_branch.parts = {{nullptr, &slow_twig}, {&models.meshes[1], nullptr}};
    slow_tree.parts = {{nullptr, &slow_branch}, {nullptr, &slow_twig}, {&models.meshes[0], nullptr}};
    build_all(context, options);
    make_rays();
  }

  void build_all(Context& context, const SceneOptions& options) {
    twig = build(context, models.accels, slow_twig.instances, options);
    branch = build_nested(context, {twig, models.accels[1]}, slow_branch.instances, options);
    tree = build_nested(context, {branch, twig, models.accels[0]}, slow_tree.instances, options);
    read_boxes(context);
  }

  void read_boxes(Context& context) {
    slow_twig.boxes = download(context, twig.boxes());
    slow_branch.boxes = download(context, branch.boxes());
    slow_tree.boxes = download(context, tree.boxes());
  }

  /// Rays at the places of all triangles.
  void make_rays() {
    Mesh all;
    add_triangles(slow_tree, {}, all);
    rays = test::difficult_rays(all, 250, 3);
    for (const Ray& ray : test::rays_that_are_none(rays[0])) rays.push_back(ray);
  }

  static void add_triangles(const SlowScene& scene, const std::vector<Instance>& above, Mesh& all) {
    for (const Instance& instance : scene.instances) {
      std::vector<Instance> path = above;
      path.push_back(instance);
      const SlowScene::Part& part = scene.parts[instance.accel];
      if (part.scene != nullptr) add_triangles(*part.scene, path, all);
      if (part.mesh == nullptr) continue;
      const u32 first = u32(all.positions.size());
      for (vec3 p : part.mesh->positions) {
        for (size_t k = path.size(); k-- > 0;) p = vec3(test::placed(path[k], p));
        all.positions.push_back(p);
      }
      for (const uvec3& t : part.mesh->triangles) all.triangles.push_back(t + first);
    }
  }

  std::vector<NestedHit> hits(const Ray& ray, u32 mask = ~u32{0}, Cull cull = Cull::none) const {
    return SlowSearch{mask, cull}.hits(slow_tree, ray);
  }
  NestedHit hit(const Ray& ray, u32 mask = ~u32{0}, Cull cull = Cull::none) const {
    const std::vector<NestedHit> all = hits(ray, mask, cull);
    return all.empty() ? NestedHit::miss(ray.t_max) : all[0];
  }

  /// Closest and any hits are those of brute force.
  void expect_hits(Context& context, const std::string& name, const SceneTraceOptions& options = {}) const {
    const Buffer<Ray> device_rays(context, rays);
    Buffer<u8> occluded(context, rays.size());
    any_hits(context, tree, device_rays.span(), occluded.span(), options);
    const std::vector<u8> any = occluded.download();
    const std::vector<NestedHit> found = closest(context, tree, rays, options);
    u32 deep = 0;
    for (u32 i = 0; i < rays.size(); ++i) {
      const NestedHit expected = hit(rays[i], options.mask, options.cull);
      ASSERT_TRUE(same_bits(found[i], expected))
          << name << ": " << test::text(rays[i]) << ": " << text(found[i]) << ", expected " << text(expected);
      ASSERT_EQ(any[i], is_hit(expected)) << name << ": " << test::text(rays[i]);
      deep += expected.path_length() == 3;
    }
    EXPECT_GT(deep, 10u) << name;
  }
};

class NestedScenes : public test::OnEachBackend {};

TEST_P(NestedScenes, FindTheHitsOfBruteForceDownAllPaths) {
  for (const Quality quality : test::all_qualities) {
    const Grove grove(context(), {.quality = quality});
    EXPECT_EQ(grove.tree.level_count(), 3u);
    ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), name_of(quality)));
  }
}

TEST_P(NestedScenes, HaveTheSameHitsWhenTheyAreOpened) {
  const Grove grove(context(), {.opening = 6});
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "opened"));
}

TEST_P(NestedScenes, CompareMasksAndSidesOnEachLevel) {
  const Grove grove(context());
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "mask", {.mask = 2}));
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "back", {.cull = Cull::back}));
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "front", {.mask = 5, .cull = Cull::front}));
}

TEST_P(NestedScenes, ListHitsInTheOrderOfBruteForce) {
  const Grove grove(context(), {.opening = 3});
  const u32 k = 5;
  const Buffer<Ray> rays(context(), grove.rays);
  Buffer<NestedHit> hits(context(), k * rays.size());
  Buffer<u32> counts(context(), rays.size());
  first_hits(context(), grove.tree, rays.span(), hits.span());
  count_hits(context(), grove.tree, rays.span(), counts.span(), {.cull = Cull::back});
  const std::vector<NestedHit> first = hits.download();
  const std::vector<u32> fronts = counts.download();
  const NestedHitLists lists = all_hits(context(), grove.tree, rays.span());
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<NestedHit> all = lists.hits.download();
  for (u32 i = 0; i < rays.size(); ++i) {
    const std::vector<NestedHit> expected = grove.hits(grove.rays[i]);
    ASSERT_EQ(offsets[i + 1] - offsets[i], expected.size()) << test::text(grove.rays[i]);
    for (u64 j = 0; j < expected.size(); ++j) {
      ASSERT_TRUE(same_bits(all[offsets[i] + j], expected[j])) << text(all[offsets[i] + j]);
    }
    for (u32 j = 0; j < k; ++j) {
      const NestedHit one = j < expected.size() ? expected[j] : NestedHit::miss(grove.rays[i].t_max);
      ASSERT_TRUE(same_bits(first[i * k + j], one)) << text(first[i * k + j]) << ", expected " << text(one);
    }
    ASSERT_EQ(fronts[i], grove.hits(grove.rays[i], ~u32{0}, Cull::back).size());
  }
}

TEST_P(NestedScenes, HaveTheBitsOfFlattenedOnesWhereTransformsAreExact) {
  Mesh coarse = generate_sphere(2);
  for (vec3& p : coarse.positions) p = glm::round(p * 64.0f) / 64.0f;
  const Models models(context(), {coarse, generate_cube()});
  test::RayMaker random(3);
  const auto some = [&](u32 count, float spread) {
    std::vector<Instance> instances;
    for (u32 i = 0; i < count; ++i) {
      Instance instance = Instance::of(glm::mat4x3(std::ldexp(1.0f, int(i % 3) - 1)), i % 2);
      for (auto& row : instance.rows) row[3] = std::round(random.uniform(-spread, spread));
      instances.push_back(instance);
    }
    return instances;
  };
  const std::vector<Instance> low = some(5, 3), middle = some(5, 6), high = some(4, 9);
  const Scene a = build(context(), models.accels, low);
  const NestedScene b = build_nested(context(), {a, a}, middle);
  const NestedScene c = build_nested(context(), {b, b}, high);
  std::vector<Instance> flat;  // in the order of paths
  for (const Instance& top : high) {
    for (const Instance& between : middle) {
      for (Instance one : low) {
        for (const Instance* above : {&between, &top}) {
          for (auto& row : one.rows) {
            const int axis = int(&row - one.rows);
            for (float& number : row) number *= above->rows[0][0];
            row[3] += above->rows[axis][3];
          }
        }
        flat.push_back(one);
      }
    }
  }
  std::vector<Ray> rays;
  for (u32 i = 0; i < 1500; ++i) {
    rays.push_back({glm::round(random.point(-20, 20) * 16.0f) / 16.0f, 0, random.point(-1, 1), infinity});
  }
  const std::vector<SceneHit> expected = test::trace(context(), build(context(), models.accels, flat), rays);
  const std::vector<NestedHit> hits = closest(context(), c, rays);
  u32 hit_count = 0;
  for (u32 i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(test::same_bits(NestedSceneView::in_mesh(hits[i]), SceneView::in_mesh(expected[i])))
        << test::text(rays[i]) << ": " << text(hits[i]) << ", expected " << test::text(expected[i]);
    if (!is_hit(hits[i])) continue;
    ++hit_count;
    ASSERT_EQ((hits[i].path[0] * 5 + hits[i].path[1]) * 5 + hits[i].path[2], expected[i].instance);
  }
  EXPECT_GT(hit_count, 200u);
}

TEST_P(NestedScenes, OfAccelsAloneHaveTheHitsOfAScene) {
  const Models models(context(), test::some_meshes());
  const std::vector<Instance> instances = test::random_instances(60, 4, 11);
  const std::vector<Ray> rays = test::difficult_rays(test::Flattened(models, instances).joined(), 600, 7);
  const std::vector<SceneHit> expected = test::trace(context(), build(context(), models.accels, instances), rays);
  const NestedScene scene =
      build_nested(context(), {models.accels[0], models.accels[1], models.accels[2], models.accels[3]}, instances);
  EXPECT_EQ(scene.level_count(), 1u);
  const std::vector<NestedHit> hits = closest(context(), scene, rays);
  for (u32 i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(test::same_bits(NestedSceneView::in_mesh(hits[i]), SceneView::in_mesh(expected[i])));
    ASSERT_EQ(hits[i].path[0], expected[i].instance);
    ASSERT_EQ(hits[i].path[1], invalid_id);
  }
}

TEST_P(NestedScenes, FollowPartsThatMoveInOneCapturedGraph) {
  Grove grove(context());
  Buffer<Instance> twigs(context(), grove.slow_twig.instances), branches(context(), grove.slow_branch.instances),
      trees(context(), grove.slow_tree.instances);
  const auto frame = [&] {
    refit(context(), grove.twig, InstanceView::of(twigs.span()));
    rebuild(context(), grove.branch, InstanceView::of(branches.span()));
    refit(context(), grove.tree, InstanceView::of(trees.span()));
  };
  frame();
  Graph graph = context().capture(frame);
  for (auto* slow : {&grove.slow_twig, &grove.slow_branch, &grove.slow_tree}) {
    for (Instance& instance : slow->instances) instance.rows[1][3] += 0.7f;
  }
  twigs.upload(grove.slow_twig.instances);
  branches.upload(grove.slow_branch.instances);
  trees.upload(grove.slow_tree.instances);
  graph.launch();
  grove.read_boxes(context());
  grove.make_rays();
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "moved"));
}

TEST_P(NestedScenes, HaveUpTo7LevelsAndKnownSizes) {
  const Models models(context(), {generate_cube()});
  const std::vector<Ray> rays{{{0.1f, 0.2f, 9}, 0, {0, 0, -1}, infinity}};
  std::vector<std::unique_ptr<NestedScene>> levels;
  for (u32 level = 1; level <= max_instance_levels; ++level) {
    std::vector<Instance> one(level);
    for (Instance& instance : one) instance.rows[0][3] = 100;  // out of the way
    one[level - 1].rows[0][3] = 0;
    one[level - 1].id = 10 + level;
    const std::vector<ScenePart> parts{levels.empty() ? ScenePart(models.accels[0]) : ScenePart(*levels.back())};
    const BuildSizes sizes = nested_sizes(context(), level, 1, {});
    levels.push_back(std::make_unique<NestedScene>(build_nested(context(), parts, one)));
    EXPECT_EQ(levels.back()->size_bytes(), sizes.result_bytes);
    const NestedHit hit = closest(context(), *levels.back(), rays)[0];
    ASSERT_EQ(hit.path_length(), level);
    for (u32 k = 0; k < level; ++k) EXPECT_EQ(hit.path[k], level - 1 - k);
    EXPECT_EQ(hit.t, 8);
    if (GetParam() == Backend::cuda) continue;
    context().wait();
    EXPECT_EQ(levels.back()->view().id_of(hit, 0), 10 + level);
    EXPECT_EQ(levels.back()->view().id_of(hit), 11u);
  }
  EXPECT_COPSE_ERROR(build_nested(context(), {*levels.back()}, std::vector<Instance>(1)), ErrorCode::capacity,
                     "part 0 has 7 levels of instances, so that this scene would have one more; it can have 7");
}

TEST_P(NestedScenes, RefuseWhatTheyCannotUse) {
  Grove grove(context());
  NestedScene none;
  EXPECT_COPSE_ERROR(build_nested(context(), {none}, std::vector<Instance>(1)), invalid,
                     "build_nested: the scene was never built");
  EXPECT_COPSE_ERROR(build_nested(context(), {Scene()}, std::vector<Instance>(1)), invalid, "never built");
  std::vector<Instance> wrong(2);
  wrong[1].accel = 3;
  EXPECT_COPSE_ERROR(build_nested(context(), {grove.twig, grove.branch}, wrong), invalid,
                     "build_nested: instance 1 is of part 3, but the scene has 2 parts");
  EXPECT_COPSE_ERROR(build_nested(context(), {grove.twig}, std::vector<Instance>(1), {.opening = 65}), invalid,
                     "build_nested: options.opening is 65");
  const Buffer<Ray> rays(context(), 3);
  Buffer<NestedHit> hits(context(), 2);
  EXPECT_COPSE_ERROR(closest_hits(context(), none, rays.span(), hits.span()), invalid, "never built");
  EXPECT_COPSE_ERROR(closest_hits(context(), grove.tree, rays.span(), hits.span()), invalid, "2 results");
  EXPECT_COPSE_ERROR(rebuild(context(), none, InstanceView{}), invalid, "rebuild: the scene was never built");
}

COPSE_ON_EACH_BACKEND(NestedScenes);

struct SkipsPath {
  u32 first;
  u32 calls = 0;

  FilterAnswer operator()(const NestedHit& hit) {
    ++calls;
    return hit.path[0] == first ? FilterAnswer::pass_over : FilterAnswer::accept;
  }
};

struct CollectsNested {
  std::vector<NestedHit> hits;

  bool operator()(const NestedHit& hit) {
    hits.push_back(hit);
    return true;
  }
};

TEST(NestedFilters, LeaveTheHitsThatTheyAccept) {
  Context context({.backend = Backend::cpu});
  const Grove grove(context);
  context.wait();
  const NestedSceneView view = grove.tree.view();
  for (const Ray& ray : grove.rays) {
    const std::vector<NestedHit> all = grove.hits(ray);
    SkipsPath filter{all.empty() ? 0 : all[0].path[0]};
    std::vector<NestedHit> expected;
    for (const NestedHit& hit : all) {
      if (hit.path[0] != filter.first) expected.push_back(hit);
    }
    const NestedHit closest = closest_hit<2>(view, ray, filter);
    ASSERT_TRUE(expected.empty() ? !is_hit(closest) : same_bits(closest, expected[0])) << test::text(ray);
    ASSERT_EQ(any_hit(view, ray, filter), !expected.empty());
    const HitList<3, NestedHit> list = first_hits<3>(view, ray, filter);
    ASSERT_EQ(list.count, std::min<size_t>(3, expected.size()));
    for (u32 i = 0; i < list.count; ++i) ASSERT_TRUE(same_bits(list.hits[i], expected[i]));
    CollectsNested visited;
    all_hits(view, ray, visited);
    ASSERT_EQ(visited.hits.size(), all.size());
    for (u32 i = 0; i < all.size(); ++i) ASSERT_TRUE(same_bits(visited.hits[i], all[i]));
    ASSERT_EQ(count_hits(view, ray), all.size());
    ASSERT_EQ(is_hit(closest_hit(view, ray)), any_hit(view, ray));
  }
}

}  // namespace
}  // namespace copse
