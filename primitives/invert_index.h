#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Turns a gather index into the scatter index that moves the same records, or the reverse. Both are the inverse
/// of a permutation: inverse[index[i]] = i (Patidar, Narayanan, "Scalable Split and Gather Primitives for the
/// GPU", IIIT Hyderabad 2009, section 3.3).
///   index:   up to 2^32 - 1 elements, may be empty. Elements past the end of `inverse` are skipped. The others
///            must differ; if two are equal, one of them counts
///   inverse: any number of elements; must not overlap `index`. Elements that no index names do not change
/// Throws: Error invalid_argument for too many elements or if output overlaps input.
/// Memory: no scratch.
COPSE_API void invert_index(Context& context, BufferSpan<const u32> index, BufferSpan<u32> inverse);

}  // namespace copse
