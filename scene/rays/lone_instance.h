#pragma once

// The query of a batch through a scene that has one instance, of its only accel. The rays are brought into the space of
// the mesh as they are read, and the kernels of batches through an Accel trace them there. The tree over the instances
// is not traversed. The hits are those of SceneQuery, bit for bit: a hit must be in the box of the instance, as there.

#include "scene/rays/scene_query.h"

namespace copse::detail {

/// The rays of the batch, in the space of the mesh.
struct RaysInMesh {
  const Ray* rays;  // in the scene
  const PlacedInstance* instance;

  /// If no ray can hit the instance, the directions are not finite. Such rays are not traced.
  COPSE_HD Ray into_mesh(const Ray& ray) const {
    const PlacedInstance begun = PlacedInstance::load<7>(instance);
    Ray in_mesh = begun.into_mesh(ray, ray.t_max);
    if (begun.nodes == nullptr || begun.mask == 0 || !(begun.lo.x <= begun.hi.x)) {
      in_mesh.direction = vec3(float_from_bits(0x7fc00000));
    }
    return in_mesh;
  }

  COPSE_HD Ray operator[](u64 i) const { return into_mesh(rays[i]); }
};

/// Brings a hit at `t` into the box of the instance. False if it is none there. It is out of line, so that traversals
/// spend no registers on it.
[[gnu::noinline]] COPSE_HD inline bool settle_in_box(const RaysInMesh& rays, u64 i, float& t) {
  const Ray ray = rays.rays[i];
  const Aabb box = rays.instance->box();
  if (is_surely_in_box(ray, box, t)) return true;
  return bring_into_box(ray, box, t) && t <= ray.t_max;
}

/// Closest hits, or any hits where the result is a u8. All rays see all triangles.
template <class Out>
struct LoneInstanceQuery {
  using Tree = WideTree<CompressedBvh4Node>;
  using Result = Out;
  using InMesh = std::conditional_t<std::is_same_v<Out, SceneHit>, Hit, u8>;
  static constexpr bool finds_closest = std::is_same_v<Out, SceneHit>;
  static constexpr bool has_masks = false;

  template <Robustness robustness>
  using Test = std::conditional_t<finds_closest, ClosestTriangle<PlacedTriangles, robustness>,
                                  AnyTriangle<PlacedTriangles, robustness>>;

  Tree tree;  // of the mesh
  SceneParts scene;
  PlacedTriangles triangles;
  RaysInMesh rays;
  Result* results;
  u64 triangle_count;

  LoneInstanceQuery(const SceneParts& parts, const AccelView& accel, BufferSpan<const Ray> batch, Result* out)
      : tree(tree_of(accel.tree)),
        scene(parts),
        triangles{accel.triangles.data()},
        rays{batch.data(), parts.instances},
        results(out),
        triangle_count(accel.triangles.size()) {}

  template <Robustness robustness>
  COPSE_HD Test<robustness> test(const Ray& ray, u64) const {
    return {triangles, ray};
  }

  template <class Test>
  COPSE_HD Result result(const Test& test, float limit, u64 i) const {
    if constexpr (finds_closest) {
      return settled(test.hit(limit), i);
    } else {
      return settled(u8(test.found), i);
    }
  }

  /// The result of ray i in the scene. `found`: that in the mesh.
  COPSE_HD Result settled(const InMesh& found, u64 i) const {
    if constexpr (finds_closest) {
      if (!copse::is_hit(found)) return {found.t, invalid_id, invalid_id, 0, 0, invalid_id};
      float t = found.t;
      if (!settle_in_box(rays, i, t)) return miss(rays.rays[i]);
      return {t, found.primitive, found.geometry, found.u, found.v, 0};
    } else {
      float t = rays.rays[i].t_min;
      return found != 0 && settle_in_box(rays, i, t) ? 1 : 0;
    }
  }

  COPSE_HD static Result miss(const Ray& ray) {
    if constexpr (finds_closest) {
      return {ray.t_max, invalid_id, invalid_id, 0, 0, invalid_id};
    } else {
      return 0;
    }
  }

  void skip(u64 count) {
    rays.rays += count;
    results += count;
  }
};

template <class Out, u32 stack_size>
struct FastWalkOf<LoneInstanceQuery<Out>, stack_size> {
  using type = std::conditional_t<LoneInstanceQuery<Out>::finds_closest,
                                  Walk<WideTree<CompressedBvh4Node>, stack_size, Robustness::fast>,
                                  UnorderedWalk<CompressedBvh4Node, stack_size>>;
};

/// Traces ray i by robust traversal, as SceneQuery does at the leaf of the instance.
template <class Out>
COPSE_HD inline Out trace_robust(const LoneInstanceQuery<Out>& query, const Ray& in_mesh, u64 i) {
  const Ray ray = query.rays.rays[i];
  if (!is_traceable(in_mesh)) return query.miss(ray);
  float limit = ray.t_max;
  if constexpr (query.finds_closest) {
    ClosestInstance<default_stack_size> test{query.scene, ray, ~u32{0}, Cull::none};
    test(0, limit);
    return test.hit(limit);
  } else {
    AnyInstance<default_stack_size> test{query.scene, ray, ~u32{0}, Cull::none};
    return test(0, limit) ? 1 : 0;
  }
}

}  // namespace copse::detail
