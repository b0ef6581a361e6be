#include "primitives/radix_sort.h"

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/sort/radix_sort_body.h"
#include "primitives/sort/record_arguments.h"

namespace copse {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, "radix sort: " + what);
}

template <class T>
void check_apart(BufferSpan<const T> in, BufferSpan<T> out, const char* what) {
  if (in.size() != out.size()) {
    refuse("the output has " + std::to_string(out.size()) + " " + what + ", the input " +
           std::to_string(in.size()));
  }
  if (overlap(in, out)) refuse(std::string("the output ") + what + " overlap the input");
}

template <class Key>
void check_bits(BitRange bits) {
  constexpr u32 width = all_bits<Key>.end;
  if (bits.begin > bits.end || bits.end > width) {
    refuse("bits " + std::to_string(bits.begin) + " to " + std::to_string(bits.end) + " of a key of " +
           std::to_string(width) + " bits");
  }
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
void radix_sort_keys(Context& context, BufferSpan<const Key> keys_in, BufferSpan<Key> keys_out, BitRange bits,
                     SortOrder order) {
  check_bits<Key>(bits);
  check_apart(keys_in, keys_out, "keys");
  run<Key>(context, keys_in, nullptr, keys_out.data(), nullptr, bits, order);
}

template <class Key>
void radix_sort_pairs(Context& context, BufferSpan<const Key> keys_in, BufferSpan<const u32> values_in,
                      BufferSpan<Key> keys_out, BufferSpan<u32> values_out, BitRange bits, SortOrder order) {
  check_bits<Key>(bits);
  check_apart(keys_in, keys_out, "keys");
  check_apart(values_in, values_out, "values");
  if (keys_in.size() != values_in.size()) {
    refuse(std::to_string(values_in.size()) + " values for " + std::to_string(keys_in.size()) + " keys");
  }
  if (keys_in.empty()) return;
  run<Key>(context, keys_in, values_in.data(), keys_out.data(), values_out.data(), bits, order);
}

template <class Key>
void radix_sort_indices(Context& context, BufferSpan<const Key> keys, BufferSpan<u32> indices_out, BitRange bits,
                        SortOrder order) {
  check_bits<Key>(bits);
  if (indices_out.size() != keys.size()) {
    refuse("the output has " + std::to_string(indices_out.size()) + " indices, the input " +
           std::to_string(keys.size()) + " keys");
  }
  check_index_count("radix sort", "keys", keys.size());
  if (keys.empty()) return;
  run<Key>(context, keys, nullptr, nullptr, indices_out.data(), bits, order);
}

#define COPSE_RADIX_SORT(Key)                                                                             \
  template void radix_sort_keys(Context&, BufferSpan<const Key>, BufferSpan<Key>, BitRange, SortOrder);   \
  template void radix_sort_pairs(Context&, BufferSpan<const Key>, BufferSpan<const u32>, BufferSpan<Key>, \
                                 BufferSpan<u32>, BitRange, SortOrder);                                   \
  template void radix_sort_indices(Context&, BufferSpan<const Key>, BufferSpan<u32>, BitRange, SortOrder);
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
