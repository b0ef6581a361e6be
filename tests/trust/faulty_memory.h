#pragma once

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "primitives/core/context.h"
#include "primitives/core/device.h"
#include "primitives/core/error.h"
#include "tests/support/guards.h"

namespace copse::test {

/// How a MemoryResource may fail. Only the first way is documented, but all of them are seen.
enum class Fault { error, bad_alloc, null };

/// Passes allocations on to the memory of another context, whose stream the contexts that it serves must use.
///
/// All memory holds 0xff at first, which is NaN in floats and no id, so a call that reads what it never wrote has other
/// results. 256 bytes before and after each allocation hold a pattern. If one of them has changed when the memory is freed,
/// a call wrote where it must not.
class FaultyMemory final : public MemoryResource {
 public:
  explicit FaultyMemory(Context& behind) : behind_(behind) {}

  void* allocate(u64 bytes, void* stream) override {
    if (left_ == 0) {
      refused_.push_back(bytes);
      if (fault_ == Fault::null) return nullptr;
      if (fault_ == Fault::bad_alloc) throw std::bad_alloc();
      throw Error(ErrorCode::out_of_memory, "a test refuses " + std::to_string(bytes) + " bytes");
    }
    --left_;
    std::vector<u8> content(guard_bytes + bytes + guard_bytes, guard);
    std::fill_n(content.begin() + guard_bytes, bytes, u8{0xff});
    u8* const memory = static_cast<u8*>(behind_.memory().allocate(content.size(), stream));
    behind_.device().upload(memory, content.data(), content.size());
    ++live_count_;
    return memory + guard_bytes;
  }
  void deallocate(void* memory, u64 bytes, void* stream) noexcept override {
    --live_count_;
    u8* const first = static_cast<u8*>(memory) - guard_bytes;
    for (const u8* at : {first, first + guard_bytes + bytes}) {
      u8 found[guard_bytes];
      behind_.device().download(found, at, guard_bytes);
      overrun_count_ += u64(guard_bytes - std::count(found, found + guard_bytes, guard));
    }
    behind_.memory().deallocate(first, guard_bytes + bytes + guard_bytes, stream);
  }

  /// Lets `count` more allocations pass. All after them fail.
  void fail_after(u64 count, Fault fault) { left_ = count, fault_ = fault, refused_.clear(); }
  void work() { left_ = ~u64{0}; }

  u64 live_count() const { return live_count_; }

  /// Bytes that were changed beside allocations, of those that are freed.
  u64 overrun_count() const { return overrun_count_; }

  /// Returns whether a text names the bytes of a refused allocation. Some failures are no error: then scratch stays in
  /// several blocks.
  bool is_named_in(const std::string& text) const {
    return std::any_of(refused_.begin(), refused_.end(), [&](u64 bytes) {
      return text.find(" " + std::to_string(bytes) + " bytes") != std::string::npos;
    });
  }

 private:
  static_assert(guard_bytes % alignment == 0);

  Context& behind_;
  u64 left_ = ~u64{0}, live_count_ = 0, overrun_count_ = 0;
  std::vector<u64> refused_;
  Fault fault_ = Fault::error;
};

}  // namespace copse::test
