// Build, rebuild and refit of MotionAccel.

#include "motion/motion_accel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "builders/bvh/packed_tree.h"
#include "builders/geometry/triangle_check.h"
#include "motion/build/motion_check.h"
#include "motion/build/motion_keys.h"
#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: motion_keys.inl, for either executor.

/// Stores the positions in the middle between two keys.
template <class Executor>
void store_middle_positions(const Executor& ex, const PositionSpan& before, const PositionSpan& after,
                            vec3* middle);

/// Replaces middle positions that are NaN or infinite by those of a key.
template <class Executor>
void replace_middle_positions(const Executor& ex, const PositionSpan& key, vec3* middle);

/// Copies the nodes of the first key to all others.
template <class Executor>
void copy_motion_links(const Executor& ex, const MotionNodes& nodes, const WideBvhCounts* counts);

/// Gives each node the same steps at all keys.
template <class Executor>
void share_motion_steps(const Executor& ex, const MotionNodes& nodes, const WideBvhCounts* counts);

/// Stores the box around all keys.
template <class Executor>
void store_moving_box(const Executor& ex, const MotionNodes& nodes, Aabb* box);

/// Copies the first nodes of each key, as many as `to` has room for.
template <class Executor>
void copy_motion_nodes(const Executor& ex, const MotionNodes& from, const MotionNodes& to);

/// Copies the first `count` parents.
template <class Executor>
void copy_motion_parents(const Executor& ex, const u32* from, u64 count, u32* to);

/// The members of a MotionAccel, for the calls that make or change one.
struct MotionAccess {
  static CompressedBvh4& tree(MotionAccel& accel) { return accel.tree_; }
  static PackedTriangles& packed(MotionAccel& accel) { return accel.packed_; }
  static Buffer<Aabb>& box(MotionAccel& accel) { return accel.box_; }

  static void make(Context& context, MotionAccel& accel, const AccelOptions& options, u32 key_count,
                   u64 capacity) {
    check_primitive_count(capacity);
    const u64 node_count = wide_node_capacity(capacity);
    accel.options_ = options;
    accel.backend_ = context.backend();
    accel.key_count_ = key_count;
    accel.tree_.nodes = Buffer<CompressedBvh4Node>(context, key_count * node_count);
    accel.tree_.parents = Buffer<u32>(context, node_count);
    accel.tree_.primitive_ids = Buffer<u32>(context, capacity);
    accel.tree_.counts = Buffer<WideBvhCounts>(context, 1);
    accel.packed_.triangles = Buffer<PackedTriangle>(context, key_count * capacity);
    accel.box_ = Buffer<Aabb>(context, 1);
  }

  static MotionNodes nodes(MotionAccel& accel) {
    return {accel.tree_.nodes.data(), accel.tree_.nodes.size() / accel.key_count_, accel.key_count_};
  }
};

}  // namespace detail

