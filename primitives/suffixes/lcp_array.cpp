#include "primitives/lcp_array.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: lcp_array.inl, for either executor.
template <class Executor>
void find_common_prefixes(const Executor& ex, const u8* text, u64 n, const u32* suffixes, u32* prefixes);

}  // namespace detail

void lcp_array(Context& context, BufferSpan<const u8> text, BufferSpan<const u32> suffixes,
               BufferSpan<u32> prefixes) {
  constexpr const char* name = "lcp array";
  constexpr u64 max_bytes = 0xfffffffeu;
  detail::check_range(name, text.size(), "bytes of text", 0, max_bytes);
  detail::check_one_each(name, suffixes.size(), "suffixes", text.size(), "bytes of text");
  detail::check_one_each(name, prefixes.size(), "prefixes", text.size(), "bytes of text");
  detail::check_apart(name, text, prefixes, "the prefixes overlap the text; they must be apart");
  detail::check_apart(name, suffixes, prefixes, "the prefixes overlap the suffixes; they must be apart");
  if (text.empty()) return;
  dispatch(context, [&](const auto& ex) {
    detail::find_common_prefixes(ex, text.data(), text.size(), suffixes.data(), prefixes.data());
  });
}

u64 lcp_array_scratch_bytes(u64 n) {
  return ScratchArena::bytes_for<u32>(n);
}

}  // namespace copse
