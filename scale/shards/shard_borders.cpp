// The steps of a sharded build that find the borders between ranks: keys, their counts, and what each rank sends.

#include <algorithm>
#include <string>

#include "builders/geometry/primitive_set.h"
#include "builders/geometry/scene_bounds.h"
#include "primitives/core/dispatch.h"
#include "primitives/cpu/float_mode.h"
#include "scale/shards/shard_build.h"

namespace copse::detail {

// The body: shard_steps.inl, for either executor.
template <class Executor>
void store_shard_keys(const Executor& ex, std::span<const TriangleView> views, u64 n, const MortonSlice& curve,
                      u64* keys);
template <class Executor>
void count_shard_keys(const Executor& ex, const u64* keys, u64 n, std::span<const u64> prefixes, DigitRange digits,
                      u64* counts);
template <class Executor>
void split_shard_keys(const Executor& ex, const u64* keys, u64 n, std::span<const u64> splitters, u32* ids,
                      u64* begins);
template <class Executor>
void list_left_out(const Executor& ex, const u32* ids, u64 count, u32 first_id, u32* out);

void ShardBuild::make_keys() {
  const ProfileScope scope(context_.profile(), "shards: all keys");
  comm_.agree([&] {
    keys_ = Buffer<u64>(context_, own_count());
    dispatch(context_,
             [&](const auto& ex) { store_shard_keys(ex, triangles_.views(), own_count(), curve_, keys_.data()); });
  });
}

/// Tries the borders of an earlier build. Returns false if there are none, or if a rank would get far more than its share.
bool ShardBuild::keep_borders() {
  if (old_keys_.empty()) return false;
  for (const u64 key : old_keys_) splitters_.push_back({key, 0});
  split_by_borders();
  const u64 share = plan_->first_slot(comm_.size()) / comm_.size();
  for (u32 rank = 0; rank < comm_.size(); ++rank) {
    if (plan_->slot_count(rank) > smaller(share + share / 4 + 1, max_primitives)) return false;
  }
  shard_.has_kept_borders = true;
  return true;
}

void ShardBuild::find_borders() {
  const ProfileScope scope(context_.profile(), "shards: borders");
  search_ = BorderSearch(comm_.size());
  while (!search_.is_done()) {
    std::vector<u64> counts;
    comm_.agree([&] { counts = count_keys(); });
    comm_.sum(counts);
    search_.take(counts);
  }
  splitters_ = search_.splitters();
  cuts_equal_keys_ = true;
}

std::vector<u64> ShardBuild::count_keys() {
  const Buffer<u64> prefixes(context_, search_.prefixes());
  Buffer<u64> counts(context_, prefixes.size() * search_.digits().bin_count());
  dispatch(context_, [&](const auto& ex) {
    count_shard_keys(ex, keys_.data(), own_count(), {prefixes.data(), prefixes.size()}, search_.digits(),
                     counts.data());
  });
  return counts.download();
}

void ShardBuild::split_by_borders() {
  const ProfileScope scope(context_.profile(), "shards: shares");
  std::vector<u64> keys;
  shard_.border_keys.clear();
  for (const Splitter& splitter : splitters_) keys.push_back(splitter.key);
  shard_.border_keys = keys;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const size_t bucket_count = 2 * keys.size() + 1;  // without that of the triangles that are left out

  std::vector<u64> begins;
  comm_.agree([&] {
    const Buffer<u64> splitters(context_, keys);
    Buffer<u64> bucket_begins(context_, bucket_count + 2);
    split_ids_ = Buffer<u32>(context_, own_count());
    dispatch(context_, [&](const auto& ex) {
      split_shard_keys(ex, keys_.data(), own_count(), {splitters.data(), splitters.size()}, split_ids_.data(),
                       bucket_begins.data());
    });
    begins = bucket_begins.download();
    shard_.left_out = Buffer<u32>(context_, own_count() - begins[bucket_count]);
    dispatch(context_, [&](const auto& ex) {
      list_left_out(ex, split_ids_.data() + begins[bucket_count], shard_.left_out.size(), first_id_,
                    shard_.left_out.data());
    });
  });

  // The ranks exchange the sizes of their buckets.
  std::vector<u64> sizes(comm_.size() * bucket_count);
  for (size_t bucket = 0; bucket < bucket_count; ++bucket) {
    sizes[comm_.rank() * bucket_count + bucket] = begins[bucket + 1] - begins[bucket];
  }
  comm_.sum(sizes);
  std::vector<std::vector<u64>> counts;
  for (u32 rank = 0; rank < comm_.size(); ++rank) {
    counts.emplace_back(sizes.begin() + rank * bucket_count, sizes.begin() + (rank + 1) * bucket_count);
  }
  if (!cuts_equal_keys_) place_splitters(keys, counts);
  plan_ = std::make_unique<ExchangePlan>(counts, splitters_);
  shard_.first_slots.clear();
  for (u32 rank = 0; rank <= comm_.size(); ++rank) {
    shard_.first_slots.push_back(triangles_before_ + plan_->first_slot(rank));
  }
  curve_.first_slot = u32(shard_.first_slots[comm_.rank()]);
}

/// A rank's tree holds fewer triangles than all ranks do. All ranks throw the same error.
void ShardBuild::check_shares() const {
  for (u32 rank = 0; rank < comm_.size(); ++rank) {
    if (plan_->slot_count(rank) <= max_primitives) continue;
    throw Error(ErrorCode::capacity, "build_sharded: rank " + std::to_string(rank) + " would get " +
                                         std::to_string(plan_->slot_count(rank)) + " triangles, at most " +
                                         std::to_string(max_primitives) + " fit on one; use more ranks");
  }
}

/// Sets the slots of splitters whose keys alone are known. No run of equal keys is cut then.
///   keys:   of the splitters, each once
///   counts: [rank][bucket]
void ShardBuild::place_splitters(const std::vector<u64>& keys, const std::vector<std::vector<u64>>& counts) {
  std::vector<u64> slots{0};  // [bucket]: where it begins in the order of all triangles
  for (size_t bucket = 0; bucket < counts[0].size(); ++bucket) {
    slots.push_back(slots.back());
    for (const std::vector<u64>& of_rank : counts) slots.back() += of_rank[bucket];
  }
  for (Splitter& splitter : splitters_) {
    const auto place = std::lower_bound(keys.begin(), keys.end(), splitter.key) - keys.begin();
    splitter.slot = slots[2 * size_t(place) + 1];
  }
}

/// Computes the deltas at the borders from the first and the last key of each rank.
void ShardBuild::find_border_deltas() {
  const ProfileScope scope(context_.profile(), "shards: border deltas");
  struct Ends {
    u64 first, last;
  } own{};
  comm_.agree([&] {
    const u64 count = shard_.triangles.triangles.size();
    if (count > 0) own = {key_of_slot(0), key_of_slot(count - 1)};
  });
  const std::vector<Ends> ends = comm_.all_gather(own);
  const std::vector<u64>& first = shard_.first_slots;
  const auto rank_of = [&](u64 slot) {
    return std::upper_bound(first.begin(), first.end(), slot) - first.begin() - 1;
  };
  for (u32 rank = 0; rank + 1 < comm_.size(); ++rank) {
    const u64 border = first[rank + 1];
    const bool has_both_sides = border > first.front() && border < first.back();
    shard_.border_deltas.push_back(has_both_sides ? u8(common_prefix(ends[rank_of(border - 1)].last,
                                                                     ends[rank_of(border)].first, u32(border) - 1))
                                                  : u8{0});
  }
}

/// Returns the key of a triangle of this rank, with the bits that the build computes.
u64 ShardBuild::key_of_slot(u64 slot) const {
  PackedTriangle packed;
  context_.device().download(&packed, shard_.triangles.triangles.data() + slot, sizeof packed);
  const cpu::FloatMode mode;
  const PreparedMortonKey<CustomBoxes> key_of{{}, {MortonGrid::of(curve_.bounds), {}}, nullptr};
  return key_of.key(bounds(packed.triangle())) & (~u64{0} << (morton_key_bits - curve_.morton_bits));
}

}  // namespace copse::detail
