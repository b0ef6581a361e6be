#pragma once

#include <utility>
#include <vector>

#include "accel/accel.h"
#include "motion/motion_view.h"

namespace copse {

namespace detail {

struct MotionAccess;

}  // namespace detail

/// The maximum number of keys of a MotionAccel.
inline constexpr u32 max_motion_keys = 65535;

/// Triangles that move from key to key: the same views at each key, with positions of their own.
///
///   std::vector<copse::TriangleView> keys = {open, half_closed, closed};    // one mesh at three times
///
/// Each key has as many views as the first one, in the same order, and each view has as many triangles and positions.
/// The indices, geometry ids and masks are those of key 0. The object copies the views, but not the memory that they
/// refer to.
class COPSE_API MotionTriangles {
 public:
  /// One mesh: a view for each key.
  explicit MotionTriangles(const std::vector<TriangleView>& keys);

  /// Several meshes: their views for each key.
  explicit MotionTriangles(std::vector<std::vector<TriangleView>> keys) : keys_(std::move(keys)) {}

  const std::vector<std::vector<TriangleView>>& keys() const { return keys_; }
  u32 key_count() const { return u32(keys_.size()); }
  u64 triangle_count() const { return keys_.empty() ? 0 : TriangleViews(keys_.front()).primitive_count(); }

  /// The positions of all views at one key.
  u64 position_count() const;

 private:
  std::vector<std::vector<TriangleView>> keys_;
};

/// The acceleration structure of triangles that move while a picture is taken (motion blur). Each ray has a time, and
/// hits the triangles at their positions at that time. Between two keys, vertices move on straight lines.
///
///   copse::MotionAccel accel = copse::build(context, copse::MotionTriangles(keys));
///   copse::closest_hits(context, accel, rays.span(), hits.span(), {.times = times.span()});   // motion/motion_rays.h
///   copse::refit(context, accel, next_keys);                                 // the same tree, new boxes
///   your_kernel<<<...>>>(accel.view(), ...);                                 // motion/motion_view.h
///
/// It is one tree with a set of boxes for each key. A ray interpolates between the two sets around its time. At the
/// time of a key its hits equal, bit for bit, those in an Accel of that key's triangles. A vertex that does not move
/// keeps its bits at all times. The tree is equal on all backends bit for bit, and so are the hits.
class MotionAccel {
 public:
  /// An empty object. Only size_bytes() and the counts may be called; all other calls throw.
  MotionAccel() = default;

  MotionView view() const {
    if (key_count_ == 0) return {};
    return {tree_.nodes.span(),
            packed_.triangles.span(),
            tree_.nodes.size() / key_count_,
            packed_.triangles.size() / key_count_,
            tree_.parents.data(),
            packed_.masks.empty() ? nullptr : packed_.masks.data(),
            box_.data(),
            key_count_};
  }

  const AccelOptions& options() const { return options_; }

  /// The backend that built it and has it in its memory. Calls with a context of another backend throw.
  Backend backend() const { return backend_; }

  /// The number of keys, at least 2 once it is built.
  u32 key_count() const { return key_count_; }

  /// The triangles of the last build, including those left out of the tree.
  u64 triangle_count() const { return tree_.source_count; }

  /// The maximum number of triangles of a rebuild.
  u64 capacity() const { return tree_.primitive_ids.size(); }

  u64 size_bytes() const { return tree_.size_bytes() + packed_.size_bytes() + box_.size_bytes(); }

  /// The parts. Nodes and triangles are stored key by key: all of key 0, then as many of key 1, and so on. The links
  /// and ids are the same at all keys.
  const CompressedBvh4& tree() const { return tree_; }
  const PackedTriangles& packed_triangles() const { return packed_; }

 private:
  friend struct detail::MotionAccess;

  CompressedBvh4 tree_;     // with nodes for key 0, then as many for key 1, and so on
  PackedTriangles packed_;  // the same for triangles; one set of masks
  Buffer<Aabb> box_;        // one
  AccelOptions options_;
  u32 key_count_ = 0;
  Backend backend_ = Backend::automatic;
};

/// Returns the acceleration structure of triangles that move. It does not wait. The topology of the tree is that of a
/// tree over the positions in the middle of the time, built by the steps of AccelOptions::quality.
///
/// If a triangle has a NaN or an infinity at a key, it is missed at this key, and between it and its neighbours. At
/// other keys and times it is hit.
/// Throws: Error invalid_argument unless there are 2 to max_motion_keys keys, all with the same counts, and if options
/// are out of range. Error capacity past 2^31 triangles, Error out_of_memory, Error cancelled.
/// Memory: see motion_sizes.
COPSE_API MotionAccel build(Context& context, const MotionTriangles& triangles, const AccelOptions& options = {});

/// Builds a new tree in the memory of `accel`, with its options. It does not wait and, once warm, does not allocate,
/// so it can be captured in a Graph. After an error, rebuild it before you use it.
///   triangles: with as many keys, and any number of triangles up to accel.capacity(). If a view has a mask for the
///              first time, 4 bytes per triangle are allocated
/// Throws: as build; Error invalid_argument if `accel` was never built, for another number of keys, or if there is too
/// little room.
COPSE_API void rebuild(Context& context, MotionAccel& accel, const MotionTriangles& triangles);

/// Fits the boxes of all keys to new positions. The topology of the tree stays. It does not wait and, once warm, does
/// not allocate, so it can be captured in a Graph.
///   triangles: as many keys and triangles as `accel` was built over, in the same order
/// Throws: Error invalid_argument for other numbers or if `accel` was never built. Error out_of_memory, Error
/// cancelled.
COPSE_API void refit(Context& context, MotionAccel& accel, const MotionTriangles& triangles);

/// Frees the memory that the tree does not use, about 50 bytes per triangle and key. `accel` can be traced and refitted
/// as before, but not rebuilt. Graphs that were captured before this call must not be launched any more.
/// Throws: Error invalid_argument if `accel` was never built, Error out_of_memory.
/// Waits: to read the size of the tree.
COPSE_API void compact(Context& context, MotionAccel& accel);

/// Returns the bytes that build takes on this context: result_bytes, 8 per triangle and 112 more per triangle and key,
/// and scratch_bytes. For a MotionAccel with a capacity, give the capacity.
///   position_count: of all views at one key
/// Throws: as build.
COPSE_API BuildSizes motion_sizes(Context& context, u64 triangle_count, u64 position_count, u32 key_count,
                                  const AccelOptions& options, u64 view_count = 1);

}  // namespace copse
