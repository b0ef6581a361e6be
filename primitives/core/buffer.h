#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

namespace detail {

// The operations of buffers on memory, for elements of any type. Buffers hold the parts of the context, so that
// they can be read and freed after the context is gone.
COPSE_API void* allocate_elements(Context& context, u64 count, u64 element_bytes);
COPSE_API void free_elements(ContextParts& parts, void* memory, u64 bytes) noexcept;
/// `first`: the element of `to` that the copy begins at.
COPSE_API void upload_elements(ContextParts* parts, void* to, u64 room, u64 first, const void* from, u64 count,
                               u64 element_bytes);
COPSE_API void download_bytes(ContextParts& parts, void* to, const void* from, u64 bytes);
[[noreturn]] COPSE_API void refuse_download(u64 count, u64 size);

}  // namespace detail

/// Owns elements in the memory of a context. The memory is freed in order on the stream of the context. A buffer may
/// outlive its context, but not the stream and the MemoryResource that the caller gave the context.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;

  /// Makes a buffer of `size` elements, not initialised.
  /// Throws: Error out_of_memory.
  Buffer(Context& context, u64 size)
      : parts_(&context.parts()),
        data_(static_cast<T*>(detail::allocate_elements(context, size, sizeof(T)))),
        size_(size) {}

  /// Makes a copy of elements on the host, which may be changed after the call.
  Buffer(Context& context, std::span<const T> host) : Buffer(context, host.size()) { upload(host); }
  Buffer(Context& context, const std::vector<T>& host) : Buffer(context, std::span<const T>(host)) {}

  ~Buffer() { free(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }

  u64 size() const { return size_; }
  u64 size_bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }

  BufferSpan<T> span() { return {data_, size_}; }
  BufferSpan<const T> span() const { return {data_, size_}; }

  /// Copies elements on the host, which may be changed after the call, to the front of the buffer.
  /// Throws: Error invalid_argument if there are more than size().
  void upload(std::span<const T> host) { upload(host, 0); }

  /// Copies elements on the host to the buffer from its element `first` on. The others stay.
  /// Throws: Error invalid_argument if they end past size().
  void upload(std::span<const T> host, u64 first) {
    detail::upload_elements(parts_, data_, size_, first, host.data(), host.size(), sizeof(T));
  }

  /// Returns all elements. Waits.
  std::vector<T> download() const { return download(size_); }

  /// Returns the first `count` elements, for example if the others were never written. Waits.
  /// Throws: Error invalid_argument if `count` is more than size().
  std::vector<T> download(u64 count) const {
    if (count > size_) detail::refuse_download(count, size_);
    std::vector<T> host(count);
    if (count > 0) detail::download_bytes(*parts_, host.data(), data_, count * sizeof(T));
    return host;
  }

  void swap(Buffer& other) noexcept {
    std::swap(parts_, other.parts_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  void free() noexcept {
    if (data_ != nullptr) detail::free_elements(*parts_, data_, size_bytes());
  }

  detail::ContextParts* parts_ = nullptr;  // held if there are elements
  T* data_ = nullptr;
  u64 size_ = 0;
};

/// Returns the elements of a view, on the host. Waits.
template <class T>
std::vector<std::remove_const_t<T>> download(Context& context, BufferSpan<T> span) {
  std::vector<std::remove_const_t<T>> host(span.size());
  if (!span.empty()) detail::download_bytes(context.parts(), host.data(), span.data(), span.size_bytes());
  return host;
}

}  // namespace copse
