#include "primitives/inputs.h"
#include "primitives/sort/merge_sort_body.h"

namespace copse::detail {

template <class Executor, class Key>
void merge_sort_elements(const Executor& ex, const Key* keys_in, const u32* values_in, u64 n, Key* keys_out,
                         u32* values_out) {
  if (values_out == nullptr) {
    merge_sort_keys(ex, "merge sort", n, Elements<Key>{keys_in}, Less{}, keys_out);
  } else {
    merge_sort_pairs(ex, "merge sort", n, Elements<Key>{keys_in}, Elements<u32>{values_in}, Less{}, keys_out,
                     values_out);
  }
}

#define COPSE_MERGE_SORT(Key) \
  template void merge_sort_elements(const BodyExecutor&, const Key*, const u32*, u64, Key*, u32*);
COPSE_MERGE_SORT(u32)
COPSE_MERGE_SORT(u64)
COPSE_MERGE_SORT(i32)
COPSE_MERGE_SORT(float)
COPSE_MERGE_SORT(double)
#undef COPSE_MERGE_SORT

}  // namespace copse::detail
