#pragma once

#include "primitives/core/types.h"

namespace copse::detail {

/// How far a walk and its leaf test go. Where seldom things are needed, to climb or to test a triangle in double
/// precision, a quick walk ends, a quick test says miss, and both that they gave up; the ray is then traced again
/// by whole ones. So nothing is called from within the loop of a walk, which costs a GPU more than the few walks
/// that are done twice: without calls packets were 2.6 times as fast, and other kernels by 7 to 13 percent (H200,
/// testball).
enum class Robustness : u8 { robust, fast };

}  // namespace copse::detail
