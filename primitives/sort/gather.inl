#include "primitives/sort/gather_body.h"

namespace copse::detail {

template <class Executor, class Id>
void gather_by_array(const Executor& ex, const void* in, u64 record_bytes, const IndicesBelow<Id>& index, u64 n,
                     void* out) {
  gather_records(ex, "gather", n, in, record_bytes, index, out);
}

template <class Executor, class Id>
void scatter_by_array(const Executor& ex, const void* in, u64 record_bytes, const IndicesBelow<Id>& index, u64 n,
                      void* out) {
  scatter_records(ex, "scatter", n, in, record_bytes, index, out);
}

template void gather_by_array(const BodyExecutor&, const void*, u64, const IndicesBelow<u32>&, u64, void*);
template void gather_by_array(const BodyExecutor&, const void*, u64, const IndicesBelow<u64>&, u64, void*);
template void scatter_by_array(const BodyExecutor&, const void*, u64, const IndicesBelow<u32>&, u64, void*);
template void scatter_by_array(const BodyExecutor&, const void*, u64, const IndicesBelow<u64>&, u64, void*);

}  // namespace copse::detail
