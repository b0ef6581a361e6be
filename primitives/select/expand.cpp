#include "primitives/expand.h"

#include "primitives/core/dispatch.h"
#include "primitives/select/expand_body.h"
#include "primitives/select/flag_arguments.h"
#include "primitives/sort/record_arguments.h"

namespace copse {

void allocate(Context& context, BufferSpan<const u32> counts, BufferSpan<u64> offsets, BufferSpan<u32> owners,
              BufferSpan<u64> total) {
  check_same_count("allocate", "counts", counts.size(), "offsets", offsets.size());
  check_room("allocate", "the total", total.size(), 1);
  check_apart("allocate", counts, offsets);
  check_apart("allocate", counts, owners);
  check_apart("allocate", offsets, owners);
  check_index_count("allocate", "elements", counts.size());
  dispatch(context, [&](const auto& ex) {
    detail::allocate_owners(ex, counts.data(), counts.size(), offsets.data(), owners.data(), owners.size(),
                            total.data());
  });
}

}  // namespace copse
