#pragma once

// Atomic operations on plain memory, the same on the host and in device code (scope: the whole device).
//
// Threads pass data by acquire and release: all that one thread wrote before its release is seen by the thread
// that acquires the value, after its acquire.

#include <atomic>

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// Stores `value` and returns the old value; acquires and releases.
COPSE_HD inline u32 exchange_acq_rel(u32* p, u32 value) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.acq_rel.gpu.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(value) : "memory");
  return before;
#else
  return std::atomic_ref<u32>(*p).exchange(value, std::memory_order_acq_rel);
#endif
}

/// Stores `value` and returns the old value; relaxed.
COPSE_HD inline u64 exchange_relaxed(u64* p, u64 value) {
#if COPSE_DEVICE_CODE
  return atomicExch(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
  return std::atomic_ref<u64>(*p).exchange(value, std::memory_order_relaxed);
#endif
}

/// Adds `value` and returns the old value; acquires and releases.
COPSE_HD inline u32 fetch_add_acq_rel(u32* p, u32 value) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(value) : "memory");
  return before;
#else
  return std::atomic_ref<u32>(*p).fetch_add(value, std::memory_order_acq_rel);
#endif
}

/// Adds `value` and returns the old value; relaxed.
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

/// Sets the bits of `bits` and returns the old value; relaxed.
COPSE_HD inline u32 fetch_or_relaxed(u32* p, u32 bits) {
#if COPSE_DEVICE_CODE
  return atomicOr(p, bits);
#else
  return std::atomic_ref<u32>(*p).fetch_or(bits, std::memory_order_relaxed);
#endif
}

/// Flips the bits that are set in `bits` and returns the old value; relaxed.
COPSE_HD inline u32 fetch_xor_relaxed(u32* p, u32 bits) {
#if COPSE_DEVICE_CODE
  return atomicXor(p, bits);
#else
  return std::atomic_ref<u32>(*p).fetch_xor(bits, std::memory_order_relaxed);
#endif
}

/// Sets the bits of `bits` and returns the old value; acquires it: sees all that was released before the bits got
/// that value.
COPSE_HD inline u32 fetch_or_acquire(u32* p, u32 bits) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.acquire.gpu.or.b32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(bits) : "memory");
  return before;
#else
  return std::atomic_ref<u32>(*p).fetch_or(bits, std::memory_order_acquire);
#endif
}

/// Adds 1, or stores 0 if the value is `last` or more, and returns the old value; acquires and releases.
COPSE_HD inline u32 fetch_increment_wrapping_acq_rel(u32* p, u32 last) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(last) : "memory");
  return before;
#else
  std::atomic_ref<u32> counter(*p);
  u32 before = counter.load(std::memory_order_relaxed);
  while (!counter.compare_exchange_weak(before, before >= last ? 0 : before + 1, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
  }
  return before;
#endif
}

/// Loads `*p`; acquires it.
COPSE_HD inline u32 load_acquire(const u32* p) {
#if COPSE_DEVICE_CODE
  u32 value;
  asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
#else
  return std::atomic_ref<u32>(*const_cast<u32*>(p)).load(std::memory_order_acquire);
#endif
}

COPSE_HD inline u64 load_acquire(const u64* p) {
#if COPSE_DEVICE_CODE
  u64 value;
  asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
  return value;
#else
  return std::atomic_ref<u64>(*const_cast<u64*>(p)).load(std::memory_order_acquire);
#endif
}

/// Loads 16 bytes at a multiple of 16, in the order of their words: acquires each word before it loads the next.
/// (A GPU fetches the 16 bytes at one moment. PTX leaves open in which order a vector is loaded.)
COPSE_HD inline void load_acquire(const u32* p, u32 (&words)[4]) {
#if COPSE_DEVICE_CODE
  asm volatile("ld.acquire.gpu.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "l"(p)
               : "memory");
#else
  for (int k = 0; k < 4; ++k) words[k] = load_acquire(p + k);
#endif
}

COPSE_HD inline void load_acquire(const u64* p, u64 (&words)[2]) {
#if COPSE_DEVICE_CODE
  asm volatile("ld.acquire.gpu.v2.b64 {%0, %1}, [%2];" : "=l"(words[0]), "=l"(words[1]) : "l"(p) : "memory");
#else
  for (int k = 0; k < 2; ++k) words[k] = load_acquire(p + k);
#endif
}

/// Stores `value`; releases all writes before it to threads that acquire it.
COPSE_HD inline void store_release(u32* p, u32 value) {
#if COPSE_DEVICE_CODE
  asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
#else
  std::atomic_ref<u32>(*p).store(value, std::memory_order_release);
#endif
}

COPSE_HD inline void store_release(u64* p, u64 value) {
#if COPSE_DEVICE_CODE
  asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
#else
  std::atomic_ref<u64>(*p).store(value, std::memory_order_release);
#endif
}

/// Stores `count` neighbouring words in the same way; in a kernel at the price of one.
COPSE_HD inline void store_release_each(u32* p, u32 count, u32 value) {
#if COPSE_DEVICE_CODE
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  for (u32 k = 0; k < count; ++k) asm volatile("st.relaxed.gpu.b32 [%0], %1;" ::"l"(p + k), "r"(value) : "memory");
#else
  for (u32 k = 0; k < count; ++k) std::atomic_ref<u32>(p[k]).store(value, std::memory_order_release);
#endif
}

/// Loads `*p` in one piece; relaxed.
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

