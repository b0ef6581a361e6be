#include "primitives/compact.h"

#include "primitives/core/dispatch.h"
#include "primitives/select/flagged.h"

namespace copse {

namespace detail {

// The body: compact.inl, for either executor.
/// Compacts elements, which move as words of their size. `out` or `indices` may be null.
template <class Executor, class Word, class Flags>
void compact_flagged(const Executor& ex, const Word* in, u64 n, Flags flags, Word* out, u32* indices, u64* count);

}  // namespace detail

namespace {

template <class T, class Flags>
void compact_words(Context& context, const T* in, Flags flags, T* out, u32* indices, u64* count) {
  using Word = detail::WordOf<T>;
  dispatch(context, [&](const auto& ex) {
    detail::compact_flagged(ex, reinterpret_cast<const Word*>(in), detail::flag_count(flags),
                            detail::flags_of(flags), reinterpret_cast<Word*>(out), indices, count);
  });
}

template <class Flags>
void compact_positions(Context& context, Flags flags, BufferSpan<u32> indices, BufferSpan<u64> count) {
  detail::check_flagged_indices("compact", flags, indices, count);
  compact_words<u32>(context, nullptr, flags, nullptr, indices.data(), count.data());
}

template <class T, class Flags>
void compact_both(Context& context, BufferSpan<const T> in, Flags flags, BufferSpan<T> out,
                  BufferSpan<u32> indices, BufferSpan<u64> count) {
  detail::check_flagged("compact", in, flags, out, count);
  detail::check_flagged_indices("compact", flags, indices, count);
  detail::check_apart("compact", in, indices);
  detail::check_apart("compact", out, indices);
  compact_words(context, in.data(), flags, out.data(), indices.data(), count.data());
}

}  // namespace

template <class T>
void compact(Context& context, InputSpan<T> in, BufferSpan<const u8> flags, BufferSpan<T> out,
             BufferSpan<u64> count) {
  detail::check_flagged("compact", in, flags, out, count);
  compact_words<T>(context, in.data(), flags, out.data(), nullptr, count.data());
}

template <class T>
void compact(Context& context, InputSpan<T> in, BitSpan flags, BufferSpan<T> out, BufferSpan<u64> count) {
  detail::check_flagged("compact", in, flags, out, count);
  compact_words<T>(context, in.data(), flags, out.data(), nullptr, count.data());
}

void compact_indices(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> indices,
                     BufferSpan<u64> count) {
  compact_positions(context, flags, indices, count);
}

void compact_indices(Context& context, BitSpan flags, BufferSpan<u32> indices, BufferSpan<u64> count) {
  compact_positions(context, flags, indices, count);
}

template <class T>
void compact_with_indices(Context& context, InputSpan<T> in, BufferSpan<const u8> flags, BufferSpan<T> out,
                          BufferSpan<u32> indices, BufferSpan<u64> count) {
  compact_both(context, in, flags, out, indices, count);
}

template <class T>
void compact_with_indices(Context& context, InputSpan<T> in, BitSpan flags, BufferSpan<T> out,
                          BufferSpan<u32> indices, BufferSpan<u64> count) {
  compact_both(context, in, flags, out, indices, count);
}

#define COPSE_COMPACT_FLAGS(T, Flags)                                                                    \
  template COPSE_API void compact(Context&, BufferSpan<const T>, Flags, BufferSpan<T>, BufferSpan<u64>); \
  template COPSE_API void compact_with_indices(Context&, BufferSpan<const T>, Flags, BufferSpan<T>,      \
                                               BufferSpan<u32>, BufferSpan<u64>);
#define COPSE_COMPACT(T)                       \
  COPSE_COMPACT_FLAGS(T, BufferSpan<const u8>) \
  COPSE_COMPACT_FLAGS(T, BitSpan)
COPSE_COMPACT(u32)
COPSE_COMPACT(u64)
COPSE_COMPACT(i32)
COPSE_COMPACT(i64)
COPSE_COMPACT(float)
COPSE_COMPACT(double)
#undef COPSE_COMPACT
#undef COPSE_COMPACT_FLAGS

}  // namespace copse
