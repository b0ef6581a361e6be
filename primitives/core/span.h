#pragma once

#include <cstddef>
#include <type_traits>

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// A view of `size` elements in the memory of a context, which is device memory on CUDA. It owns nothing and has
/// no operator[]: download first. Make a view of your own device memory from pointer and size.
template <class T>
class BufferSpan {
 public:
  constexpr BufferSpan() = default;
  COPSE_HD constexpr BufferSpan(T* data, u64 size) : data_(data), size_(size) {}

  /// A span of T is a span of const T.
  template <class U>
  requires(std::is_same_v<T, const U>) COPSE_HD constexpr BufferSpan(BufferSpan<U> other)
      : data_(other.data()), size_(other.size()) {}

  COPSE_HD constexpr T* data() const { return data_; }
  COPSE_HD constexpr u64 size() const { return size_; }
  COPSE_HD constexpr u64 size_bytes() const { return size_ * sizeof(T); }
  COPSE_HD constexpr bool empty() const { return size_ == 0; }

  /// The first `count` elements; `count` must not be above size().
  COPSE_HD constexpr BufferSpan first(u64 count) const { return {data_, count}; }
  COPSE_HD constexpr BufferSpan subspan(u64 offset, u64 count) const { return {data_ + offset, count}; }

 private:
  T* data_ = nullptr;
  u64 size_ = 0;
};

namespace detail {

/// Returns the address of the member at `offset` of a record. &record->member would promise that the record is
/// aligned; a caller's may not be, which only contexts that validate look for.
template <class Member>
const Member* member_at(const void* record, u64 offset) {
  return reinterpret_cast<const Member*>(static_cast<const unsigned char*>(record) + offset);
}

}  // namespace detail

}  // namespace copse