/// Loads 16 bytes at a multiple of 16, each word in one piece; relaxed.
COPSE_HD inline void load_relaxed(const u32* p, u32 (&words)[4]) {
#if COPSE_DEVICE_CODE
  asm volatile("ld.relaxed.gpu.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "l"(p)
               : "memory");
#else
  for (int k = 0; k < 4; ++k) words[k] = load_relaxed(p + k);
#endif
}

COPSE_HD inline void load_relaxed(const u64* p, u64 (&words)[2]) {
#if COPSE_DEVICE_CODE
  asm volatile("ld.relaxed.gpu.v2.b64 {%0, %1}, [%2];" : "=l"(words[0]), "=l"(words[1]) : "l"(p) : "memory");
#else
  for (int k = 0; k < 2; ++k) words[k] = load_relaxed(p + k);
#endif
}

/// Call it after load_relaxed(p): acquires the value that it returned, or a later one.
COPSE_HD inline void acquire_loaded(const u32* p) {
#if COPSE_DEVICE_CODE
  load_acquire(p);  // a fence would also wait for the thread's stores
#else
  static_cast<void>(p);
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

/// Stores `value` in one piece; relaxed.
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

/// Stores 16 bytes at a multiple of 16, each word in one piece; relaxed.
COPSE_HD inline void store_relaxed(u64* p, const u64 (&words)[2]) {
#if COPSE_DEVICE_CODE
  asm volatile("st.relaxed.gpu.v2.b64 [%0], {%1, %2};" ::"l"(p), "l"(words[0]), "l"(words[1]) : "memory");
#else
  for (int k = 0; k < 2; ++k) store_relaxed(p + k, words[k]);
#endif
}

/// Stores `desired` if the value is `expected`, and returns the old value; relaxed.
COPSE_HD inline u32 compare_exchange_relaxed(u32* p, u32 expected, u32 desired) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.relaxed.gpu.cas.b32 %0, [%1], %2, %3;"
               : "=r"(before)
               : "l"(p), "r"(expected), "r"(desired)
               : "memory");
  return before;
#else
  std::atomic_ref<u32>(*p).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  return expected;
#endif
}

COPSE_HD inline u64 compare_exchange_relaxed(u64* p, u64 expected, u64 desired) {
#if COPSE_DEVICE_CODE
  u64 before;
  asm volatile("atom.relaxed.gpu.cas.b64 %0, [%1], %2, %3;"
               : "=l"(before)
               : "l"(p), "l"(expected), "l"(desired)
               : "memory");
  return before;
#else
  std::atomic_ref<u64>(*p).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  return expected;
#endif
}

/// Compares and exchanges; acquires the old value.
COPSE_HD inline u32 compare_exchange_acquire(u32* p, u32 expected, u32 desired) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], %2, %3;"
               : "=r"(before)
               : "l"(p), "r"(expected), "r"(desired)
               : "memory");
  return before;
#else
  std::atomic_ref<u32>(*p).compare_exchange_strong(expected, desired, std::memory_order_acquire);
  return expected;
#endif
}

COPSE_HD inline u64 compare_exchange_acquire(u64* p, u64 expected, u64 desired) {
#if COPSE_DEVICE_CODE
  u64 before;
  asm volatile("atom.acquire.gpu.cas.b64 %0, [%1], %2, %3;"
               : "=l"(before)
               : "l"(p), "l"(expected), "l"(desired)
               : "memory");
  return before;
#else
  std::atomic_ref<u64>(*p).compare_exchange_strong(expected, desired, std::memory_order_acquire);
  return expected;
#endif
}

/// Compares and exchanges; acquires and releases.
COPSE_HD inline u32 compare_exchange_acq_rel(u32* p, u32 expected, u32 desired) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.acq_rel.gpu.cas.b32 %0, [%1], %2, %3;"
               : "=r"(before)
               : "l"(p), "r"(expected), "r"(desired)
               : "memory");
  return before;
#else
  std::atomic_ref<u32>(*p).compare_exchange_strong(expected, desired, std::memory_order_acq_rel);
  return expected;
#endif
}

COPSE_HD inline u64 compare_exchange_acq_rel(u64* p, u64 expected, u64 desired) {
#if COPSE_DEVICE_CODE
  u64 before;
  asm volatile("atom.acq_rel.gpu.cas.b64 %0, [%1], %2, %3;"
               : "=l"(before)
               : "l"(p), "l"(expected), "l"(desired)
               : "memory");
  return before;
#else
  std::atomic_ref<u64>(*p).compare_exchange_strong(expected, desired, std::memory_order_acq_rel);
  return expected;
#endif
}

/// Clears the bits that are not set in `bits`, and returns the old value; relaxed.
COPSE_HD inline u32 fetch_and_relaxed(u32* p, u32 bits) {
#if COPSE_DEVICE_CODE
  return atomicAnd(p, bits);
#else
  return std::atomic_ref<u32>(*p).fetch_and(bits, std::memory_order_relaxed);
#endif
}

/// Clears the bits that are not set in `bits`, and returns the old value; releases all writes before it to threads
/// that acquire the value.
COPSE_HD inline u32 fetch_and_release(u32* p, u32 bits) {
#if COPSE_DEVICE_CODE
  u32 before;
  asm volatile("atom.release.gpu.and.b32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(bits) : "memory");
  return before;
#else
  return std::atomic_ref<u32>(*p).fetch_and(bits, std::memory_order_release);
#endif
}

/// Orders all memory operations of the calling thread before it against all those after it, except loads after
/// stores. Together with relaxed operations this is what a lock or a sequence lock needs.
COPSE_HD inline void fence_acq_rel() {
#if COPSE_DEVICE_CODE
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_acq_rel);
#endif
}

}  // namespace copse
