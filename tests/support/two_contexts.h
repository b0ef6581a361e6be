#pragma once

#include <thread>

#include "primitives/core/context.h"

namespace copse::test {

/// Calls work(context) at the same time on two threads, each with a context of its own.
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
