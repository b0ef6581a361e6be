#pragma once

#include "primitives/core/executor.h"
#include "primitives/core/macros.h"

namespace copse::detail {

/// The indices of an array; those past the last record are none.
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
void gather_by_array(const Executor& ex, const void* in, u64 record_bytes, const IndicesBelow<Id>& index, u64 n,
                     void* out);
template <class Executor, class Id>
void scatter_by_array(const Executor& ex, const void* in, u64 record_bytes, const IndicesBelow<Id>& index, u64 n,
                      void* out);

}  // namespace copse::detail
