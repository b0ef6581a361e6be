// The refit of a sharded tree: triangles that have moved are sent to the ranks that have their leaves, and each rank
// fits its own boxes. Nodes across borders are on no rank, so no boxes are exchanged: gather() makes these nodes.

#include "builders/bvh/refit.h"
#include "builders/geometry/triangle_check.h"
#include "primitives/core/dispatch.h"
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
void pack_for_ranks(const Executor& ex, std::span<const TriangleView> views, const u32* ids, u64 count,
                    u32 first_id, PackedTriangle* triangles, u32* masks);
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
    Buffer<u32> asked;
    comm_.agree([&] {
      const std::vector<u64> ids(shard_.first_ids.begin(), shard_.first_ids.end() - 1);
      const Buffer<u64> first_ids(context_, ids);
      Buffer<u64> begins(context_, size + 1);
      found.slots = Buffer<u32>(context_, slot_count());
      asked = Buffer<u32>(context_, slot_count());
      dispatch(context_, [&](const auto& ex) {
        const std::span<const u64> firsts(first_ids.data(), first_ids.size());
        const PackedTriangle* const triangles = shard_.triangles.triangles.data();
        split_by_source(ex, triangles, slot_count(), firsts, found.slots.data(), begins.data());
        store_ids_of_ranks(ex, triangles, slot_count(), firsts, found.slots.data(), asked.data());
      });
      found.received_begins = begins.download();
    });
    std::vector<u64> counts(u64{size} * size);  // [asking][asked]
    for (u32 other = 0; other < size; ++other) {
      counts[rank * size + other] = found.received_begins[other + 1] - found.received_begins[other];
    }
    comm_.sum(counts);
    found.sent_begins = {0};
    for (u32 other = 0; other < size; ++other) {
      found.sent_begins.push_back(found.sent_begins.back() + counts[other * size + rank]);
    }
    comm_.agree([&] { found.sent_ids = Buffer<u32>(context_, found.sent_begins.back()); });
    exchange(asked, found.received_begins, found.sent_ids, found.sent_begins);
    routes_ = std::move(found);
  }

  /// Sends the elements from begins[r] to begins[r + 1] - 1 to rank r.
  template <class T>
  void exchange(const Buffer<T>& send, const std::vector<u64>& send_begins, Buffer<T>& receive,
                const std::vector<u64>& receive_begins) {
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    for (u32 other = 0; other < comm_.size(); ++other) {
      outgoing.push_back(
          {send.data() + send_begins[other], (send_begins[other + 1] - send_begins[other]) * sizeof(T)});
      incoming.push_back({receive.data() + receive_begins[other],
                          (receive_begins[other + 1] - receive_begins[other]) * sizeof(T)});
    }
    comm_.exchange(context_, outgoing, incoming);
  }

  void send_triangles() {
    const ProfileScope scope(context_.profile(), "shards: exchange");
    const bool is_alone = comm_.size() == 1;
    comm_.agree([&] {
      const u64 sent = routes_.sent_ids.size();
      moved_ = Buffer<PackedTriangle>(context_, sent);
      moved_masks_ = Buffer<u32>(context_, has_masks_ ? sent : 0);
      dispatch(context_, [&](const auto& ex) {
        pack_for_ranks(ex, triangles_.views(), routes_.sent_ids.data(), sent, u32(shard_.first_ids[comm_.rank()]),
                       moved_.data(), has_masks_ ? moved_masks_.data() : nullptr);
      });
      if (is_alone) return;
      received_ = Buffer<PackedTriangle>(context_, slot_count());
      received_masks_ = Buffer<u32>(context_, has_masks_ ? slot_count() : 0);
    });
    if (is_alone) {  // it would send everything to itself
      received_ = std::move(moved_);
      received_masks_ = std::move(moved_masks_);
      return;
    }
    exchange(moved_, routes_.sent_begins, received_, routes_.received_begins);
    if (has_masks_) exchange(moved_masks_, routes_.sent_begins, received_masks_, routes_.received_begins);
  }

  void fit() {
    PackedTriangles& own = shard_.triangles;
    if (has_masks_ && own.masks.empty()) own.masks = Buffer<u32>(context_, slot_count());
    dispatch(context_, [&](const auto& ex) {
      store_at_slots(ex, received_.data(), received_masks_.data(), routes_.slots.data(), slot_count(),
                     own.triangles.data(), has_masks_ ? own.masks.data() : nullptr);
    });
    if (slot_count() > 0) copse::refit(context_, shard_.tree, triangles_of(shard_));
  }

  Communicator& comm_;
  Context& context_;
  ShardedBvh& shard_;
  ShardedRoutes& routes_;
  const TriangleViews& triangles_;
  bool has_masks_ = false;
  Buffer<PackedTriangle> moved_, received_;
  Buffer<u32> moved_masks_, received_masks_;
};

}  // namespace

}  // namespace detail

void refit(Communicator& comm, Context& context, ShardedBvh& shard, const TriangleViews& triangles) {
  detail::ShardRefit(comm, context, shard, triangles).run();
}

}  // namespace copse
