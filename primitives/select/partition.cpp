#include "primitives/partition.h"

#include "primitives/core/dispatch.h"
#include "primitives/select/flagged.h"

namespace copse {

namespace detail {

// The body: partition.inl, for either executor.
/// Partitions elements, which move as words of their size. `out` or `indices` is null.
template <class Executor, class Word, class Flags>
void partition_flagged(const Executor& ex, const Word* in, u64 n, Flags flags, Word* out, u32* indices,
                       u64* count);

}  // namespace detail

namespace {

template <class T, class Flags>
void partition_words(Context& context, const T* in, Flags flags, T* out, u32* indices, u64* count) {
  using Word = detail::WordOf<T>;
  dispatch(context, [&](const auto& ex) {
    detail::partition_flagged(ex, reinterpret_cast<const Word*>(in), detail::flag_count(flags),
                              detail::flags_of(flags), reinterpret_cast<Word*>(out), indices, count);
  });
}

template <class T, class Flags>
void partition_values(Context& context, BufferSpan<const T> in, Flags flags, BufferSpan<T> out,
                      BufferSpan<u64> count) {
  detail::check_flagged("partition", in, flags, out, count);
  partition_words<T>(context, in.data(), flags, out.data(), nullptr, count.data());
}

template <class Flags>
void partition_positions(Context& context, Flags flags, BufferSpan<u32> indices, BufferSpan<u64> count) {
  detail::check_flagged_indices("partition", flags, indices, count);
  partition_words<u32>(context, nullptr, flags, nullptr, indices.data(), count.data());
}

}  // namespace

template <class T>
void partition(Context& context, InputSpan<T> in, BufferSpan<const u8> flags, BufferSpan<T> out,
               BufferSpan<u64> count) {
  partition_values(context, in, flags, out, count);
}

template <class T>
void partition(Context& context, InputSpan<T> in, BitSpan flags, BufferSpan<T> out, BufferSpan<u64> count) {
  partition_values(context, in, flags, out, count);
}

void partition_indices(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> indices,
                       BufferSpan<u64> count) {
  partition_positions(context, flags, indices, count);
}

void partition_indices(Context& context, BitSpan flags, BufferSpan<u32> indices, BufferSpan<u64> count) {
  partition_positions(context, flags, indices, count);
}

#define COPSE_PARTITION(T)                                                                              \
  template COPSE_API void partition(Context&, BufferSpan<const T>, BufferSpan<const u8>, BufferSpan<T>, \
                                    BufferSpan<u64>);                                                   \
  template COPSE_API void partition(Context&, BufferSpan<const T>, BitSpan, BufferSpan<T>, BufferSpan<u64>);
COPSE_PARTITION(u32)
COPSE_PARTITION(u64)
COPSE_PARTITION(i32)
COPSE_PARTITION(i64)
COPSE_PARTITION(float)
COPSE_PARTITION(double)
#undef COPSE_PARTITION

}  // namespace copse
