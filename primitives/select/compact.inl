// The body of compact.cpp: stores the flagged elements, their indices, or both.

#include "primitives/flags.h"
#include "primitives/inputs.h"
#include "primitives/select/selection.h"

namespace copse::detail {

template <class Executor, class Word, class Flags>
void compact_flagged(const Executor& ex, const Word* in, u64 n, Flags flags, Word* out, u32* indices, u64* count) {
  const Elements<Word> elements{in};
  if (indices == nullptr) {
    compact(ex, "compact", n, flags, elements, out, count);
  } else if (out == nullptr) {
    compact_each(ex, "compact", n, flags, StoreIndex<u32>{indices}, count);
  } else {
    compact_each(ex, "compact", n, flags, StoreValueAndIndex<Word, Elements<Word>, u32>{elements, out, indices},
                 count);
  }
}

#define COPSE_COMPACT(Word)                                                                           \
  template void compact_flagged(const BodyExecutor&, const Word*, u64, ByteFlags, Word*, u32*, u64*); \
  template void compact_flagged(const BodyExecutor&, const Word*, u64, BitFlags, Word*, u32*, u64*);
COPSE_COMPACT(u32)
COPSE_COMPACT(u64)
#undef COPSE_COMPACT

}  // namespace copse::detail
