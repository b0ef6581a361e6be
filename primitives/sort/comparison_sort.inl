// The body of comparison_sort.cpp: merge sort and sample sort of arrays by Less.

#include "primitives/inputs.h"
#include "primitives/merge_sort.h"
#include "primitives/sample_sort.h"

namespace copse::detail {

template <class Executor, class Key>
void merge_sort_elements(const Executor& ex, const Key* keys_in, const u32* values_in, u64 n, Key* keys_out,
                         u32* values_out) {
  const Elements<Key> keys{keys_in};
  if (values_out == nullptr) {
    merge_sort_keys(ex, "merge sort", n, keys, Less{}, keys_out);
  } else {
    merge_sort_pairs(ex, "merge sort", n, keys, Elements<u32>{values_in}, Less{}, keys_out, values_out);
  }
}

template <class Executor, class Key>
void sample_sort_elements(const Executor& ex, const Key* keys_in, const u32* values_in, u64 n, Key* keys_out,
                          u32* values_out) {
  const Elements<Key> keys{keys_in};
  if (values_out == nullptr) {
    sample_sort_keys(ex, "sample sort", n, keys, Less{}, keys_out);
  } else {
    sample_sort_pairs(ex, "sample sort", n, keys, Elements<u32>{values_in}, Less{}, keys_out, values_out);
  }
}

#define COPSE_COMPARISON_SORTS(Key)                                                                \
  template void merge_sort_elements(const BodyExecutor&, const Key*, const u32*, u64, Key*, u32*); \
  template void sample_sort_elements(const BodyExecutor&, const Key*, const u32*, u64, Key*, u32*);
COPSE_COMPARISON_SORTS(u32)
COPSE_COMPARISON_SORTS(u64)
COPSE_COMPARISON_SORTS(i32)
COPSE_COMPARISON_SORTS(float)
COPSE_COMPARISON_SORTS(double)
#undef COPSE_COMPARISON_SORTS

}  // namespace copse::detail
