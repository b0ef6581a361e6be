// The order of the steps of a sharded build, the exchange of triangles, and the tree over those of this rank.
// shard_borders.cpp has the search for the borders, shard_clusters.cpp what H-PLOC adds.

#include "scale/shards/shard_build.h"

#include <algorithm>
#include <string>

#include "builders/bvh/build.h"
#include "builders/geometry/scene_bounds.h"
#include "builders/geometry/triangle_check.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/cpu/float_mode.h"
#include "scale/shards/exchange_pieces.h"
#include "scale/shards/shard_view.h"

namespace copse {

namespace detail {

// The body: lbvh.inl, for either executor.
template <class Executor>
void build_slice(const Executor& ex, const Aabb* boxes, u64 n, const MortonSlice& slice, const BvhArrays& bvh);

// The body: shard_steps.inl, for either executor.
template <class Executor>
void pack_for_ranks(const Executor& ex, std::span<const TriangleView> views, const u32* ids, const u32* places,
                    u64 count, u32 first_id, PackedTriangle* triangles, u32* masks);
template <class Executor>
void store_shard_boxes(const Executor& ex, const PackedTriangle* triangles, u64 count, Aabb* boxes);
template <class Executor>
void move_to_slots(const Executor& ex, const PackedTriangle* from, const u32* masks_from, u64 count, u32* ids,
                   PackedTriangle* to, u32* masks_to);
template <class Executor>
void number_slots(const Executor& ex, u64 count, u32* ids);

namespace {

/// The data that each rank sends to the others before the build.
struct RankInput {
  u64 triangle_count;
  Aabb bounds;
  u32 morton_bits, hploc_radius;
  u32 has_masks;
};

RankInput look_at_input(Context& context, const TriangleViews& triangles, const ShardedBuildOptions& options) {
  check_primitive_count(triangles.primitive_count());
  if (options.morton_bits != 0) check_option("morton_bits", options.morton_bits, 30, 63);
  check_option("hploc_radius", options.hploc_radius, 0, HplocOptions::max_radius);
  validate_triangles(context, "build_sharded", triangles);
  Buffer<Aabb> bounds(context, 1);
  scene_bounds(context, triangles, bounds.span());
  return {triangles.primitive_count(), bounds.download()[0], options.morton_bits, options.hploc_radius,
          any_has_mask(triangles)};
}

void check_same(const std::vector<RankInput>& inputs, const char* name, u32 RankInput::*option) {
  for (size_t rank = 1; rank < inputs.size(); ++rank) {
    if (inputs[rank].*option == inputs[0].*option) continue;
    refuse("build_sharded", name + (" is " + std::to_string(inputs[0].*option)) + " on rank 0 and " +
                                std::to_string(inputs[rank].*option) + " on rank " + std::to_string(rank) +
                                "; all ranks must give the same");
  }
}

/// Throws: Error capacity.
void check_total(u64 triangle_count) {
  if (triangle_count <= max_sharded_triangles) return;
  throw Error(ErrorCode::capacity, "build_sharded: " + std::to_string(triangle_count) +
                                       " triangles of all ranks; there can be up to " +
                                       std::to_string(max_sharded_triangles));
}

Bvh build_whole(Context& context, const TriangleViews& triangles, const ShardedBuildOptions& options) {
  if (options.hploc_radius == 0) return build(context, triangles, LbvhOptions{.morton_bits = options.morton_bits});
  return build(context, triangles,
               HplocOptions{.radius = options.hploc_radius, .morton_bits = options.morton_bits});
}

/// Builds the tree as a program without ranks does. Returns an empty tree if triangles are left out, since only the
/// steps below list these.
ShardedBvh build_on_one_rank(Context& context, const TriangleViews& triangles,
                             const ShardedBuildOptions& options) {
  const u64 count = triangles.primitive_count();
  ShardedBvh whole;
  whole.tree = build_whole(context, triangles, options);
  if (whole.tree.counts.download()[0].primitive_count != count) return {};
  whole.triangles = pack_triangles(context, whole.tree.view(), triangles);
  dispatch(context, [&](const auto& ex) { number_slots(ex, count, whole.tree.primitive_ids.data()); });
  whole.first_slots = {0, count};
  whole.first_ids = {0, count};
  whole.morton_bits = options.morton_bits;
  whole.hploc_radius = options.hploc_radius;
  whole.source_count = count;
  return whole;
}

}  // namespace

ShardedBvh ShardBuild::run() {
  const ProfileScope scope(context_.profile(), "build sharded");
  compare_inputs();
  make_keys();
  if (!keep_borders()) {
    find_borders();
    split_by_borders();
  }
  check_shares();
  keys_ = {};
  exchange_triangles();
  build_tree();
  find_border_deltas();
  if (is_hploc()) merge_over_borders();
  return std::move(shard_);
}

/// Finds the number of triangles of all ranks, their bounds, and the first id of each rank.
void ShardBuild::compare_inputs() {
  const ProfileScope scope(context_.profile(), "shards: inputs");
  RankInput own{};
  comm_.agree([&] { own = look_at_input(context_, triangles_, options_); });
  const std::vector<RankInput> inputs = comm_.all_gather(own);
  check_same(inputs, "morton_bits", &RankInput::morton_bits);
  check_same(inputs, "hploc_radius", &RankInput::hploc_radius);
  u64 total = triangles_before_;
  curve_.bounds = Aabb::empty();
  for (u32 rank = 0; rank < comm_.size(); ++rank) {
    shard_.first_ids.push_back(total);
    total += inputs[rank].triangle_count;
    curve_.bounds = merge(curve_.bounds, inputs[rank].bounds);
    has_masks_ = has_masks_ || inputs[rank].has_masks != 0;
  }
  shard_.first_ids.push_back(total);
  check_total(total);
  first_id_ = u32(shard_.first_ids[comm_.rank()]);
  shard_.source_count = total;
  shard_.morton_bits = options_.morton_bits;
  shard_.hploc_radius = options_.hploc_radius;
  curve_.morton_bits = options_.morton_bits == 0 ? fast_key_bits(total) : options_.morton_bits;
}

/// Packs the triangles that this rank keeps where the tree is built, and sends the others to their ranks.
void ShardBuild::exchange_triangles() {
  const ProfileScope scope(context_.profile(), "shards: exchange");
  const u32 rank = comm_.rank();
  const PieceBegins sent = plan_->sent_begins(rank), received = plan_->received_begins(rank);
  const PieceBegins leaving = without_piece(sent, rank);
  Buffer<PackedTriangle> packed;
  Buffer<u32> masks;
  comm_.agree([&] {
    packed = Buffer<PackedTriangle>(context_, leaving.back());
    masks = Buffer<u32>(context_, has_masks_ ? leaving.back() : 0);
    received_ = Buffer<PackedTriangle>(context_, received.back());
    received_masks_ = Buffer<u32>(context_, has_masks_ ? received.back() : 0);
    const auto pack = [&](u64 first, u64 count, Buffer<PackedTriangle>& to, Buffer<u32>& masks_to, u64 place) {
      dispatch(context_, [&](const auto& ex) {
        pack_for_ranks(ex, triangles_.views(), split_ids_.data() + first, nullptr, count, first_id_,
                       to.data() + place, has_masks_ ? masks_to.data() + place : nullptr);
      });
    };
    pack(sent[rank], piece_size(sent, rank), received_, received_masks_, received[rank]);
    around_piece(sent, rank,
                 [&](u64 begin, u64 end, u64 place) { pack(begin, end - begin, packed, masks, place); });
    split_ids_ = {};
  });
  exchange_pieces(comm_, context_, packed, leaving, received_, received);
  if (has_masks_) exchange_pieces(comm_, context_, masks, leaving, received_masks_, received);
}

void ShardBuild::build_tree() {
  const ProfileScope scope(context_.profile(), "shards: tree");
  comm_.agree([&] {
    const u64 count = received_.size();
    shard_.tree = make_bvh(context_, count);
    shard_.tree.source_count = count;
    shard_.tree.max_leaf_size = 1;
    BvhAccess::deltas(shard_.tree).may_refit = !is_hploc();
    const BvhArrays arrays = arrays_of(shard_.tree);
    if (count > 0) {
      Buffer<Aabb> boxes(context_, count);
      dispatch(context_, [&](const auto& ex) {
        store_shard_boxes(ex, received_.data(), count, boxes.data());
        if (!is_hploc()) build_slice(ex, boxes.data(), count, curve_, arrays);
      });
      if (is_hploc()) merge_clusters(boxes);
    }
    shard_.triangles.triangles = Buffer<PackedTriangle>(context_, count);
    shard_.triangles.masks = Buffer<u32>(context_, received_masks_.size());
    shard_.triangles.tree_ids = arrays.primitive_ids;
    dispatch(context_, [&](const auto& ex) {
      move_to_slots(ex, received_.data(), received_masks_.data(), count, arrays.primitive_ids,
                    shard_.triangles.triangles.data(), has_masks_ ? shard_.triangles.masks.data() : nullptr);
    });
    received_ = {};
    received_masks_ = {};
  });
}

}  // namespace detail

ShardedBvh build_sharded(Communicator& comm, Context& context, const TriangleViews& triangles,
                         const ShardedBuildOptions& options) {
  if (comm.size() == 1) {
    ShardedBvh whole = detail::build_on_one_rank(context, triangles, options);
    if (!whole.first_slots.empty()) return whole;
  }
  return detail::ShardBuild(comm, context, triangles, options, {}).run();
}

void rebuild(Communicator& comm, Context& context, ShardedBvh& shard, const TriangleViews& triangles,
             const ShardedBuildOptions& options) {
  comm.agree([&] { detail::check_ranks("rebuild", comm, shard); });
  const std::vector<u64> old_keys = shard.border_keys;
  shard = {};
  if (comm.size() == 1) {
    shard = build_sharded(comm, context, triangles, options);
  } else {
    shard = detail::ShardBuild(comm, context, triangles, options, old_keys).run();
  }
}

}  // namespace copse
