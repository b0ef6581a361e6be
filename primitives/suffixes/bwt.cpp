#include "primitives/bwt.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: bwt.inl, for either executor.
template <class Executor>
void transform_text(const Executor& ex, const u8* text, u64 n, const u32* suffixes, u8* transform, u32* primary);
/// Returns false if no text has this transform.
template <class Executor>
bool restore_text(const Executor& ex, const u8* transform, u64 n, u32 primary, u8* text);

}  // namespace detail

void bwt(Context& context, BufferSpan<const u8> text, BufferSpan<const u32> suffixes, BufferSpan<u8> transform,
         BufferSpan<u32> primary) {
  constexpr const char* name = "bwt";
  constexpr u64 max_bytes = 0xfffffffeu;
  detail::check_range(name, text.size(), "bytes of text", 0, max_bytes);
  detail::check_one_each(name, suffixes.size(), "suffixes", text.size(), "bytes of text");
  detail::check_one_each(name, transform.size(), "bytes of transform", text.size(), "bytes of text");
  detail::check_room(name, "primary", primary.size(), 1);
  detail::check_apart(name, text, transform, "the transform overlaps the text; they must be apart");
  detail::check_apart(name, suffixes, transform, "the transform overlaps the suffixes; they must be apart");
  dispatch(context, [&](const auto& ex) {
    detail::transform_text(ex, text.data(), text.size(), suffixes.data(), transform.data(), primary.data());
  });
}

void inverse_bwt(Context& context, BufferSpan<const u8> transform, u32 primary, BufferSpan<u8> text) {
  constexpr const char* name = "inverse bwt";
  constexpr u64 max_bytes = 0xfffffffdu;
  const u64 n = transform.size();
  detail::check_range(name, n, "bytes of transform", 0, max_bytes);
  detail::check_one_each(name, text.size(), "bytes of text", n, "bytes of transform");
  detail::check_apart(name, transform, text, "the text overlaps the transform; they must be apart");
  if (n == 0 ? primary != 0 : primary < 1 || primary > n) {
    detail::refuse(name, "the primary row is " + std::to_string(primary) + "; it can be " +
                             (n == 0 ? "0 for no bytes" : "1 to " + std::to_string(n)));
  }
  if (n == 0) return;
  const bool is_text = dispatch(context, [&](const auto& ex) {
    if (is_capturing(ex)) detail::refuse(name, "it waits for its result, so it cannot be captured into a graph");
    return detail::restore_text(ex, transform.data(), n, primary, text.data());
  });
  if (!is_text) {
    detail::refuse(name, "no text of " + detail::counted(n, "bytes") + " has this transform with primary row " +
                             std::to_string(primary));
  }
}

u64 inverse_bwt_scratch_bytes(u64 n) {
  return 21 * n + (u64{1} << 20);
}

}  // namespace copse
