#pragma once

#include "primitives/core/types.h"

namespace copse::detail {

/// The two kinds of traversals and leaf tests. Fast ones give up in rare cases: when they would have to climb parent
/// links, or to test a triangle in double precision. The batch then retraces that ray by robust ones.
///
/// So the loop of a fast traversal contains no calls. On a GPU, calls in it cost more than the few rays that are
/// traced twice: without calls, packets were 2.6 times as fast, and other kernels were faster by 7 to 13 percent
/// (H200, testball).
enum class Robustness : u8 { robust, fast };

}  // namespace copse::detail
