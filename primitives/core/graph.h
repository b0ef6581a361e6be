#pragma once

#include <functional>
#include <memory>

namespace copse {

class Context;

/// Work recorded by Context::capture, to be launched any number of times in one call each.
class Graph {
 public:
  /// Puts the work on the context's stream. On the CPU, runs it.
  void launch();

 private:
  friend class Context;
  Graph(Context& context, std::shared_ptr<void> captured, std::function<void()> work)
      : context_(&context), captured_(std::move(captured)), work_(std::move(work)) {}

  Context* context_;
  std::shared_ptr<void> captured_;  // cudaGraphExec_t
  std::function<void()> work_;      // the CPU's
};

}  // namespace copse