namespace {

using detail::MotionAccess;

/// Throws: Error invalid_argument if options are out of range. Triangles that move are never split.
detail::PackedBuildOptions packed_options(const char* function, const AccelOptions& options, u64 triangle_count) {
  if (options.splits != 1) {
    detail::refuse(function, "options.splits is " + std::to_string(options.splits) +
                                 ", but triangles that move cannot be split; it must be 1");
  }
  const QualitySteps steps = steps_of(options.quality, triangle_count);
  return {.builder = steps.builder, .alternative = steps.alternative, .reinsertion = steps.reinsertion};
}

void check_key_count(const char* function, u64 key_count) {
  if (key_count >= 2 && key_count <= max_motion_keys) return;
  detail::refuse(function, std::to_string(key_count) + " keys were given; there can be 2 to " +
                               std::to_string(max_motion_keys));
}

std::string of_view(u64 count, const char* what, u64 view, u64 key) {
  return std::to_string(count) + " " + what + " in view " + std::to_string(view) + " of key " +
         std::to_string(key);
}

/// Throws unless all keys have the same triangles.
void check_keys(const char* function, const MotionTriangles& triangles) {
  const auto& keys = triangles.keys();
  check_key_count(function, keys.size());
  const auto& first = keys.front();
  for (u64 key = 1; key < keys.size(); ++key) {
    const auto& views = keys[key];
    if (views.size() != first.size()) {
      detail::refuse(function, "key " + std::to_string(key) + " has " + detail::counted(views.size(), "views") +
                                   ", but key 0 has " + std::to_string(first.size()));
    }
    for (u64 i = 0; i < views.size(); ++i) {
      if (views[i].triangle_count() != first[i].triangle_count()) {
        detail::refuse(function, of_view(views[i].triangle_count(), "triangles", i, key) + ", but " +
                                     std::to_string(first[i].triangle_count()) + " in that of key 0");
      }
      if (views[i].positions.size != first[i].positions.size) {
        detail::refuse(function, of_view(views[i].positions.size, "positions", i, key) + ", but " +
                                     std::to_string(first[i].positions.size) + " in that of key 0");
      }
    }
  }
}

/// The views of a key, with the indices, ids and masks of key 0.
std::vector<TriangleView> views_of_key(const MotionTriangles& triangles, u32 key) {
  const std::vector<TriangleView>& views = triangles.keys()[key];
  std::vector<TriangleView> all = triangles.keys().front();
  for (u64 i = 0; i < all.size(); ++i) all[i].positions = views[i].positions;
  return all;
}

/// Makes room for the masks of one key: build_packed would make room for all keys.
void make_room_for_masks(Context& context, MotionAccel& accel, const MotionTriangles& triangles) {
  const auto& views = triangles.keys().front();
  const bool has_masks =
      std::any_of(views.begin(), views.end(), [](const TriangleView& view) { return view.mask != ~u32{0}; });
  PackedTriangles& packed = MotionAccess::packed(accel);
  if (has_masks && packed.masks.empty()) packed.masks = Buffer<u32>(context, accel.capacity());
}

/// Fits the boxes of every key to its triangles.
void fit_keys(Context& context, MotionAccel& accel, const MotionTriangles& triangles) {
  CompressedBvh4& tree = MotionAccess::tree(accel);
  PackedTriangles& packed = MotionAccess::packed(accel);
  const detail::MotionNodes nodes = MotionAccess::nodes(accel);
  for (u32 key = 0; key < accel.key_count(); ++key) {
    u32* const masks = key == 0 && !packed.masks.empty() ? packed.masks.data() : nullptr;
    detail::fit_packed_copy(context, tree,
                            {tree.nodes.span().subspan(key * nodes.stride, nodes.stride),
                             packed.triangles.data() + key * accel.capacity(), masks},
                            views_of_key(triangles, key));
  }
  dispatch(context, [&](const auto& ex) {
    detail::share_motion_steps(ex, nodes, tree.counts.data());
    detail::store_moving_box(ex, nodes, MotionAccess::box(accel).data());
  });
}

/// Stores the positions of a view over which the tree is built: those in the middle of the time.
template <class Executor>
void store_middle(const Executor& ex, const MotionTriangles& triangles, u64 view, vec3* middle) {
  const auto& keys = triangles.keys();
  const auto positions = [&](u64 key) -> const PositionSpan& { return keys[key][view].positions; };
  detail::store_middle_positions(ex, positions((keys.size() - 1) / 2), positions(keys.size() / 2), middle);
  for (u64 key = 0; key < keys.size(); ++key) detail::replace_middle_positions(ex, positions(key), middle);
}

void build_in_place(Context& context, MotionAccel& accel, const MotionTriangles& triangles) {
  make_room_for_masks(context, accel, triangles);
  for (const auto& key : triangles.keys()) detail::validate_triangles(context, "build", key);
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(motion_sizes(context, triangles.triangle_count(), triangles.position_count(),
                                         accel.key_count(), accel.options(), triangles.keys().front().size())
                                .scratch_bytes);
    ScratchArena::Frame frame(ex.scratch);
    vec3* middle = frame.template allocate<vec3>(triangles.position_count());
    std::vector<TriangleView> views = views_of_key(triangles, 0);
    for (u64 i = 0; i < views.size(); ++i) {
      const u64 count = views[i].positions.size;
      store_middle(ex, triangles, i, middle);
      views[i].positions = BufferSpan<const vec3>(middle, count);
      middle += count;
    }
    detail::build_packed(context, MotionAccess::tree(accel), MotionAccess::packed(accel), views,
                         packed_options("build", accel.options(), triangles.triangle_count()));
    detail::copy_motion_links(ex, MotionAccess::nodes(accel), MotionAccess::tree(accel).counts.data());
  });
  fit_keys(context, accel, triangles);
}

}  // namespace

