#pragma once

// Contract of for_each and fill_bytes; implemented in cpu/for_each.h and cuda/for_each.cuh.
//
//   for_each(ex, label, n, f)
//     Calls f(i) once for each i in [0, n), in no particular order. `f` is a named struct with a host+device `void
//     operator()(u64 i) const`. It is copied, so its pointers must point to the executor's memory. No scratch.
//
//   fill_bytes(ex, label, data, count, byte)
//     Sets every byte of `count` elements. No scratch.

#include "primitives/core/executor.h"
