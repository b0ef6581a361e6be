#include "primitives/invert_index.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: invert_index.inl, for either executor.
template <class Executor>
void invert_indices(const Executor& ex, const u32* index, u64 n, u32* inverse, u64 inverse_count);

}  // namespace detail

void invert_index(Context& context, BufferSpan<const u32> index, BufferSpan<u32> inverse) {
  constexpr const char* name = "invert index";
  detail::check_range(name, index.size(), "elements", 0, 0xffffffffu);
  detail::check_apart(name, index, inverse);
  dispatch(context, [&](const auto& ex) {
    detail::invert_indices(ex, index.data(), index.size(), inverse.data(), inverse.size());
  });
}

}  // namespace copse
