#include "scale/waves/waves.h"

namespace copse::detail {

// The body: wave_steps.inl, for either executor.
template <class Executor>
void split_by_rank(const Executor& ex, const u32* to, u64 n, u32 rank_count, u32* ids, u64* begins);

SplitByRank WaveMail::split(const Buffer<u32>& to) const {
  SplitByRank result{Buffer<u32>(context_, to.size()), {}};
  Buffer<u64> begins(context_, comm_.size() + 2);
  dispatch(context_, [&](const auto& ex) {
    split_by_rank(ex, to.data(), to.size(), comm_.size(), result.ids.data(), begins.data());
  });
  result.begins = begins.download(comm_.size() + 1);
  return result;
}

std::vector<u64> WaveMail::counts_of_all(const std::vector<u64>& begins) const {
  const u32 size = comm_.size();
  std::vector<u64> counts(u64{size} * size);
  for (u32 to = 0; to < size; ++to) counts[comm_.rank() * size + to] = begins[to + 1] - begins[to];
  comm_.sum(counts);
  return counts;
}

}  // namespace copse::detail
