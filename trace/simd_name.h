#pragma once

#include "primitives/core/macros.h"

namespace copse {

/// Returns Highway's name of the SIMD instruction set by which rays are traced on this CPU, such as "AVX2" or "NEON":
/// the widest of those that were compiled and that the CPU has. "SCALAR" where there is none.
COPSE_API const char* simd_name();

}  // namespace copse
