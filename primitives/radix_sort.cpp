#include "primitives/radix_sort.h"

#include <string>

#include "primitives/core/dispatch.h"
#include "primitives/radix_sort_body.h"

namespace copse {

namespace {

constexpr u64 most_elements = 0xffffffffu;

template <class T>
void check_apart(BufferSpan<const T> in, BufferSpan<T> out, const char* what) {
  if (in.size() != out.size()) {
    throw Error(ErrorCode::invalid_argument, std::string("radix sort: the output has ") +
                                                 std::to_string(out.size()) + " " + what + ", the input " +
                                                 std::to_string(in.size()));
  }
  if (in.data() < out.data() + out.size() && out.data() < in.data() + in.size()) {
    throw Error(ErrorCode::invalid_argument, std::string("radix sort: the output ") + what + " overlap the input");
  }
}

template <class Key>
void check(BufferSpan<const Key> keys_in, BufferSpan<Key> keys_out, BitRange bits) {
  constexpr u32 width = sizeof(Key) * 8;
  if (bits.begin > bits.end || bits.end > width) {
    throw Error(ErrorCode::invalid_argument, "radix sort: bits " + std::to_string(bits.begin) + " to " +
                                                 std::to_string(bits.end) + " of a key of " +
                                                 std::to_string(width) + " bits");
  }
  if (keys_in.size() > most_elements) {
    throw Error(ErrorCode::invalid_argument, "radix sort: " + std::to_string(keys_in.size()) + " keys, at most " +
                                                 std::to_string(most_elements));
  }
  check_apart(keys_in, keys_out, "keys");
}

}  // namespace

template <class Key>
void radix_sort_keys(Context& context, BufferSpan<const Key> keys_in, BufferSpan<Key> keys_out, BitRange bits) {
  check(keys_in, keys_out, bits);
  dispatch(context, [&](const auto& ex) {
    detail::sort_elements(ex, keys_in.data(), static_cast<const u32*>(nullptr), keys_in.size(), keys_out.data(),
                          static_cast<u32*>(nullptr), bits);
  });
}

template <class Key>
void radix_sort_pairs(Context& context, BufferSpan<const Key> keys_in, BufferSpan<const u32> values_in,
                      BufferSpan<Key> keys_out, BufferSpan<u32> values_out, BitRange bits) {
  check(keys_in, keys_out, bits);
  check_apart(values_in, values_out, "values");
  if (keys_in.size() != values_in.size()) {
    throw Error(ErrorCode::invalid_argument, "radix sort: " + std::to_string(values_in.size()) + " values for " +
                                                 std::to_string(keys_in.size()) + " keys");
  }
  if (keys_in.empty()) return;
  dispatch(context, [&](const auto& ex) {
    detail::sort_elements(ex, keys_in.data(), values_in.data(), keys_in.size(), keys_out.data(), values_out.data(),
                          bits);
  });
}

#define COPSE_RADIX_SORT(Key)                                                                             \
  template void radix_sort_keys(Context&, BufferSpan<const Key>, BufferSpan<Key>, BitRange);              \
  template void radix_sort_pairs(Context&, BufferSpan<const Key>, BufferSpan<const u32>, BufferSpan<Key>, \
                                 BufferSpan<u32>, BitRange);
COPSE_RADIX_SORT(u32)
COPSE_RADIX_SORT(u64)
#undef COPSE_RADIX_SORT

}  // namespace copse
