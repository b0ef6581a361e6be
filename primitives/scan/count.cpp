#include "primitives/count.h"

#include <string>

#include "primitives/core/dispatch.h"
#include "primitives/scan/count_body.h"
#include "primitives/select/flag_arguments.h"

namespace copse {

namespace {

template <class T>
void check_output(BufferSpan<T> out) {
  if (out.empty()) throw Error(ErrorCode::invalid_argument, "count: the output has 0 elements, 1 is needed");
}

template <class T>
void ask(Context& context, BufferSpan<const u8> flags, detail::Question question, BufferSpan<T> out) {
  check_output(out);
  dispatch(context,
           [&](const auto& ex) { detail::ask_byte_flags(ex, flags.data(), flags.size(), question, out.data()); });
}

template <class T>
void ask(Context& context, BitSpan flags, detail::Question question, BufferSpan<T> out) {
  check_output(out);
  check_bits("count", flags);
  dispatch(context, [&](const auto& ex) {
    detail::ask_bit_flags(ex, flags.words.data(), flags.size, question, out.data());
  });
}

}  // namespace

void count_flags(Context& context, BufferSpan<const u8> flags, BufferSpan<u64> out) {
  ask(context, flags, detail::Question::count, out);
}
void count_flags(Context& context, BitSpan flags, BufferSpan<u64> out) {
  ask(context, flags, detail::Question::count, out);
}

void any_flag(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> out) {
  ask(context, flags, detail::Question::any, out);
}
void any_flag(Context& context, BitSpan flags, BufferSpan<u32> out) {
  ask(context, flags, detail::Question::any, out);
}

void all_flags(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> out) {
  ask(context, flags, detail::Question::all, out);
}
void all_flags(Context& context, BitSpan flags, BufferSpan<u32> out) {
  ask(context, flags, detail::Question::all, out);
}

}  // namespace copse
