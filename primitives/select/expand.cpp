#include "primitives/expand.h"

#include "primitives/core/dispatch.h"
#include "primitives/select/expand_body.h"
#include "primitives/select/flag_arguments.h"
#include "primitives/sort/record_arguments.h"

namespace copse {

void expand(Context& context, BufferSpan<const u32> counts, BufferSpan<u64> offsets, BufferSpan<u32> owners,
            BufferSpan<u64> total) {
  check_same_count("expand", "counts", counts.size(), "offsets", offsets.size());
  check_room("expand", "the total", total.size(), 1);
  check_apart("expand", counts, offsets);
  check_apart("expand", counts, owners);
  check_apart("expand", offsets, owners);
  check_index_count("expand", "elements", counts.size());
  dispatch(context, [&](const auto& ex) {
    detail::expand_to_owners(ex, counts.data(), counts.size(), offsets.data(), owners.data(), owners.size(),
                             total.data());
  });
}

}  // namespace copse
