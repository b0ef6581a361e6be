#include "primitives/invert_index.h"

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/sort/invert_index_body.h"

namespace copse {

void invert_index(Context& context, BufferSpan<const u32> index, BufferSpan<u32> inverse) {
  constexpr u64 max_elements = 0xffffffffu;
  if (index.size() > max_elements) {
    throw Error(ErrorCode::invalid_argument, "invert index: " + std::to_string(index.size()) +
                                                 " elements, at most " + std::to_string(max_elements));
  }
  if (overlap(index, inverse)) {
    throw Error(ErrorCode::invalid_argument, "invert index: the output overlaps the input");
  }
  dispatch(context, [&](const auto& ex) {
    detail::invert_indices(ex, index.data(), index.size(), inverse.data(), inverse.size());
  });
}

}  // namespace copse
