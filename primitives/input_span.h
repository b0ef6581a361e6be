#pragma once

#include <type_traits>

#include "primitives/core/span.h"

namespace copse {

/// The input of a call that learns T from its other arguments. So the call takes a span of T as well as one of
/// const T, and T need not be named.
template <class T>
using InputSpan = BufferSpan<const std::type_identity_t<T>>;

}  // namespace copse
