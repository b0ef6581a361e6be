#pragma once

// Which triangles each rank sends to each other rank.
//
// Every rank splits its triangles into buckets by the splitters: one for the keys between two splitters, and one for
// the keys equal to a splitter. All ranks know the sizes of all buckets. Ordered by bucket, then rank, then id, the
// triangles are nearly in the order of the tree, and each rank gets a range of this order:
//
//   keys        below K              equal to K         above K
//   rank        0   0 1 1 1 2        0 0 0 1 1 2 2      0 1 1 2
//   slots                       rank 0 | rank 1               so the border cuts a run of equal keys
//
// Within a bucket, keys are not sorted here: each rank's build sorts its triangles, and keeps equal keys in this
// order.

#include <vector>

#include "scale/shards/border_search.h"
#include "scale/shards/exchange_pieces.h"

namespace copse::detail {

class ExchangePlan {
 public:
  ///   counts:    [rank][bucket]
  ///   splitters: [rank - 1], in the order of slots
  ExchangePlan(const std::vector<std::vector<u64>>& counts, const std::vector<Splitter>& splitters);

  /// Returns where the slots of a rank begin; for rank_count, the number of all slots.
  u64 first_slot(u32 rank) const { return first_slots_[rank]; }
  u64 slot_count(u32 rank) const { return first_slots_[rank + 1] - first_slots_[rank]; }

  /// Returns where the triangles for each rank begin in those of a rank, in its own order.
  PieceBegins sent_begins(u32 rank) const;
  /// Returns where the triangles of each rank begin in those that a rank receives.
  PieceBegins received_begins(u32 rank) const;

 private:
  /// Returns how many triangles of `from` come before those that it sends to `to`.
  u64 first_sent(u32 from, u32 to) const;

  const std::vector<std::vector<u64>> counts_;
  std::vector<std::vector<u64>> begins_;  // [rank][bucket]: in the order of all triangles
  std::vector<u64> first_slots_;
};

}  // namespace copse::detail
