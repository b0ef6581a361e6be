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

// What buffers do with memory, whatever the type of its elements.
void* allocate_elements(Context& context, u64 count, u64 element_bytes);
void free_elements(Context& context, void* memory, u64 bytes) noexcept;
void upload_elements(Context& context, void* to, u64 room, const void* from, u64 count, u64 element_bytes);
void download_bytes(Context& context, void* to, const void* from, u64 bytes);
[[noreturn]] void refuse_download(u64 count, u64 size);

}  // namespace detail

/// Owns elements in the memory of a context. The memory is freed in order on the stream of the context.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;

  /// Makes a buffer of `size` elements, not initialised.
  /// Throws: Error out_of_memory.
  Buffer(Context& context, u64 size)
      : context_(&context),
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
  void upload(std::span<const T> host) {
    if (!host.empty()) {
      detail::upload_elements(*context_, data_, size_, host.data(), host.size(), sizeof(T));
    }
  }

  /// Returns all elements. Waits.
  std::vector<T> download() const { return download(size_); }

  /// Returns the first `count` elements, for example if the others were never written. Waits.
  /// Throws: Error invalid_argument if `count` is more than size().
  std::vector<T> download(u64 count) const {
    if (count > size_) detail::refuse_download(count, size_);
    std::vector<T> host(count);
    if (count > 0) detail::download_bytes(*context_, host.data(), data_, count * sizeof(T));
    return host;
  }

  void swap(Buffer& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  void free() noexcept {
    if (data_ != nullptr) detail::free_elements(*context_, data_, size_bytes());
  }

  Context* context_ = nullptr;
  T* data_ = nullptr;
  u64 size_ = 0;
};

/// Returns the elements of a view, on the host. Waits.
template <class T>
std::vector<std::remove_const_t<T>> download(Context& context, BufferSpan<T> span) {
  std::vector<std::remove_const_t<T>> host(span.size());
  if (!span.empty()) detail::download_bytes(context, host.data(), span.data(), span.size_bytes());
  return host;
}

}  // namespace copse
