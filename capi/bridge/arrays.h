#pragma once

// Brings arrays of the caller into the memory of a context, and results back to the host. On the CPU all arrays are
// used as they are.

#include <vector>

#include "capi/base.h"
#include "capi/bridge/call.h"

namespace copse::capi {

/// Throws: Error invalid_argument if an array of the caller cannot be used: a null address that has elements, an
/// address that is no multiple of `alignment`, a memory that is none, or more bytes than there are addresses.
///   what: names the elements, such as "points"
void check_array(const char* what, const void* data, u64 count, u64 stride_bytes, copse_memory memory,
                 u64 alignment);

/// Throws: Error invalid_argument if `each` results for each of `count` queries pass the address space.
void check_product(const char* what, u64 count, u64 each);

/// Returns true if the device reads host memory of the caller as it is.
inline bool reads_host(const Context& context) {
  return context.backend() == Backend::cpu;
}

/// Parts of host memory that a call reads, in the memory of a context. Parts that overlap or touch are copied together, once: so
/// a record stays one, also if there is a single one.
class HostRanges {
 public:
  /// Adds `bytes` bytes from `data` on.
  void add(const void* data, u64 bytes) {
    if (bytes > 0) ranges_.push_back({static_cast<const u8*>(data), bytes, {}});
  }

  /// Copies all parts. Call it once, before address_of.
  void upload(Context& context);

  /// Copies the same parts again, as they are now.
  void refresh() {
    for (Range& range : ranges_) range.copy.upload({range.data, range.bytes}, range.lead());
  }

  /// Returns the address of the copy of a byte of these parts; null for null.
  const void* address_of(const void* data) const;

 private:
  struct Range {
    const u8* data;
    u64 bytes;
    Buffer<u8> copy;

    /// Bytes before the copy, so that elements keep their alignment.
    u64 lead() const { return reinterpret_cast<std::uintptr_t>(data) % 16; }
  };

  std::vector<Range> ranges_;  // by address once they are copied
};

/// Elements that a call reads. The copy lives as long as this object; its memory is freed in order on the stream.
template <class T>
class Input {
 public:
  Input(Context& context, const char* what, const void* data, u64 count, copse_memory memory) {
    check_array(what, data, count, sizeof(T), memory, alignof(T));
    span_ = {static_cast<const T*>(data), count};
    if (count == 0 || memory == COPSE_MEMORY_CONTEXT || reads_host(context)) return;
    copy_ = Buffer<T>(context, std::span<const T>(span_.data(), count));
    span_ = copy_.span();
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  BufferSpan<const T> span() const { return span_; }

 private:
  Buffer<T> copy_;
  BufferSpan<const T> span_;
};

/// Elements that a call writes. store() brings them to the caller.
template <class T>
class Output {
 public:
  Output(Context& context, const char* what, void* data, u64 count, copse_memory memory) {
    check_array(what, data, count, sizeof(T), memory, alignof(T));
    span_ = {static_cast<T*>(data), count};
    if (count == 0 || memory == COPSE_MEMORY_CONTEXT || reads_host(context)) return;
    copy_ = Buffer<T>(context, count);
    on_host_ = span_.data();
    span_ = copy_.span();
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  BufferSpan<T> span() const { return span_; }

  /// Copies the first `count` elements to the host, if the caller wants them there. Waits for them in that case.
  void store(Context& context, u64 count) const {
    if (on_host_ == nullptr || count == 0) return;
    copse::detail::download_bytes(context.parts(), on_host_, span_.data(), count * sizeof(T));
  }
  void store(Context& context) const { store(context, span_.size()); }

  /// Sets a copy that store() brings to the host to zero, where a call may leave elements as they were.
  void clear(Context& context) const {
    if (on_host_ != nullptr) context.device().clear(span_.data(), span_.size_bytes());
  }

  /// Returns element `i`, on the host. Waits for it.
  T on_host(Context& context, u64 i) const {
    T element;
    copse::detail::download_bytes(context.parts(), &element, span_.data() + i, sizeof(T));
    return element;
  }

 private:
  Buffer<T> copy_;
  T* on_host_ = nullptr;
  BufferSpan<T> span_;
};

}  // namespace copse::capi
