#include "primitives/merge_sort.h"

#include "primitives/core/dispatch.h"
#include "primitives/sort/merge_sort_body.h"
#include "primitives/sort/sort_arguments.h"

namespace copse {

template <class Key>
void merge_sort_keys(Context& context, BufferSpan<const Key> keys_in, BufferSpan<Key> keys_out) {
  detail::check_sort_output("merge sort", "keys", keys_in, keys_out);
  dispatch(context, [&](const auto& ex) {
    detail::merge_sort_elements(ex, keys_in.data(), static_cast<const u32*>(nullptr), keys_in.size(),
                                keys_out.data(), static_cast<u32*>(nullptr));
  });
}

template <class Key>
void merge_sort_pairs(Context& context, BufferSpan<const Key> keys_in, BufferSpan<const u32> values_in,
                      BufferSpan<Key> keys_out, BufferSpan<u32> values_out) {
  detail::check_sort_output("merge sort", "keys", keys_in, keys_out);
  detail::check_sort_output("merge sort", "values", values_in, values_out);
  detail::check_sort_values("merge sort", keys_in.size(), values_in.size());
  if (keys_in.empty()) return;
  dispatch(context, [&](const auto& ex) {
    detail::merge_sort_elements(ex, keys_in.data(), values_in.data(), keys_in.size(), keys_out.data(),
                                values_out.data());
  });
}

#define COPSE_MERGE_SORT(Key)                                                                             \
  template void merge_sort_keys(Context&, BufferSpan<const Key>, BufferSpan<Key>);                        \
  template void merge_sort_pairs(Context&, BufferSpan<const Key>, BufferSpan<const u32>, BufferSpan<Key>, \
                                 BufferSpan<u32>);
COPSE_MERGE_SORT(u32)
COPSE_MERGE_SORT(u64)
COPSE_MERGE_SORT(i32)
COPSE_MERGE_SORT(float)
COPSE_MERGE_SORT(double)
#undef COPSE_MERGE_SORT

}  // namespace copse
