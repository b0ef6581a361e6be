#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// inverse[index[i]] = i.
struct StoreInverse {
  const u32* index;
  u32* inverse;
  u64 inverse_count;

  COPSE_HD void operator()(u64 i) const {
    const u32 place = index[i];
    if (place < inverse_count) inverse[place] = u32(i);
  }
};

template <class Executor>
void invert_indices(const Executor& ex, const u32* index, u64 n, u32* inverse, u64 inverse_count) {
  for_each(ex, "invert index", n, StoreInverse{index, inverse, inverse_count});
}

template void invert_indices(const BodyExecutor&, const u32*, u64, u32*, u64);

}  // namespace copse::detail
