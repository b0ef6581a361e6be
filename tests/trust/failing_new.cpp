#include "tests/trust/failing_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace copse::test {

namespace {

constexpr long long no_fault = -1;

thread_local long long left_of_thread = no_fault;
std::atomic<long long> left_of_all = no_fault;
std::atomic<bool> heap_fault_happened = false;
std::atomic<long long> live_heap_count = 0;

/// Returns true if this allocation fails. Once the count is at 0, it stays there.
bool heap_fails_now() {
  bool fails = false;
  if (left_of_thread >= 0) {
    fails = left_of_thread == 0;
    if (!fails) --left_of_thread;
  }
  long long left = left_of_all.load();
  while (left > 0 && !left_of_all.compare_exchange_weak(left, left - 1)) {
  }
  fails |= left == 0;
  if (fails) heap_fault_happened = true;
  return fails;
}

}  // namespace

HeapFault::HeapFault(u64 k, Of of) : k_(k), of_(of) {
  heap_fault_happened = false;
  if (of == Of::this_thread) left_of_thread = i64(k);
  if (of == Of::all_threads) left_of_all = i64(k);
}
HeapFault::~HeapFault() {
  left_of_thread = no_fault;
  left_of_all = no_fault;
}
bool HeapFault::has_happened() const {
  return heap_fault_happened;
}

u64 HeapFault::passed_count() const {
  return k_ - u64(of_ == Of::this_thread ? left_of_thread : left_of_all.load());
}

u64 live_heap_allocations() {
  return u64(live_heap_count.load());
}

namespace {

void* allocate_or_fail(std::size_t bytes) {
  void* memory = heap_fails_now() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory != nullptr) ++live_heap_count;
  return memory;
}

void free_counted(void* memory) {
  if (memory != nullptr) --live_heap_count;
  std::free(memory);
}

}  // namespace

}  // namespace copse::test

// The forms for arrays call these. Memory with an alignment of its own comes from tests/support/guarded_new.cpp.
void* operator new(std::size_t bytes) {
  if (void* memory = copse::test::allocate_or_fail(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return copse::test::allocate_or_fail(bytes);
}
void operator delete(void* memory) noexcept {
  copse::test::free_counted(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  copse::test::free_counted(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  copse::test::free_counted(memory);
}
