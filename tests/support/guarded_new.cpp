// Guards round the memory of contexts on the CPU, in every test program: with COPSE_CANARIES=1 in the environment, all
// memory that is allocated with an alignment of its own has 256 bytes before it and after it that hold a pattern. They
// are checked when it is freed. The memory itself holds 0xff at first, which is NaN in floats and no id.
//
// The heap of Copse calls these operators. A test program has them in place of those of the standard library.

#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/support/guards.h"

namespace {

using copse::test::guard;
using copse::test::guard_bytes;
using copse::test::has_guards;

/// An allocation begins so many bytes before its memory, with its size. A guard is the end of them.
std::size_t bytes_before(std::size_t alignment) {
  return alignment < 2 * guard_bytes ? 2 * guard_bytes : alignment;
}

void* allocate_aligned(std::size_t bytes, std::size_t alignment) {
  if (bytes > ~std::size_t{0} / 2) return nullptr;
  if (!has_guards()) return std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  const std::size_t before = bytes_before(alignment);
  const std::size_t whole = (before + bytes + guard_bytes + alignment - 1) / alignment * alignment;
  auto* first = static_cast<unsigned char*>(std::aligned_alloc(alignment, whole));
  if (first == nullptr) return nullptr;
  std::memcpy(first, &bytes, sizeof bytes);
  std::memset(first + before - guard_bytes, guard, guard_bytes);
  std::memset(first + before, 0xff, bytes);
  std::memset(first + before + bytes, guard, guard_bytes);
  return first + before;
}

void free_aligned(void* memory, std::size_t alignment) {
  if (memory == nullptr || !has_guards()) return std::free(memory);
  const auto* at = static_cast<const unsigned char*>(memory);
  const unsigned char* first = at - bytes_before(alignment);
  std::size_t bytes;
  std::memcpy(&bytes, first, sizeof bytes);
  copse::test::check_guards(at - guard_bytes, at + bytes, bytes);
  std::free(const_cast<unsigned char*>(first));
}

}  // namespace

void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate_aligned(bytes, std::size_t(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  if (void* memory = allocate_aligned(bytes, std::size_t(alignment))) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory, std::align_val_t alignment) noexcept {
  free_aligned(memory, std::size_t(alignment));
}
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
  free_aligned(memory, std::size_t(alignment));
}
void operator delete(void* memory, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  free_aligned(memory, std::size_t(alignment));
}
