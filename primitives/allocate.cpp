#include "primitives/allocate.h"

#include "primitives/allocate_body.h"
#include "primitives/core/dispatch.h"
#include "primitives/flag_arguments.h"
#include "primitives/record_arguments.h"

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
