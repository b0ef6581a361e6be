#pragma once

#include <memory>

#include "primitives/core/context.h"

namespace copse {

/// Times work on a context: on its stream by events on CUDA, by the wall clock on the CPU.
class Stopwatch {
 public:
  explicit Stopwatch(Context& context) : context_(context) { start(); }

  void start() { begin_ = context_.device().mark(); }

  /// Milliseconds of the work put on the stream since start. Waits.
  double milliseconds() { return context_.device().mark()->milliseconds_since(*begin_); }

 private:
  Context& context_;
  std::unique_ptr<Mark> begin_;
};

}  // namespace copse