MotionTriangles::MotionTriangles(const std::vector<TriangleView>& keys) {
  for (const TriangleView& key : keys) keys_.push_back({key});
}

u64 MotionTriangles::position_count() const {
  u64 count = 0;
  if (keys_.empty()) return count;
  for (const TriangleView& view : keys_.front()) count += view.positions.size;
  return count;
}

MotionAccel build(Context& context, const MotionTriangles& triangles, const AccelOptions& options) {
  const u64 n = triangles.triangle_count();
  packed_options("build", options, n);  // checks them
  check_keys("build", triangles);
  MotionAccel accel;
  MotionAccess::make(context, accel, options, triangles.key_count(), std::max(options.capacity, n));
  build_in_place(context, accel, triangles);
  return accel;
}

void rebuild(Context& context, MotionAccel& accel, const MotionTriangles& triangles) {
  detail::check_motion("rebuild", context, accel);
  check_keys("rebuild", triangles);
  detail::check_same_count("rebuild", "keys", triangles.key_count(), "keys of the structure", accel.key_count());
  if (triangles.triangle_count() > accel.capacity()) {
    detail::refuse("rebuild", detail::counted(triangles.triangle_count(), "triangles") +
                                  ", but the structure has room for " + std::to_string(accel.capacity()) +
                                  "; build a new one, or give the first build a larger AccelOptions::capacity");
  }
  if (MotionAccess::nodes(accel).stride < wide_node_capacity(triangles.triangle_count())) {
    detail::refuse("rebuild", "the structure was compacted and has room for " +
                                  detail::counted(MotionAccess::nodes(accel).stride, "nodes") + ", but " +
                                  detail::counted(triangles.triangle_count(), "triangles") + " may need " +
                                  std::to_string(wide_node_capacity(triangles.triangle_count())) +
                                  "; build a new one");
  }
  build_in_place(context, accel, triangles);
}

void compact(Context& context, MotionAccel& accel) {
  detail::check_motion("compact", context, accel);
  CompressedBvh4& tree = MotionAccess::tree(accel);
  const u64 used = std::max(tree.counts.download()[0].node_count, 1u);  // an empty tree has a root
  Buffer<CompressedBvh4Node> nodes(context, accel.key_count() * used);
  Buffer<u32> parents(context, used);
  dispatch(context, [&](const auto& ex) {
    detail::copy_motion_nodes(ex, MotionAccess::nodes(accel), {nodes.data(), used, accel.key_count()});
    detail::copy_motion_parents(ex, tree.parents.data(), used, parents.data());
  });
  tree.nodes = std::move(nodes);
  tree.parents = std::move(parents);
}

void refit(Context& context, MotionAccel& accel, const MotionTriangles& triangles) {
  detail::check_motion("refit", context, accel);
  check_keys("refit", triangles);
  detail::check_same_count("refit", "keys", triangles.key_count(), "keys of the structure", accel.key_count());
  if (triangles.triangle_count() != accel.triangle_count()) {
    detail::refuse("refit", detail::counted(triangles.triangle_count(), "triangles") +
                                ", but the structure was built over " + std::to_string(accel.triangle_count()));
  }
  make_room_for_masks(context, accel, triangles);
  fit_keys(context, accel, triangles);
}

BuildSizes motion_sizes(Context& context, u64 triangle_count, u64 position_count, u32 key_count,
                        const AccelOptions& options, u64 view_count) {
  check_key_count("motion_sizes", key_count);
  const BuildSizes one = detail::packed_sizes(context, triangle_count,
                                              packed_options("motion_sizes", options, triangle_count), view_count);
  const u64 node_count = wide_node_capacity(triangle_count);
  const u64 of_key = node_count * sizeof(CompressedBvh4Node) + triangle_count * sizeof(PackedTriangle);
  const u64 of_refit = detail::fit_packed_copy_scratch_bytes(context, node_count, view_count);
  return {.result_bytes = one.result_bytes + (key_count - 1) * of_key + sizeof(Aabb),
          .scratch_bytes = ScratchArena::bytes_for<vec3>(position_count) + std::max(one.scratch_bytes, of_refit)};
}

}  // namespace copse
