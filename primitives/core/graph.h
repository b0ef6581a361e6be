#pragma once

namespace copse {

class Context;

namespace detail {

/// A function without parameters, whatever its type.
struct Work {
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

/// Work recorded by Context::capture, to be launched any number of times in one call each. Copies share it.
class Graph {
 public:
  Graph(const Graph& other);
  Graph& operator=(const Graph& other);
  ~Graph();

  /// Puts the work on the context's stream. On the CPU, runs it.
  void launch();

 private:
  friend class Context;
  struct Recorded;
  explicit Graph(Recorded* recorded) : recorded_(recorded) {}

  Recorded* recorded_;
};

}  // namespace copse
