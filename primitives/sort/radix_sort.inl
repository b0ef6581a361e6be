// The body of radix_sort.cpp, for keys as unsigned words of each width. Bodies of other calls sort by it too.

#include "primitives/inputs.h"
#include "primitives/radix_sort.h"

namespace copse::detail {

template <class Executor, class Bits>
void sort_elements(const Executor& ex, const Bits* keys_in, const u32* values_in, u64 n, Bits* keys_out,
                   u32* values_out, BitRange bits, const KeyEncoding<Bits>& encoding) {
  const Elements<Bits> keys{keys_in};
  if (values_out == nullptr) {
    radix_sort_encoded<Bits>(ex, "radix sort", n, keys, keys_out, bits, encoding);
  } else if (values_in == nullptr) {
    radix_sort_encoded<Bits, u32>(ex, "radix sort", n, keys, Index{}, keys_out, values_out, bits, encoding);
  } else {
    radix_sort_encoded<Bits, u32>(ex, "radix sort", n, keys, Elements<u32>{values_in}, keys_out, values_out, bits,
                                  encoding);
  }
}

#define COPSE_SORT_ELEMENTS(Bits)                                                                       \
  template void sort_elements(const BodyExecutor&, const Bits*, const u32*, u64, Bits*, u32*, BitRange, \
                              const KeyEncoding<Bits>&);
COPSE_SORT_ELEMENTS(u32)
COPSE_SORT_ELEMENTS(u64)
COPSE_SORT_ELEMENTS(Key96)
COPSE_SORT_ELEMENTS(Key128)
#undef COPSE_SORT_ELEMENTS

}  // namespace copse::detail
