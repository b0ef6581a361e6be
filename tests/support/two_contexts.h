#pragma once

#include <thread>

#include "primitives/core/context.h"

namespace copse::test {

/// Calls work(context) on two threads at the same time. Each thread has its own context.
template <class Work>
void on_two_contexts(Backend backend, const Work& work) {
  const auto run = [&] {
    Context own({.backend = backend});
    work(own);
    own.wait();
  };
  std::thread other(run);
  run();
  other.join();
}

}  // namespace copse::test
