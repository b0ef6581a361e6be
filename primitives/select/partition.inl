// The body of partition.cpp: stores the elements or their indices, flagged ones first.

#include "primitives/flags.h"
#include "primitives/inputs.h"
#include "primitives/select/selection.h"

namespace copse::detail {

template <class Executor, class Word, class Flags>
void partition_flagged(const Executor& ex, const Word* in, u64 n, Flags flags, Word* out, u32* indices,
                       u64* count) {
  if (indices == nullptr) {
    partition(ex, "partition", n, flags, Elements<Word>{in}, out, count);
  } else {
    partition_each(ex, "partition", n, flags, StoreIndex<u32>{indices}, count);
  }
}

#define COPSE_PARTITION(Word)                                                                           \
  template void partition_flagged(const BodyExecutor&, const Word*, u64, ByteFlags, Word*, u32*, u64*); \
  template void partition_flagged(const BodyExecutor&, const Word*, u64, BitFlags, Word*, u32*, u64*);
COPSE_PARTITION(u32)
COPSE_PARTITION(u64)
#undef COPSE_PARTITION

}  // namespace copse::detail
