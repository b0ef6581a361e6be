#pragma once

#include <type_traits>

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// Stands for the value's type where keys are sorted alone.
struct NoValue {};

namespace detail {

template <class Value>
inline constexpr bool has_value = !std::is_same_v<Value, NoValue>;

/// The value input where there are no values.
struct NoValueInput {
  COPSE_HD NoValue operator()(u64) const { return {}; }
};

}  // namespace detail

}  // namespace copse
