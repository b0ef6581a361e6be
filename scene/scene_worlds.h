#pragma once

#include "builders/bvh/forest.h"
#include "scene/scene.h"
#include "scene/scene_rays.h"
#include "scene/worlds_view.h"

namespace copse {

namespace detail {

struct SceneWorldsAccess;

}  // namespace detail

/// Many scenes that do not see each other, such as thousands of copies of a robot with its objects. All trees over
/// the instances of the worlds are built in one chain of launches, in about the time of one scene of all of them. A
/// static part that is the same for all worlds is a Scene of its own, which they share.
///
///   copse::SceneWorlds worlds = copse::build_worlds(context, accels, instances, world_begins, &room);
///   copse::closest_hits(context, worlds, rays.span(), world_of_ray.span(), hits.span());
///   copse::rebuild(context, worlds, moved);                            // every step
///   your_kernel<<<...>>>(worlds.view(), ...);                          // scene/worlds_view.h
///
/// The worlds refer to their accels and to the shared scene, which must outlive them. As for a Scene: refit or
/// rebuild the worlds after the accels have changed in place. The trees are equal on all backends bit for bit, and
/// so are the hits.
class COPSE_API SceneWorlds {
 public:
  /// An empty object. Only size_bytes() and the counts may be called; all other calls throw.
  SceneWorlds() = default;

  SceneWorldsView view() const;

  /// The backend that built it and has it in its memory. Calls with a context of another backend throw.
  Backend backend() const { return backend_; }

  u64 world_count() const { return forest_.tree_count(); }

  /// The instances of all worlds, without those of the shared scene.
  u64 instance_count() const { return forest_.primitive_count(); }
  u64 size_bytes() const {
    return accels_.size_bytes() + instances_.size_bytes() + boxes_.size_bytes() + forest_.size_bytes();
  }

 private:
  friend struct detail::SceneWorldsAccess;

  Buffer<AccelView> accels_;
  Buffer<detail::PlacedInstance> instances_;
  Buffer<Aabb> boxes_;
  detail::Forest forest_;
  const Scene* shared_ = nullptr;
  bool has_masks_ = false;  // of triangles
  Backend backend_ = Backend::automatic;
};

/// Returns worlds of instances in the memory of the context. It does not wait. The rules by which instances are left
/// out are those of build() of a Scene.
///   instances:    of all worlds, one world after the other
///   world_begins: on the host; world w has the instances world_begins[w] to world_begins[w + 1] - 1, at most 2^18
///                 of them; ascending from 0 to the number of instances
///   shared:       a scene that all worlds see besides their own instances, or null. It may be refitted and rebuilt in
///                 place
/// Throws: Error invalid_argument as build(), if world_begins are none or do not fit the instances, or if a world
/// has too many; Error capacity past 2^31 instances, Error out_of_memory, Error cancelled.
/// Memory: about 228 bytes per instance and 16 per world; scratch of about 140 bytes per instance, and 190 for a
/// refit of those that moved.
COPSE_API SceneWorlds build_worlds(Context& context, const SceneAccels& accels, const InstanceView& instances,
                                   std::span<const u32> world_begins, const Scene* shared = nullptr);

/// Builds new trees over the instances of all worlds in the same memory. It does not wait and, once warm, does not
/// allocate, so it can be captured in a Graph.
///   instances: as many as the worlds were built over, in the same order
/// Throws: as build_worlds; Error invalid_argument if `worlds` was never built.
COPSE_API void rebuild(Context& context, SceneWorlds& worlds, const InstanceView& instances);

/// Fits the trees to instances that have moved, as refit does for a Scene. It does not wait and, once warm, does
/// not allocate, so it can be captured in a Graph.
///   instances: as many as the worlds were built over, in the same order
///   moved:     in the memory of the context, one word per world: worlds with a 0 keep their trees and instances.
///              Without it all worlds are fitted
/// Throws: as rebuild; Error invalid_argument for another number of words.
COPSE_API void refit(Context& context, SceneWorlds& worlds, const InstanceView& instances,
                     BufferSpan<const u32> moved = {});

/// Writes the closest hit of every ray in its world; closest_hit in scene/worlds_view.h tells how instances are
/// numbered. The call does not wait, and may be captured in a Graph.
///   rays:         any number, may be empty
///   world_of_ray: one word per ray. A ray of a world that does not exist sees the shared scene alone
///   hits:         one per ray; must not overlap the rays or the words
/// Throws: Error invalid_argument if `worlds` was never built, if the number of words, hits or masks is not that
/// of the rays, or if options are out of range. Error cancelled.
COPSE_API void closest_hits(Context& context, const SceneWorlds& worlds, BufferSpan<const Ray> rays,
                            BufferSpan<const u32> world_of_ray, BufferSpan<SceneHit> hits,
                            const SceneTraceOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything in its world or in the shared scene, else to 0. Everything else is
/// as for closest_hits.
COPSE_API void any_hits(Context& context, const SceneWorlds& worlds, BufferSpan<const Ray> rays,
                        BufferSpan<const u32> world_of_ray, BufferSpan<u8> occluded,
                        const SceneTraceOptions& options = {});

}  // namespace copse
