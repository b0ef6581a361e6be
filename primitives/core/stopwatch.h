#pragma once

#include "primitives/core/macros.h"

namespace copse {

class Context;
class Mark;

/// Times work on a context: on its stream by events on CUDA, by the wall clock on the CPU.
class COPSE_API Stopwatch {
 public:
  explicit Stopwatch(Context& context) : context_(context) { start(); }
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start();

  /// Milliseconds of the work put on the stream since start. Waits.
  double milliseconds();

 private:
  Context& context_;
  Mark* begin_ = nullptr;
};

}  // namespace copse
