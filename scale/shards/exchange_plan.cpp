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

PieceBegins ExchangePlan::sent_begins(u32 rank) const {
  PieceBegins begins;
  for (u32 to = 0; to < first_slots_.size(); ++to) begins.push_back(first_sent(rank, to));
  return begins;
}

PieceBegins ExchangePlan::received_begins(u32 rank) const {
  PieceBegins begins{0};
  for (u32 from = 0; from < counts_.size(); ++from) {
    begins.push_back(begins.back() + first_sent(from, rank + 1) - first_sent(from, rank));
  }
  return begins;
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
