#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// The indices of an array. An index past the last record becomes ~Id{0}, which stands for no record.
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

}  // namespace copse::detail
