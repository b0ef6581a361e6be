#include "primitives/inputs.h"
#include "primitives/radix_sort_body.h"

namespace copse::detail {

template <class Executor, class Key>
void sort_elements(const Executor& ex, const Key* keys_in, const u32* values_in, u64 n, Key* keys_out,
                   u32* values_out, BitRange bits) {
  if (values_out == nullptr) {
    radix_sort_keys(ex, "radix sort", n, Elements<Key>{keys_in}, keys_out, bits);
  } else {
    radix_sort_pairs(ex, "radix sort", n, Elements<Key>{keys_in}, Elements<u32>{values_in}, keys_out, values_out,
                     bits);
  }
}

template void sort_elements(const BodyExecutor&, const u32*, const u32*, u64, u32*, u32*, BitRange);
template void sort_elements(const BodyExecutor&, const u64*, const u32*, u64, u64*, u32*, BitRange);

}  // namespace copse::detail
