// Scenes of instances, scenes of scenes, worlds and things that move.

#include "accel/accel_queries.h"
#include "copse/queries.h"
#include "tests/trust/calls.h"

namespace copse::test {

namespace {

constexpr u32 instance_count = 20;

std::vector<Instance> some_instances(float step) {
  std::vector<Instance> instances(instance_count);
  for (u32 i = 0; i < instance_count; ++i) {
    Instance& instance = instances[i];
    instance.rows[0][3] = step * float(i % 5) - 1;
    instance.rows[1][3] = step * float(i / 5) - 1;
    instance.rows[0][0] = 0.5f;
    instance.id = i;
  }
  return instances;
}

/// An accel, instances of it where they are first and where they move to, and room for answers.
struct Placed {
  Placed(Context& c, Given& g)
      : accel(build(c, g.mesh.view(), {.quality = Quality::fast})),
        first(c, some_instances(0.5f)),
        next(c, some_instances(0.7f)),
        hits(c, std::vector<SceneHit>(g.rays.size())) {}

  InstanceView instances() const { return InstanceView::of(first.span()); }
  InstanceView moved() const { return InstanceView::of(next.span()); }

  Accel accel;
  Buffer<Instance> first, next;
  Buffer<SceneHit> hits;
};

struct PlacedScene : Placed {
  PlacedScene(Context& c, Given& g, const SceneOptions& options)
      : Placed(c, g), scene(build(c, accel, instances(), options)) {}
  Scene scene;
};

struct PlacedNested : PlacedScene {
  PlacedNested(Context& c, Given& g)
      : PlacedScene(c, g, {}),
        nested(build_nested(c, {accel, scene}, instances())),
        nested_hits(c, g.rays.size()) {}
  NestedScene nested;
  Buffer<NestedHit> nested_hits;
};

const std::vector<u32> world_begins = {0, 7, instance_count};

struct PlacedWorlds : Placed {
  PlacedWorlds(Context& c, Given& g)
      : Placed(c, g),
        worlds(build_worlds(c, accel, instances(), world_begins)),
        world_of_ray(c, std::vector<u32>(g.rays.size(), 1)) {}
  SceneWorlds worlds;
  Buffer<u32> world_of_ray;
};

const auto placed = [](Context& c, Given& g) { return Placed(c, g); };
const auto placed_scene = [](Context& c, Given& g) { return PlacedScene(c, g, {}); };
const auto placed_nested = [](Context& c, Given& g) { return PlacedNested(c, g); };
const auto placed_worlds = [](Context& c, Given& g) { return PlacedWorlds(c, g); };

template <class SceneType>
Bytes bytes_of_scene(Context& c, const SceneType& scene) {
  Bytes bytes = bytes_of(scene.tree());
  append(bytes, download(c, scene.boxes().first(scene.instance_count())));
  return bytes;
}

/// The worlds have no tree to read: their hits stand for them.
Bytes hits_in_worlds(Context& c, Given& g, PlacedWorlds& p) {
  closest_hits(c, p.worlds, g.rays.span(), std::as_const(p.world_of_ray).span(), p.hits.span());
  return bytes_of(p.hits);
}

Call scene_build_call(const char* name, const SceneOptions& options) {
  return call(name, placed, [options](Context& c, Given&, Placed& p) {
    return bytes_of_scene(c, build(c, p.accel, p.instances(), options));
  });
}

std::vector<Call> scene_build_calls() {
  return {
      scene_build_call("build a fast Scene", {.quality = Quality::fast}),
      scene_build_call("build the best Scene", {.quality = Quality::best}),
      scene_build_call("build an opened Scene", {.opening = 3}),
      call("build a Scene of instances on the host", placed,
           [](Context& c, Given&, Placed& p) {
             const std::vector<Instance> instances = some_instances(0.5f);
             return bytes_of_scene(c, build(c, p.accel, instances));
           }),
      call("rebuild a Scene", placed_scene,
           [](Context& c, Given&, PlacedScene& p) {
             rebuild(c, p.scene, p.moved());
             return bytes_of_scene(c, p.scene);
           }),
      call("refit a Scene", placed_scene,
           [](Context& c, Given&, PlacedScene& p) {
             refit(c, p.scene, p.moved());
             return bytes_of_scene(c, p.scene);
           }),
      call("build_nested", placed_scene,
           [](Context& c, Given&, PlacedScene& p) {
             return bytes_of_scene(c, build_nested(c, {p.accel, p.scene}, p.instances()));
           }),
      call("rebuild and refit a NestedScene", placed_nested,
           [](Context& c, Given&, PlacedNested& p) {
             rebuild(c, p.nested, p.instances());
             refit(c, p.nested, p.moved());
             return bytes_of_scene(c, p.nested);
           }),
      call("build_worlds",
           [](Context& c, Given& g) {
             PlacedWorlds p(c, g);
             return hits_in_worlds(c, g, p);
           }),
      call("rebuild and refit worlds", placed_worlds,
           [](Context& c, Given& g, PlacedWorlds& p) {
             rebuild(c, p.worlds, p.instances());
             refit(c, p.worlds, p.moved());
             return hits_in_worlds(c, g, p);
           }),
  };
}

std::vector<Call> scene_answer_calls() {
  return {
      call("hits in a Scene", placed_scene,
           [](Context& c, Given& g, PlacedScene& p) {
             closest_hits(c, p.scene, g.rays.span(), p.hits.span());
             any_hits(c, p.scene, RaySpan{g.points.span(), g.points.span()}, g.bytes.span());
             return bytes_of(p.hits, g.bytes);
           }),
      call("lists of hits in a Scene", placed_scene,
           [](Context& c, Given& g, PlacedScene& p) {
             Buffer<SceneHit> first(c, 2 * g.rays.size());
             first_hits(c, p.scene, g.rays.span(), first.span());
             const SceneHitLists lists = all_hits(c, p.scene, g.rays.span());
             return bytes_of(first, lists.offsets, lists.hits);
           }),
      call("queries of a Scene", placed_scene,
           [](Context& c, Given& g, PlacedScene& p) {
             Buffer<SceneNearest> nearest(c, g.points.size());
             nearest_points(c, p.scene, g.points.span(), nearest.span());
             points_inside(c, p.scene, g.points.span(), g.bytes.span());
             const SceneOverlapLists lists =
                 all_overlaps<Aabb>(c, p.scene, BufferSpan<const Aabb>(g.boxes.span()));
             return bytes_of(nearest, g.bytes, lists.offsets, lists.overlaps);
           }),
      call("hits in a NestedScene", placed_nested,
           [](Context& c, Given& g, PlacedNested& p) {
             closest_hits(c, p.nested, g.rays.span(), p.nested_hits.span());
             const NestedHitLists lists = all_hits(c, p.nested, g.rays.span());
             return bytes_of(p.nested_hits, lists.offsets, lists.hits);
           }),
      call("queries of a NestedScene", placed_nested,
           [](Context& c, Given& g, PlacedNested& p) {
             Buffer<NestedNearest> nearest(c, g.points.size());
             nearest_points(c, p.nested, g.points.span(), nearest.span());
             const NestedOverlapLists lists =
                 all_overlaps<Aabb>(c, p.nested, BufferSpan<const Aabb>(g.boxes.span()));
             return bytes_of(nearest, lists.offsets, lists.overlaps);
           }),
  };
}

MotionTriangles keys_of(Given& g) {
  return MotionTriangles(std::vector<TriangleView>{g.mesh.view(), g.moved.view()});
}
MotionTriangles keys_back(Given& g) {
  return MotionTriangles(std::vector<TriangleView>{g.moved.view(), g.mesh.view()});
}

const auto moving = [](Context& c, Given& g) { return build(c, keys_of(g), {.quality = Quality::fast}); };

std::vector<MotionTransform> some_motion(float step) {
  std::vector<MotionTransform> keys(2 * instance_count);
  for (u32 i = 0; i < keys.size(); ++i) keys[i].translation[0] = step * float(i % 7);
  return keys;
}

struct MovingPlaces {
  MovingPlaces(Context& c, Given& g)
      : accel(build(c, g.mesh.view(), {.quality = Quality::fast})),
        first(c, some_motion(0.3f)),
        next(c, some_motion(0.4f)),
        scene(build(c, accel, instances())),
        hits(c, std::vector<SceneHit>(g.rays.size())) {}

