// The refit of a sharded tree: triangles that have moved are sent to the ranks that have their leaves, and each rank
// fits its own boxes. Nodes across borders are on no rank, so no boxes are exchanged: gather() makes these nodes.

#include "builders/bvh/refit.h"
#include "builders/geometry/triangle_check.h"
#include "primitives/core/dispatch.h"
#include "scale/shards/exchange_pieces.h"
#include "scale/shards/shard_view.h"

namespace copse {

namespace detail {

// The body: shard_steps.inl, for either executor.
template <class Executor>
void split_by_source(const Executor& ex, const PackedTriangle* triangles, u64 count,
                     std::span<const u64> first_ids, u32* slots, u64* begins);
template <class Executor>
void store_ids_of_ranks(const Executor& ex, const PackedTriangle* triangles, u64 count,
                        std::span<const u64> first_ids, const u32* slots, u32* ids);
template <class Executor>
void pack_for_ranks(const Executor& ex, std::span<const TriangleView> views, const u32* ids, const u32* places,
                    u64 count, u32 first_id, PackedTriangle* triangles, u32* masks);
template <class Executor>
void store_at_slots(const Executor& ex, const PackedTriangle* moved, const u32* moved_masks, const u32* slots,
                    u64 count, PackedTriangle* triangles, u32* masks);

namespace {

class ShardRefit {
 public:
  ShardRefit(Communicator& comm, Context& context, ShardedBvh& shard, const TriangleViews& triangles)
      : comm_(comm), context_(context), shard_(shard), routes_(shard.routes), triangles_(triangles) {}

  void run() {
    const ProfileScope scope(context_.profile(), "refit sharded");
    compare_inputs();
    if (routes_.sent_begins.empty()) find_routes();
    send_triangles();
    comm_.agree([&] { fit(); });
  }

 private:
  u64 slot_count() const { return shard_.triangles.triangles.size(); }

  void compare_inputs() {
    comm_.agree([&] { check(); });
    const std::vector<u8> any = comm_.all_gather(u8(any_has_mask(triangles_) || !shard_.triangles.masks.empty()));
    has_masks_ = std::find(any.begin(), any.end(), 1) != any.end();
  }

  void check() const {
    check_ranks("refit", comm_, shard_);
    const u64 brought = shard_.first_ids[comm_.rank() + 1] - shard_.first_ids[comm_.rank()];
    check_same_count("refit", "triangles of this rank", triangles_.primitive_count(), "in its build", brought);
    validate_triangles(context_, "refit", triangles_);
  }

  /// Each rank sends the others the numbers, in their inputs, of the triangles that its leaves need.
  void find_routes() {
    const ProfileScope scope(context_.profile(), "shards: routes");
    const u32 size = comm_.size(), rank = comm_.rank();
    ShardedRoutes found;
    Buffer<u64> first_ids;
    Buffer<u32> asked;
    comm_.agree([&] {
      first_ids = Buffer<u64>(context_, std::vector<u64>(shard_.first_ids.begin(), shard_.first_ids.end() - 1));
      Buffer<u64> begins(context_, size + 1);
      found.slots = Buffer<u32>(context_, slot_count());
      dispatch(context_, [&](const auto& ex) {
        split_by_source(ex, leaves(), slot_count(), {first_ids.data(), size}, found.slots.data(), begins.data());
      });
      found.received_begins = begins.download();
      asked = Buffer<u32>(context_, without_piece(found.received_begins, rank).back());
      around_piece(found.received_begins, rank, [&](u64 begin, u64 end, u64 place) {
        store_ids(first_ids, found.slots, begin, end - begin, asked.data() + place);
      });
    });
    std::vector<u64> counts(u64{size} * size);  // [asking][asked]
    for (u32 other = 0; other < size; ++other) {
      counts[rank * size + other] = piece_size(found.received_begins, other);
    }
    comm_.sum(counts);
    found.sent_begins = {0};
    for (u32 other = 0; other < size; ++other) {
      found.sent_begins.push_back(found.sent_begins.back() + counts[other * size + rank]);
    }
    comm_.agree([&] {
      found.sent_ids = Buffer<u32>(context_, found.sent_begins.back());
      store_ids(first_ids, found.slots, found.received_begins[rank], piece_size(found.received_begins, rank),
                found.sent_ids.data() + found.sent_begins[rank]);
    });
    exchange_pieces(comm_, context_, asked, without_piece(found.received_begins, rank), found.sent_ids,
                    found.sent_begins);
    routes_ = std::move(found);
  }

