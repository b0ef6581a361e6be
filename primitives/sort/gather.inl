// The body of gather.cpp: moves records by index, and inverts an index.

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// Returns the indices of an array. An index past the last record becomes ~Id{0}, which stands for no record.
template <class Id>
struct IndicesBelow {
  const Id* indices;
  u64 record_count;

  COPSE_HD Id operator()(u64 i) const {
    const Id id = indices[i];
    return id < record_count ? id : ~Id{0};
  }
};

template <class Executor, class Id>
void gather_by_array(const Executor& ex, const void* in, u64 record_bytes, u64 record_count, const Id* indices,
                     u64 n, void* out) {
  gather_records(ex, "gather", n, in, record_bytes, IndicesBelow<Id>{indices, record_count}, out);
}

template <class Executor, class Id>
void scatter_by_array(const Executor& ex, const void* in, u64 record_bytes, u64 record_count, const Id* indices,
                      u64 n, void* out) {
  scatter_records(ex, "scatter", n, in, record_bytes, IndicesBelow<Id>{indices, record_count}, out);
}

template void gather_by_array(const BodyExecutor&, const void*, u64, u64, const u32*, u64, void*);
template void gather_by_array(const BodyExecutor&, const void*, u64, u64, const u64*, u64, void*);
template void scatter_by_array(const BodyExecutor&, const void*, u64, u64, const u32*, u64, void*);
template void scatter_by_array(const BodyExecutor&, const void*, u64, u64, const u64*, u64, void*);

/// Sets inverse[index[i]] to i.
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