  MotionInstanceView instances() const { return {.transforms = first.span(), .key_count = 2}; }
  MotionInstanceView moved() const { return {.transforms = next.span(), .key_count = 2}; }

  Accel accel;
  Buffer<MotionTransform> first, next;
  MotionScene scene;
  Buffer<SceneHit> hits;
};

const auto moving_places = [](Context& c, Given& g) { return MovingPlaces(c, g); };

Bytes bytes_of_motion(Context& c, Given& g, const MotionAccel& accel) {
  closest_hits(c, accel, g.rays.span(), g.hits.span(), {.time = 0.5f});
  return bytes_of(g.hits, accel.tree().counts);
}

Bytes bytes_of_motion_scene(const MotionScene& scene) {
  Bytes bytes;
  for (const CompressedBvh4& tree : scene.trees()) {
    const Bytes of_tree = bytes_of(tree);
    bytes.insert(bytes.end(), of_tree.begin(), of_tree.end());
  }
  return bytes;
}

}  // namespace

std::vector<Call> scene_calls() {
  std::vector<Call> calls = scene_build_calls();
  for (const Call& row : scene_answer_calls()) calls.push_back(row);
  return calls;
}

std::vector<Call> motion_calls() {
  return {
      call("build a MotionAccel",
           [](Context& c, Given& g) { return bytes_of_motion(c, g, build(c, keys_of(g))); }),
      call("rebuild a MotionAccel", moving,
           [](Context& c, Given& g, MotionAccel& accel) {
             rebuild(c, accel, keys_back(g));
             return bytes_of_motion(c, g, accel);
           }),
      call("refit a MotionAccel", moving,
           [](Context& c, Given& g, MotionAccel& accel) {
             refit(c, accel, keys_back(g));
             return bytes_of_motion(c, g, accel);
           }),
      call("compact a MotionAccel", moving,
           [](Context& c, Given& g, MotionAccel& accel) {
             compact(c, accel);
             return bytes_of_motion(c, g, accel);
           }),
      call("build a MotionScene", moving_places,
           [](Context& c, Given&, MovingPlaces& p) {
             return bytes_of_motion_scene(build(c, p.accel, p.instances(), {.tree_count = 2}));
           }),
      call("rebuild and refit a MotionScene", moving_places,
           [](Context& c, Given& g, MovingPlaces& p) {
             rebuild(c, p.scene, p.instances());
             refit(c, p.scene, p.moved());
             closest_hits(c, p.scene, g.rays.span(), p.hits.span(), {.time = 0.5f});
             return bytes_of(p.hits);
           }),
  };
}

}  // namespace copse::test
