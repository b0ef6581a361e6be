#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Owns elements in a context's memory. Its memory is freed in order on the context's stream.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;

  /// `size` elements, not initialised.
  /// Throws: Error out_of_memory.
  Buffer(Context& context, u64 size) : context_(&context), size_(size) {
    if (size > ~u64{0} / 2 / sizeof(T)) {
      throw Error(ErrorCode::out_of_memory, "a buffer of " + std::to_string(size) + " elements of " +
                                                std::to_string(sizeof(T)) + " bytes passes the address space");
    }
    context.device().make_current();
    if (size > 0) data_ = static_cast<T*>(context.memory().allocate(size_bytes(), context.stream()));
  }

  /// A copy of the host's elements, which may be reused on return.
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

  /// Copies the host's elements to the front of the buffer; the host may reuse them on return.
  /// Throws: Error invalid_argument where there are more than size().
  void upload(std::span<const T> host) {
    if (host.size() > size_) {
      throw Error(ErrorCode::invalid_argument, "upload of " + std::to_string(host.size()) +
                                                   " elements into a buffer of " + std::to_string(size_));
    }
    if (!host.empty()) context_->device().upload(data_, host.data(), host.size_bytes());
  }

  /// All elements. Waits.
  std::vector<T> download() const { return download(size_); }

  /// The first `count` elements, where the others were never written. Waits.
  /// Throws: Error invalid_argument where `count` is more than size().
  std::vector<T> download(u64 count) const {
    if (count > size_) {
      throw Error(ErrorCode::invalid_argument,
                  "download of " + std::to_string(count) + " elements from a buffer of " + std::to_string(size_));
    }
    std::vector<T> host(count);
    if (count > 0) context_->device().download(host.data(), data_, count * sizeof(T));
    return host;
  }

  void swap(Buffer& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  void free() noexcept {
    if (data_ != nullptr) context_->memory().deallocate(data_, size_bytes(), context_->stream());
  }

  Context* context_ = nullptr;
  T* data_ = nullptr;
  u64 size_ = 0;
};

/// The elements of a view, on the host. Waits.
template <class T>
std::vector<std::remove_const_t<T>> download(Context& context, BufferSpan<T> span) {
  std::vector<std::remove_const_t<T>> host(span.size());
  if (!span.empty()) context.device().download(host.data(), span.data(), span.size_bytes());
  return host;
}

}  // namespace copse
