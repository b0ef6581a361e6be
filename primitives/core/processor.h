#pragma once

// Instructions and registers that differ between kinds of processors.

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

#include "primitives/core/types.h"

namespace copse {

/// Tells the processor that the thread waits in a loop, so that the other thread of its core can use it.
inline void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The register that says how floating-point numbers are rounded, and what becomes of denormal ones. WebAssembly has
// none: it always rounds to nearest, with denormals.
#if defined(__x86_64__) || defined(__i386__)

inline u64 float_control() {
  return _mm_getcsr();
}
inline void set_float_control(u64 value) {
  _mm_setcsr(u32(value));
}

/// Flush to zero, rounding mode and denormals are zero: bits 15, 14..13 and 6.
inline constexpr u64 float_control_mode = 0x8000 | 0x6000 | 0x0040;

/// No exception traps: bits 12..7.
inline constexpr u64 float_control_quiet = 0x1f80;

#elif defined(__aarch64__)

inline u64 float_control() {
  u64 value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
inline void set_float_control(u64 value) {
  asm volatile("msr fpcr, %0" ::"r"(value));
}

/// Default NaN, flush to zero, rounding mode, flush to zero of 16 bits, and the traps of exceptions: bits 25, 24,
/// 23..22, 19, 15 and 12..8.
inline constexpr u64 float_control_mode = 0x3c80000 | 0x9f00;
inline constexpr u64 float_control_quiet = 0;

#else

inline u64 float_control() {
  return 0;
}
inline void set_float_control(u64) {}
inline constexpr u64 float_control_mode = 0, float_control_quiet = 0;

#endif

}  // namespace copse
