// The public functions of merge sort and sample sort, which differ only in the algorithm.

#include "primitives/core/dispatch.h"
#include "primitives/merge_sort.h"
#include "primitives/sample_sort.h"
#include "primitives/sort/sort_arguments.h"

namespace copse {

namespace detail {

// The body: comparison_sort.inl, for either executor. Both sort keys alone if `values_out` is null.
template <class Executor, class Key>
void merge_sort_elements(const Executor& ex, const Key* keys_in, const u32* values_in, u64 n, Key* keys_out,
                         u32* values_out);
template <class Executor, class Key>
void sample_sort_elements(const Executor& ex, const Key* keys_in, const u32* values_in, u64 n, Key* keys_out,
                          u32* values_out);

}  // namespace detail

namespace {

struct MergeSort {
  static constexpr const char* name = "merge sort";
  template <class... Arguments>
  static void run(const Arguments&... arguments) {
    detail::merge_sort_elements(arguments...);
  }
};

struct SampleSort {
  static constexpr const char* name = "sample sort";
  template <class... Arguments>
  static void run(const Arguments&... arguments) {
    detail::sample_sort_elements(arguments...);
  }
};

template <class Algorithm, class Key>
void sort_keys(Context& context, BufferSpan<const Key> keys_in, BufferSpan<Key> keys_out) {
  detail::check_sort_output(Algorithm::name, "keys", keys_in, keys_out, detail::InPlace::allowed);
  dispatch(context, [&](const auto& ex) {
    Algorithm::run(ex, keys_in.data(), static_cast<const u32*>(nullptr), keys_in.size(), keys_out.data(),
                   static_cast<u32*>(nullptr));
  });
}

template <class Algorithm, class Key>
void sort_pairs(Context& context, BufferSpan<const Key> keys_in, BufferSpan<const u32> values_in,
                BufferSpan<Key> keys_out, BufferSpan<u32> values_out) {
  detail::check_sort_output(Algorithm::name, "keys", keys_in, keys_out, detail::InPlace::allowed);
  detail::check_sort_output(Algorithm::name, "values", values_in, values_out, detail::InPlace::allowed);
  detail::check_one_each(Algorithm::name, values_in.size(), "values", keys_in.size(), "keys");
  if (keys_in.empty()) return;
  dispatch(context, [&](const auto& ex) {
    Algorithm::run(ex, keys_in.data(), values_in.data(), keys_in.size(), keys_out.data(), values_out.data());
  });
}

}  // namespace

template <class Key>
void merge_sort_keys(Context& context, InputSpan<Key> keys_in, BufferSpan<Key> keys_out) {
  sort_keys<MergeSort>(context, keys_in, keys_out);
}

template <class Key>
void merge_sort_pairs(Context& context, InputSpan<Key> keys_in, BufferSpan<const u32> values_in,
                      BufferSpan<Key> keys_out, BufferSpan<u32> values_out) {
  sort_pairs<MergeSort>(context, keys_in, values_in, keys_out, values_out);
}

template <class Key>
void sample_sort_keys(Context& context, InputSpan<Key> keys_in, BufferSpan<Key> keys_out) {
  sort_keys<SampleSort>(context, keys_in, keys_out);
}

template <class Key>
void sample_sort_pairs(Context& context, InputSpan<Key> keys_in, BufferSpan<const u32> values_in,
                       BufferSpan<Key> keys_out, BufferSpan<u32> values_out) {
  sort_pairs<SampleSort>(context, keys_in, values_in, keys_out, values_out);
}

#define COPSE_COMPARISON_SORT(name, Key)                                                                        \
  template COPSE_API void name##_keys(Context&, BufferSpan<const Key>, BufferSpan<Key>);                        \
  template COPSE_API void name##_pairs(Context&, BufferSpan<const Key>, BufferSpan<const u32>, BufferSpan<Key>, \
                                       BufferSpan<u32>);
#define COPSE_COMPARISON_SORTS(Key)      \
  COPSE_COMPARISON_SORT(merge_sort, Key) \
  COPSE_COMPARISON_SORT(sample_sort, Key)
COPSE_COMPARISON_SORTS(u32)
COPSE_COMPARISON_SORTS(u64)
COPSE_COMPARISON_SORTS(i32)
COPSE_COMPARISON_SORTS(float)
COPSE_COMPARISON_SORTS(double)
#undef COPSE_COMPARISON_SORTS
#undef COPSE_COMPARISON_SORT

}  // namespace copse
