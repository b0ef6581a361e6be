#pragma once

#include "primitives/core/macros.h"

namespace copse {

/// Returns the name that Highway gives to the instructions by which rays are traced on this CPU, such as "AVX2" or
/// "NEON": the widest that were compiled and that the CPU has. "SCALAR" where none are.
COPSE_API const char* simd_name();

}  // namespace copse
