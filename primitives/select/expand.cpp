#include "primitives/expand.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: expand.inl, for either executor.
template <class Executor>
void expand_to_owners(const Executor& ex, const u32* counts, u64 n, u64* offsets, u32* owners, u64 capacity,
                      u64* total);

}  // namespace detail

void expand(Context& context, BufferSpan<const u32> counts, BufferSpan<u64> offsets, BufferSpan<u32> owners,
            BufferSpan<u64> total) {
  detail::check_same_count("expand", "counts", counts.size(), "offsets", offsets.size());
  detail::check_room("expand", "the total", total.size(), 1);
  detail::check_apart("expand", counts, offsets);
  detail::check_apart("expand", counts, owners);
  detail::check_apart("expand", offsets, owners);
  detail::check_index_count("expand", "elements", counts.size());
  dispatch(context, [&](const auto& ex) {
    detail::expand_to_owners(ex, counts.data(), counts.size(), offsets.data(), owners.data(), owners.size(),
                             total.data());
  });
}

}  // namespace copse
