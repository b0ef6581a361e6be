#pragma once

// Atomic operations on plain memory, the same on the host and in device code (scope: the whole device).
//
// Hand-over between threads is acquire-release: what the earlier arrival wrote before its operation is
// seen by the later one after its own.

#include <atomic>

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// Stores `value` and returns what stood there before; acquires and releases.
COPSE_HD inline u32 exchange_acq_rel(u32* p, u32 value) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.acq_rel.gpu.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(value) : "memory");
  return before;
#else
  return std::atomic_ref<u32>(*p).exchange(value, std::memory_order_acq_rel);
#endif
}

/// Stores `value` and returns what stood there before; orders nothing else.
COPSE_HD inline u64 exchange_relaxed(u64* p, u64 value) {
#if COPSE_DEVICE_CODE
  return atomicExch(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
  return std::atomic_ref<u64>(*p).exchange(value, std::memory_order_relaxed);
#endif
}

/// Adds `value` and returns what stood there before; acquires and releases.
COPSE_HD inline u32 fetch_add_acq_rel(u32* p, u32 value) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(value) : "memory");
  return before;
#else
  return std::atomic_ref<u32>(*p).fetch_add(value, std::memory_order_acq_rel);
#endif
}

/// Adds `value` and returns what stood there before; orders nothing else.
COPSE_HD inline u32 fetch_add_relaxed(u32* p, u32 value) {
#if COPSE_DEVICE_CODE
  return atomicAdd(p, value);
#else
  return std::atomic_ref<u32>(*p).fetch_add(value, std::memory_order_relaxed);
#endif
}

COPSE_HD inline u64 fetch_add_relaxed(u64* p, u64 value) {
#if COPSE_DEVICE_CODE
  return atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
  return std::atomic_ref<u64>(*p).fetch_add(value, std::memory_order_relaxed);
#endif
}

/// Sets the bits of `bits`; orders nothing else.
COPSE_HD inline void fetch_or_relaxed(u32* p, u32 bits) {
#if COPSE_DEVICE_CODE
  atomicOr(p, bits);
#else
  std::atomic_ref<u32>(*p).fetch_or(bits, std::memory_order_relaxed);
#endif
}

/// Loads `*p`; what its writer released before is seen after.
COPSE_HD inline u32 load_acquire(const u32* p) {
#if COPSE_DEVICE_CODE
  u32 value;
  asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
#else
  return std::atomic_ref<u32>(*const_cast<u32*>(p)).load(std::memory_order_acquire);
#endif
}

/// Stores `value`; all writes before it are seen by whoever acquires it.
COPSE_HD inline void store_release(u32* p, u32 value) {
#if COPSE_DEVICE_CODE
  asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
#else
  std::atomic_ref<u32>(*p).store(value, std::memory_order_release);
#endif
}

/// Loads `*p` whole; orders nothing else.
COPSE_HD inline u32 load_relaxed(const u32* p) {
#if COPSE_DEVICE_CODE
  u32 value;
  asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
#else
  return std::atomic_ref<u32>(*const_cast<u32*>(p)).load(std::memory_order_relaxed);
#endif
}

COPSE_HD inline u64 load_relaxed(const u64* p) {
#if COPSE_DEVICE_CODE
  u64 value;
  asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
  return value;
#else
  return std::atomic_ref<u64>(*const_cast<u64*>(p)).load(std::memory_order_relaxed);
#endif
}

/// Stores `value` whole; orders nothing else.
COPSE_HD inline void store_relaxed(u32* p, u32 value) {
#if COPSE_DEVICE_CODE
  asm volatile("st.relaxed.gpu.b32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
#else
  std::atomic_ref<u32>(*p).store(value, std::memory_order_relaxed);
#endif
}

COPSE_HD inline void store_relaxed(u64* p, u64 value) {
#if COPSE_DEVICE_CODE
  asm volatile("st.relaxed.gpu.b64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
#else
  std::atomic_ref<u64>(*p).store(value, std::memory_order_relaxed);
#endif
}

}  // namespace copse
