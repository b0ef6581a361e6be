#pragma once

// Arithmetic and bit operations that give the same bits on the host and in device code.
//
// The *_rn functions are single roundings that no compiler may fuse. Headers that users' programs include are written
// with them. In device code they are intrinsics. On hosts with fused multiply-add, mul_rn hides the product from the
// optimizer by an empty asm statement, so that no sum takes it in. Copse itself is compiled with -ffp-contract=off and
// --fmad=false. So it needs no such statement, and bodies that Copse alone compiles have plain operators.

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

#if defined(COPSE_NO_CONTRACTION) || COPSE_DEVICE_CODE
#define COPSE_ROUND(product)
#elif defined(__FMA__) || defined(__FMA4__) || defined(__AVX512F__)
#define COPSE_ROUND(product) __asm__("" : "+x"(product))
#elif defined(__ARM_FEATURE_FMA)
#define COPSE_ROUND(product) __asm__("" : "+w"(product))
#else
#define COPSE_ROUND(product)
#endif

namespace copse {

COPSE_HD inline float add_rn(float a, float b) {
#if COPSE_DEVICE_CODE
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

COPSE_HD inline float sub_rn(float a, float b) {
#if COPSE_DEVICE_CODE
  return __fsub_rn(a, b);
#else
  return a - b;
#endif
}

COPSE_HD inline float mul_rn(float a, float b) {
#if COPSE_DEVICE_CODE
  return __fmul_rn(a, b);
#else
  float product = a * b;
  COPSE_ROUND(product);
  return product;
#endif
}

COPSE_HD inline float div_rn(float a, float b) {
#if COPSE_DEVICE_CODE
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

COPSE_HD inline float sqrt_rn(float a) {
#if COPSE_DEVICE_CODE
  return __fsqrt_rn(a);
#else
  return __builtin_sqrtf(a);
#endif
}

/// a * b + c in one rounding: one instruction in device code, often a call of the C library on the host.
COPSE_HD inline float fused_multiply_add(float a, float b, float c) {
#if COPSE_DEVICE_CODE
  return fmaf(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

COPSE_HD inline double add_rn(double a, double b) {
#if COPSE_DEVICE_CODE
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

COPSE_HD inline double sub_rn(double a, double b) {
#if COPSE_DEVICE_CODE
  return __dsub_rn(a, b);
#else
  return a - b;
#endif
}

COPSE_HD inline double mul_rn(double a, double b) {
#if COPSE_DEVICE_CODE
  return __dmul_rn(a, b);
#else
  double product = a * b;
  COPSE_ROUND(product);
  return product;
#endif
}

/// The smaller of `a`, which must be a number, and `b`, which is ignored if it is NaN. The two zeros count as
/// equal; it is not specified which of them is returned. One instruction on the host and in device code.
COPSE_HD inline float min_number(float a, float b) {
#if COPSE_DEVICE_CODE
  return fminf(a, b);
#else
  return b < a ? b : a;
#endif
}

/// The larger of two numbers; NaN and zeros as in min_number.
COPSE_HD inline float max_number(float a, float b) {
#if COPSE_DEVICE_CODE
  return fmaxf(a, b);
#else
  return b > a ? b : a;
#endif
}

namespace detail {

/// Bound of the error of a number that rounds to zero or to one of the smallest numbers, as the t of a hit may: 2^-147.
inline constexpr float min_denormals = 1.0f / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 27);

/// The bits of 1, twice. The bits of a power of two, taken from them, leave those of its inverse.
inline constexpr u32 one_twice = 0x7f000000u;

}  // namespace detail

/// Returns the whole part of a number that is not negative, and 0 for NaN. Devices do so by themselves. C++ leaves NaN
/// open.
COPSE_HD inline u32 whole_part(float number) {
#if COPSE_DEVICE_CODE
  return u32(number);
#else
  return number == number ? u32(number) : 0;
#endif
}

/// 1 / a with an error of at most 2 ulp, by one instruction of the GPU, for `a` of 2^-126 to 2^126. For other
/// values it may be 0 or infinite.
COPSE_HD inline float about_one_over(float a) {
#if COPSE_DEVICE_CODE
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
#else
  return 1.0f / a;
#endif
}

/// The largest of three numbers and 0. On Hopper this is one integer instruction on the bits, since the bits of
/// numbers that are not negative have the order of the numbers.
COPSE_HD inline float largest_or_zero(float a, float b, float c) {
#if COPSE_DEVICE_CODE
  return __int_as_float(__vimax3_s32_relu(__float_as_int(a), __float_as_int(b), __float_as_int(c)));
#else
  return max_number(max_number(max_number(0.0f, a), b), c);
#endif
}

/// The smallest of three numbers if none is negative, else one that is negative or -0.0. See largest_or_zero.
COPSE_HD inline float smallest_or_negative(float a, float b, float c) {
#if COPSE_DEVICE_CODE
  return __int_as_float(__vimin3_s32(__float_as_int(a), __float_as_int(b), __float_as_int(c)));
#else
  return min_number(min_number(min_number(__builtin_huge_valf(), a), b), c);
#endif
}

template <class T>
COPSE_HD inline constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}

template <class T>
COPSE_HD inline constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

COPSE_HD inline float magnitude(float a) {
#if COPSE_DEVICE_CODE
  return fabsf(a);
#else
  return __builtin_fabsf(a);
#endif
}

/// The float whose bits are `bits`.
COPSE_HD inline float float_from_bits(u32 bits) {
#if COPSE_DEVICE_CODE
  return __uint_as_float(bits);
#else
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

COPSE_HD inline u32 bits_of(float value) {
#if COPSE_DEVICE_CODE
  return __float_as_uint(value);
#else
  u32 bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

/// True if `value` is neither infinite nor NaN.
COPSE_HD inline bool is_finite(float value) {
  return (bits_of(value) & 0x7f800000u) != 0x7f800000u;
}

/// 1 + b / 2^15, where b is byte `byte` of `word`, 0 to 3, lowest first. This makes a float of a byte by one
/// permutation of bytes; a conversion would use a slow unit of the GPU.
///
///   0 01111111 0000000 bbbbbbbb 00000000
COPSE_HD inline float one_and_byte(u32 word, u32 byte) {
#if COPSE_DEVICE_CODE
  return __uint_as_float(__byte_perm(word, 0x3f800000u, 0x7604u | byte << 4));
#else
  return float_from_bits(0x3f800000u | (word >> (8 * byte) & 255u) << 8);
#endif
}

/// Four floats: 2^-24 times the bytes of a word, lowest first. A byte below a byte of zeros is a denormal half,
/// and a GPU converts halves to floats at full speed. No bias has to be subtracted.
///
///   half   0 00000 00bbbbbbbb
struct FourBytes {
  float of[4];

  COPSE_HD explicit FourBytes(u32 word) {
#if COPSE_DEVICE_CODE
    const u32 low = __byte_perm(word, 0, 0x4140), high = __byte_perm(word, 0, 0x4342);
    asm("{ .reg .b16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }"
        : "=f"(of[0]), "=f"(of[1])
        : "r"(low));
    asm("{ .reg .b16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }"
        : "=f"(of[2]), "=f"(of[3])
        : "r"(high));
#else
    for (u32 k = 0; k < 4; ++k) of[k] = float(word >> (8 * k) & 255u) * (1.0f / (1u << 24));
#endif
  }
};

inline constexpr float infinity = __builtin_huge_valf();

/// Zero bits above the highest one; 32 for zero.
COPSE_HD inline u32 leading_zeros(u32 value) {
#if COPSE_DEVICE_CODE
  return u32(__clz(int(value)));
#else
  return value == 0 ? 32u : u32(__builtin_clz(value));
#endif
}

/// Zero bits above the highest one; 64 for zero.
COPSE_HD inline u32 leading_zeros(u64 value) {
#if COPSE_DEVICE_CODE
  return u32(__clzll(i64(value)));
#else
  return value == 0 ? 64u : u32(__builtin_clzll(value));
#endif
}

COPSE_HD inline u32 population_count(u32 value) {
#if COPSE_DEVICE_CODE
  return u32(__popc(value));
#else
  return u32(__builtin_popcount(value));
#endif
}

/// Four of the eight bytes of `lo` (numbers 0 to 3) and `hi` (4 to 7), lowest first. Bits 4k to 4k + 2 of
/// `selector` are the number of byte k of the result; its other bits are 0.
COPSE_HD inline u32 pick_bytes(u32 lo, u32 hi, u32 selector) {
#if COPSE_DEVICE_CODE
  return __byte_perm(lo, hi, selector);
#else
  const u64 bytes = u64(hi) << 32 | lo;
  u32 picked = 0;
  for (u32 k = 0; k < 4; ++k) picked |= u32(bytes >> 8 * (selector >> 4 * k & 7u) & 255u) << 8 * k;
  return picked;
#endif
}

/// The upper 64 bits of the product.
COPSE_HD inline u64 multiply_high(u64 a, u64 b) {
#if COPSE_DEVICE_CODE
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return u64(Wide(a) * b >> 64);
#endif
}

COPSE_HD inline constexpr u64 divide_rounding_up(u64 a, u64 b) {
  return (a + b - 1) / b;
}

}  // namespace copse
