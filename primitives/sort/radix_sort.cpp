#include "primitives/radix_sort.h"

#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "primitives/sort/sort_arguments.h"

namespace copse {

namespace detail {

// The body: radix_sort.inl, for either executor.
/// Sorts keys alone if `values_out` is null. Sorts indices if only `values_in` is null.
template <class Executor, class Bits>
void sort_elements(const Executor& ex, const Bits* keys_in, const u32* values_in, u64 n, Bits* keys_out,
                   u32* values_out, BitRange bits, const KeyEncoding<Bits>& encoding);

}  // namespace detail

namespace {

constexpr const char* radix_sort_name = "radix sort";

template <class T>
void check_output(const char* things, BufferSpan<const T> in, BufferSpan<T> out) {
  detail::check_sort_output(radix_sort_name, things, in, out, detail::InPlace::refused);
}

template <class Key>
void run(Context& context, BufferSpan<const Key> keys_in, const u32* values_in, Key* keys_out, u32* values_out,
         BitRange bits, SortOrder order) {
  using Bits = typename KeyBits<Key>::type;
  dispatch(context, [&](const auto& ex) {
    detail::sort_elements(ex, reinterpret_cast<const Bits*>(keys_in.data()), values_in, keys_in.size(),
                          reinterpret_cast<Bits*>(keys_out), values_out, bits, encoding_of<Key>(order));
  });
}

}  // namespace

template <class Key>
void radix_sort_keys(Context& context, InputSpan<Key> keys_in, BufferSpan<Key> keys_out, BitRange bits,
                     SortOrder order) {
  detail::check_key_bits<Key>(radix_sort_name, bits);
  check_output("keys", keys_in, keys_out);
  run<Key>(context, keys_in, nullptr, keys_out.data(), nullptr, bits, order);
}

template <class Key>
void radix_sort_pairs(Context& context, InputSpan<Key> keys_in, BufferSpan<const u32> values_in,
                      BufferSpan<Key> keys_out, BufferSpan<u32> values_out, BitRange bits, SortOrder order) {
  detail::check_key_bits<Key>(radix_sort_name, bits);
  check_output("keys", keys_in, keys_out);
  check_output("values", values_in, values_out);
  detail::check_one_each(radix_sort_name, values_in.size(), "values", keys_in.size(), "keys");
  if (keys_in.empty()) return;
  run<Key>(context, keys_in, values_in.data(), keys_out.data(), values_out.data(), bits, order);
}

template <class Key>
void radix_sort_indices(Context& context, BufferSpan<const Key> keys, BufferSpan<u32> indices_out, BitRange bits,
                        SortOrder order) {
  detail::check_key_bits<Key>(radix_sort_name, bits);
  if (indices_out.size() != keys.size()) {
    detail::refuse(radix_sort_name, "the output has " + detail::counted(indices_out.size(), "indices") +
                                        ", but the input has " + detail::counted(keys.size(), "keys"));
  }
  detail::check_index_count(radix_sort_name, "keys", keys.size());
  if (keys.empty()) return;
  run<Key>(context, keys, nullptr, nullptr, indices_out.data(), bits, order);
}

#define COPSE_RADIX_SORT(Key)                                                                                     \
  template COPSE_API void radix_sort_keys(Context&, BufferSpan<const Key>, BufferSpan<Key>, BitRange, SortOrder); \
  template COPSE_API void radix_sort_pairs(Context&, BufferSpan<const Key>, BufferSpan<const u32>,                \
                                           BufferSpan<Key>, BufferSpan<u32>, BitRange, SortOrder);                \
  template COPSE_API void radix_sort_indices(Context&, BufferSpan<const Key>, BufferSpan<u32>, BitRange,          \
                                             SortOrder);
COPSE_RADIX_SORT(u32)
COPSE_RADIX_SORT(u64)
COPSE_RADIX_SORT(i32)
COPSE_RADIX_SORT(i64)
COPSE_RADIX_SORT(float)
COPSE_RADIX_SORT(double)
COPSE_RADIX_SORT(Key96)
COPSE_RADIX_SORT(Key128)
#undef COPSE_RADIX_SORT

}  // namespace copse
