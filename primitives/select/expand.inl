// The body of expand.cpp: stores for each slot the element that owns it.

#include "primitives/inputs.h"

namespace copse::detail {

struct StoreOwner {
  u32* owners;
  COPSE_HD void operator()(u64 i, u64, u64 slot) const { owners[slot] = u32(i); }
};

template <class Executor>
void expand_to_owners(const Executor& ex, const u32* counts, u64 n, u64* offsets, u32* owners, u64 capacity,
                      u64* total) {
  expand(ex, "expand", n, Elements<u32>{counts}, StoreOwner{owners}, capacity, offsets, total);
}

template void expand_to_owners(const BodyExecutor&, const u32*, u64, u64*, u32*, u64, u64*);

}  // namespace copse::detail