  const PackedTriangle* leaves() const { return shard_.triangles.triangles.data(); }

  /// Stores the numbers of triangles in the inputs of the ranks that brought them.
  ///   slots: their leaves, of which it takes `count` from `first` on
  void store_ids(const Buffer<u64>& first_ids, const Buffer<u32>& slots, u64 first, u64 count, u32* ids) {
    dispatch(context_, [&](const auto& ex) {
      store_ids_of_ranks(ex, leaves(), count, {first_ids.data(), first_ids.size()}, slots.data() + first, ids);
    });
  }

  void send_triangles() {
    const ProfileScope scope(context_.profile(), "shards: exchange");
    const u32 rank = comm_.rank();
    const PieceBegins leaving = without_piece(routes_.sent_begins, rank);
    const PieceBegins arriving = without_piece(routes_.received_begins, rank);
    Buffer<PackedTriangle> moved;
    Buffer<u32> moved_masks;
    comm_.agree([&] {
      moved = Buffer<PackedTriangle>(context_, leaving.back());
      moved_masks = Buffer<u32>(context_, has_masks_ ? leaving.back() : 0);
      received_ = Buffer<PackedTriangle>(context_, arriving.back());
      received_masks_ = Buffer<u32>(context_, has_masks_ ? arriving.back() : 0);
      around_piece(routes_.sent_begins, rank, [&](u64 begin, u64 end, u64 place) {
        pack(begin, end - begin, nullptr, moved.data() + place, has_masks_ ? moved_masks.data() + place : nullptr);
      });
    });
    exchange_pieces(comm_, context_, moved, leaving, received_, arriving);
    if (has_masks_) exchange_pieces(comm_, context_, moved_masks, leaving, received_masks_, arriving);
  }

  /// Packs the triangles that routes_.sent_ids names from `first` on.
  void pack(u64 first, u64 count, const u32* places, PackedTriangle* triangles, u32* masks) {
    dispatch(context_, [&](const auto& ex) {
      pack_for_ranks(ex, triangles_.views(), routes_.sent_ids.data() + first, places, count,
                     u32(shard_.first_ids[comm_.rank()]), triangles, masks);
    });
  }

  /// Stores what the rank keeps and what has arrived at the leaves, and fits the boxes.
  void fit() {
    const u32 rank = comm_.rank();
    const PieceBegins& received = routes_.received_begins;
    PackedTriangles& own = shard_.triangles;
    if (has_masks_ && own.masks.empty()) own.masks = Buffer<u32>(context_, slot_count());
    u32* const masks = has_masks_ ? own.masks.data() : nullptr;
    pack(routes_.sent_begins[rank], piece_size(routes_.sent_begins, rank), routes_.slots.data() + received[rank],
         own.triangles.data(), masks);
    around_piece(received, rank, [&](u64 begin, u64 end, u64 place) {
      dispatch(context_, [&](const auto& ex) {
        store_at_slots(ex, received_.data() + place, has_masks_ ? received_masks_.data() + place : nullptr,
                       routes_.slots.data() + begin, end - begin, own.triangles.data(), masks);
      });
    });
    if (slot_count() > 0) copse::refit(context_, shard_.tree, triangles_of(shard_));
  }

  Communicator& comm_;
  Context& context_;
  ShardedBvh& shard_;
  ShardedRoutes& routes_;
  const TriangleViews& triangles_;
  bool has_masks_ = false;
  Buffer<PackedTriangle> received_;  // from other ranks
  Buffer<u32> received_masks_;
};

}  // namespace

}  // namespace detail

void refit(Communicator& comm, Context& context, ShardedBvh& shard, const TriangleViews& triangles) {
  detail::ShardRefit(comm, context, shard, triangles).run();
}

}  // namespace copse
