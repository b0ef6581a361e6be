#include "primitives/count.h"

#include "primitives/core/dispatch.h"
#include "primitives/select/flagged.h"

namespace copse {

namespace detail {

// The body: count.inl, for either executor.
/// Stores the answer to `question` about byte flags in `out`: a u64 for a count, else a u32.
template <class Executor>
void ask_byte_flags(const Executor& ex, const u8* flags, u64 n, FlagQuestion question, void* out);
template <class Executor>
void ask_bit_flags(const Executor& ex, const u32* words, u64 n, FlagQuestion question, void* out);

}  // namespace detail

namespace {

template <class T>
void ask(Context& context, BufferSpan<const u8> flags, detail::FlagQuestion question, BufferSpan<T> out) {
  detail::check_room("count", "the output", out.size(), 1);
  dispatch(context,
           [&](const auto& ex) { detail::ask_byte_flags(ex, flags.data(), flags.size(), question, out.data()); });
}

template <class T>
void ask(Context& context, BitSpan flags, detail::FlagQuestion question, BufferSpan<T> out) {
  detail::check_room("count", "the output", out.size(), 1);
  detail::check_bits("count", flags);
  dispatch(context, [&](const auto& ex) {
    detail::ask_bit_flags(ex, flags.words.data(), flags.size, question, out.data());
  });
}

}  // namespace

void count_flags(Context& context, BufferSpan<const u8> flags, BufferSpan<u64> out) {
  ask(context, flags, detail::FlagQuestion::count, out);
}
void count_flags(Context& context, BitSpan flags, BufferSpan<u64> out) {
  ask(context, flags, detail::FlagQuestion::count, out);
}

void any_flag(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> out) {
  ask(context, flags, detail::FlagQuestion::any, out);
}
void any_flag(Context& context, BitSpan flags, BufferSpan<u32> out) {
  ask(context, flags, detail::FlagQuestion::any, out);
}

void all_flags(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> out) {
  ask(context, flags, detail::FlagQuestion::all, out);
}
void all_flags(Context& context, BitSpan flags, BufferSpan<u32> out) {
  ask(context, flags, detail::FlagQuestion::all, out);
}

}  // namespace copse
