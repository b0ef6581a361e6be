#include "primitives/inputs.h"
#include "primitives/sort/sample_sort_body.h"

namespace copse::detail {

template <class Executor, class Key>
void sample_sort_elements(const Executor& ex, const Key* keys_in, const u32* values_in, u64 n, Key* keys_out,
                          u32* values_out) {
  if (values_out == nullptr) {
    sample_sort_keys(ex, "sample sort", n, Elements<Key>{keys_in}, Less{}, keys_out);
  } else {
    sample_sort_pairs(ex, "sample sort", n, Elements<Key>{keys_in}, Elements<u32>{values_in}, Less{}, keys_out,
                      values_out);
  }
}

#define COPSE_SAMPLE_SORT(Key) \
  template void sample_sort_elements(const BodyExecutor&, const Key*, const u32*, u64, Key*, u32*);
COPSE_SAMPLE_SORT(u32)
COPSE_SAMPLE_SORT(u64)
COPSE_SAMPLE_SORT(i32)
COPSE_SAMPLE_SORT(float)
COPSE_SAMPLE_SORT(double)
#undef COPSE_SAMPLE_SORT

}  // namespace copse::detail
