#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/input_span.h"

namespace copse {

/// Stores the summed-area table of an image: out[y * width + x] = the sum of all in[v * width + u] with u <= x
/// and v <= y (Crow, "Summed-Area Tables for Texture Mapping", SIGGRAPH 1984).
///   in:  width * height elements, row by row, may be empty
///   out: as many; may be `in` itself, must not overlap it otherwise
/// Integers wrap around and are equal on all backends. Sums of floats are equal in every run on one backend, but
/// differ between backends.
/// For T of u32, u64, i32, i64, float, double.
/// Throws: Error invalid_argument if the sizes differ from width * height, Error out_of_memory.
/// Memory: scratch of one T for each 8 elements on CUDA, and for each 16 on the CPU, plus a row.
/// With your own input function: primitives/cpu/summed_area_table.h, primitives/cuda/summed_area_table.cuh.
template <class T>
void summed_area_table(Context& context, u64 width, u64 height, InputSpan<T> in, BufferSpan<T> out);

// The template behind it, on either executor:
//
//   summed_area_table(ex, label, width, height, input, out)
//     `input`: T operator()(u64) const of the index y * width + x, host+device. It is called twice for each
//     element, both times before that element of `out` is written, so it may read `out`.
//     T: a number.
//
//   summed_area_table_scratch_bytes<T>(ex, width, height)
//     The scratch that it takes.

}  // namespace copse
