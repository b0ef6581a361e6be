#pragma once

// Contract of for_each and fill_bytes; implemented in cpu/for_each.h and cuda/for_each.cuh.
//
//   for_each(ex, label, n, f)
//     Calls f(i) once for each i in [0, n), in no particular order, u64 i. `f` is a named struct with a
//     host+device `void operator()(u64 i) const`; it is copied, so what it points to must be in the
//     executor's memory. No scratch.
//
//   fill_bytes(ex, label, data, count, byte)
//     Sets every byte of `count` elements. No scratch.

#include "primitives/core/executor.h"
