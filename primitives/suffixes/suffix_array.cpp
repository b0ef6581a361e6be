#include "primitives/suffix_array.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: suffix_array.inl, for either executor.
template <class Executor>
void sort_suffixes(const Executor& ex, const u8* text, u64 n, u32* suffixes);

}  // namespace detail

void suffix_array(Context& context, BufferSpan<const u8> text, BufferSpan<u32> suffixes) {
  constexpr const char* name = "suffix array";
  constexpr u64 max_bytes = 0xfffffffeu;
  detail::check_range(name, text.size(), "bytes of text", 0, max_bytes);
  detail::check_one_each(name, suffixes.size(), "suffixes", text.size(), "bytes of text");
  detail::check_apart(name, text, suffixes, "the suffixes overlap the text; they must be apart");
  if (text.empty()) return;
  dispatch(context, [&](const auto& ex) {
    if (is_capturing(ex)) detail::refuse(name, "it waits for counts, so it cannot be captured into a graph");
    ex.scratch.reserve(suffix_array_scratch_bytes(text.size()));
    detail::sort_suffixes(ex, text.data(), text.size(), suffixes.data());
  });
}

u64 suffix_array_scratch_bytes(u64 n) {
  return 19 * n + (u64{1} << 20);
}

}  // namespace copse
