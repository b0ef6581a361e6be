#pragma once

#include <memory>
#include <type_traits>

#include "primitives/core/bits.h"
#include "primitives/core/executor.h"
#include "primitives/core/types.h"

namespace copse::cpu {

/// A reference to any function of a range, body(begin, end). So oneTBB's loop is compiled once, and not once per
/// body, which would take 80 ms of compile time each. One call per range costs nothing beside the range.
class RangeBody {
 public:
  template <class Body>
  requires(!std::is_same_v<Body, RangeBody>) RangeBody(const Body& body)
      : body_(&body),
        call_([](const void* body, u64 begin, u64 end) { (*static_cast<const Body*>(body))(begin, end); }) {}

  void operator()(u64 begin, u64 end) const { call_(body_, begin, end); }

 private:
  const void* body_;
  void (*call_)(const void* body, u64 begin, u64 end);
};

/// The threads of one context.
class COPSE_API Workers {
 public:
  /// Makes `count` threads, or, if it is 0, one for each core that the process may use.
  explicit Workers(u32 count);
  ~Workers();

  u32 count() const;

  /// Calls body(begin, end) on all threads, for ranges of about `grain` elements at most that cover 0 to n.
  void run(u64 n, u64 grain, RangeBody body);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

/// As Workers::run, but checks the cancel token before, between and after the ranges, sets the floating-point mode
/// in each range, and counts as a launch in the profile. Runs a single range on the caller's thread.
/// Throws: Error cancelled; any exception of `body`.
COPSE_API void parallel_ranges(const Executor& ex, const char* label, u64 n, u64 grain, RangeBody body);

}  // namespace copse::cpu
