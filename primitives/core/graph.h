#pragma once

#include "primitives/core/macros.h"

namespace copse {

class Context;

namespace detail {

/// A function without parameters, of any type.
struct COPSE_API Work {
  virtual ~Work() = default;
  virtual void run() = 0;
};

template <class Function>
struct WorkOf final : Work {
  explicit WorkOf(const Function& from) : function(from) {}
  void run() override { function(); }
  Function function;
};

}  // namespace detail

/// Work that Context::capture has recorded. Each launch is one call, and there may be any number of them. Copies
/// share the recorded work.
class COPSE_API Graph {
 public:
  Graph(const Graph& other);
  Graph& operator=(const Graph& other);
  ~Graph();

  /// Puts the work on the stream of the context. On the CPU, runs it.
  /// Throws: Error invalid_argument if the context was destroyed.
  void launch();

 private:
  friend class Context;
  struct Recorded;
  explicit Graph(Recorded* recorded) : recorded_(recorded) {}

  Recorded* recorded_;
};

}  // namespace copse
