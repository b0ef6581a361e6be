// Gathers the parts of a sharded tree on one rank. It receives each array at its place in the whole tree. Then it makes
// the nodes that reach across borders: those of an LBVH by join_slices, those of an H-PLOC tree from their links.

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "scale/sharded_build.h"
#include "scale/shards/border_pairs.h"
#include "scale/shards/shard_view.h"
#include "scale/slices/join_slices.h"

namespace copse {

namespace {

using detail::BvhArrays;
using detail::SliceTree;

/// The arrays of a rank's tree, on the host, and its triangles' ids.
struct ShardArrays {
  std::vector<BvhNode> nodes;
  std::vector<u32> parents;
  std::vector<u8> deltas;
  std::vector<u32> ids, left_out;

  explicit ShardArrays(const ShardedBvh& shard) {
    const u64 count = shard.triangles.triangles.size();
    left_out = shard.left_out.download();
    if (count == 0) return;
    nodes = shard.tree.nodes.download(2 * count - 1);
    parents = shard.tree.parents.download(count - 1);
    const std::vector<u32> words = detail::BvhAccess::deltas(shard.tree).words.download();
    const auto* const bytes = reinterpret_cast<const u8*>(words.data() + 2);
    deltas.assign(bytes, bytes + count - 1);
    for (const PackedTriangle& triangle : shard.triangles.triangles.download()) ids.push_back(triangle.primitive);
  }
};

/// Gathers the arrays of a shard, one after another.
class Gather {
 public:
  Gather(Communicator& comm, Context& host, const ShardedBvh& shard, u32 root)
      : comm_(comm), host_(host), shard_(shard), root_(root), first_(shard.first_slots) {}

  Bvh run() {
    std::unique_ptr<ShardArrays> own;
    comm_.agree([&] {
      check();
      own = std::make_unique<ShardArrays>(shard_);
      if (is_root()) make_whole();
    });
    const std::vector<u64> left_out = comm_.all_gather(u64(own->left_out.size()));
    // A slot has two places for nodes, and one in each other array. There is one gap between slots less than slots.
    receive(own->nodes, whole_.nodes, [&](u32 rank) { return Range{2 * first_[rank], nodes_in(rank)}; });
    receive(own->parents, whole_.parents, [&](u32 rank) { return Range{first_[rank], gaps_in(rank)}; });
    if (is_lbvh())
      receive(own->deltas, whole_.deltas, [&](u32 rank) { return Range{first_[rank], gaps_in(rank)}; });
    receive(own->ids, whole_.primitive_ids, [&](u32 rank) { return Range{first_[rank], slots_in(rank)}; });
    u64 begin = first_.back();
    std::vector<Range> ends;
    for (const u64 count : left_out) ends.push_back({begin, count}), begin += count;
    receive(own->left_out, whole_.primitive_ids, [&](u32 rank) { return ends[rank]; });
    if (is_root()) join();
    return std::move(bvh_);
  }

 private:
  /// Elements of an array of the whole tree.
  struct Range {
    u64 first, count;
  };

  bool is_root() const { return comm_.rank() == root_; }
  bool is_lbvh() const { return shard_.hploc_radius == 0; }
  u64 slots_in(u32 rank) const { return first_[rank + 1] - first_[rank]; }
  u64 gaps_in(u32 rank) const { return slots_in(rank) == 0 ? 0 : slots_in(rank) - 1; }
  u64 nodes_in(u32 rank) const { return slots_in(rank) == 0 ? 0 : 2 * slots_in(rank) - 1; }

  void check() const {
    if (root_ >= comm_.size()) {
      detail::refuse("gather", "root is " + std::to_string(root_) + ", but there are " +
                                   detail::counted(comm_.size(), "ranks") + ", counted from 0");
    }
    if (host_.backend() != Backend::cpu) {
      detail::refuse("gather", std::string("the context of the host is of the backend ") +
                                   name_of(host_.backend()) + "; it must be of cpu");
    }
    detail::check_ranks("gather", comm_, shard_);
    detail::check_primitive_count(shard_.source_count);
  }

  void make_whole() {
    bvh_ = make_bvh(host_, shard_.source_count);
    bvh_.source_count = shard_.source_count;
    bvh_.max_leaf_size = 1;
    detail::BvhAccess::deltas(bvh_).may_refit = is_lbvh();
    whole_ = detail::arrays_of(bvh_);
  }

  template <class T, class RangeOf>
  void receive(const std::vector<T>& own, T* whole, const RangeOf& range_of) {
    std::vector<Outgoing> send(comm_.size());
    std::vector<Incoming> receive(comm_.size());
    send[root_] = {own.data(), own.size() * sizeof(T)};
    for (u32 rank = 0; is_root() && rank < comm_.size(); ++rank) {
      const Range range = range_of(rank);
      receive[rank] = {whole + range.first, range.count * sizeof(T)};
    }
    comm_.exchange(host_, send, receive);
  }

  /// Joins the parts to one tree. Node k of a part is at place 2 * first + k, except its root, which has no place
  /// yet.
  void join() {
    const u64 slot_count = first_.back();
    detail::store_counts(whole_, u32(slot_count), u32(slot_count), u32(shard_.source_count));
    std::vector<SliceTree> slices;
    for (u32 rank = 0; rank < comm_.size(); ++rank) {
      if (slots_in(rank) > 0) slices.push_back(move_part(rank));
      const u64 border = first_[rank + 1];
      if (is_lbvh() && border > 0 && border < slot_count) whole_.deltas[border - 1] = shard_.border_deltas[rank];
    }
    if (!is_lbvh()) {
      detail::store_border_pairs(shard_.border_pairs, first_, whole_);
    } else if (slot_count > 0) {
      detail::join_slices(slices, whole_);
      detail::store_has_deltas(whole_, 0);
    }
  }

  SliceTree move_part(u32 rank) {
    const u32 first = u32(first_[rank]), last = u32(first_[rank + 1]) - 1;
    BvhNode* const nodes = whole_.nodes + 2 * u64{first};
    for (u64 k = 0; k < nodes_in(rank); ++k) nodes[k].first += nodes[k].is_leaf() ? first : 2 * first;
    for (u64 gap = first; gap < last; ++gap) whole_.parents[gap] += 2 * first;
    return {first, last, nodes[0]};
  }

  Communicator& comm_;
  Context& host_;
  const ShardedBvh& shard_;
  u32 root_;
  const std::vector<u64>& first_;
  Bvh bvh_;
  BvhArrays whole_{};
};

}  // namespace

Bvh gather(Communicator& comm, Context& host, const ShardedBvh& shard, u32 root) {
  return Gather(comm, host, shard, root).run();
}

}  // namespace copse
