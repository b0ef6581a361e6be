#include "scale/shards/exchange_plan.h"

#include <algorithm>

namespace copse::detail {

ExchangePlan::ExchangePlan(const std::vector<std::vector<u64>>& counts, const std::vector<Splitter>& splitters)
    : counts_(counts), begins_(counts), first_slots_{0} {
  u64 begin = 0;
  for (size_t bucket = 0; bucket < counts[0].size(); ++bucket) {
    for (size_t rank = 0; rank < counts.size(); ++rank) {
      begins_[rank][bucket] = begin;
      begin += counts[rank][bucket];
    }
  }
  for (const Splitter& splitter : splitters) first_slots_.push_back(splitter.slot);
  first_slots_.push_back(begin);
}

u64 ExchangePlan::first_sent(u32 from, u32 to) const {
  u64 before = 0;
  for (size_t bucket = 0; bucket < counts_[from].size(); ++bucket) {
    const u64 slot = first_slots_[to], begin = begins_[from][bucket];
    before += slot <= begin ? 0 : std::min(slot - begin, counts_[from][bucket]);
  }
  return before;
}

}  // namespace copse::detail
