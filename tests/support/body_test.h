#pragma once

// The fixture of typed tests in bodies. A body is compiled for each backend. Write TYPED_TEST_SUITE(Suite,
// TheBackend, BackendName) with a suite that derives from BodyTest.

#include "primitives/core/buffer.h"
#include "primitives/core/executor.h"
#include "tests/support/backends.h"

namespace copse::test {

/// True if a test that is instantiated for many types compiles this type. On the CPU it compiles each type. On
/// CUDA, where nvcc takes up to a minute per type, it compiles two types that take different paths.
template <bool is_one_of_two>
inline constexpr bool is_compiled = is_one_of_two || detail::body_backend == Backend::cpu;

template <class Executor>
class BodyTest : public testing::Test {
 protected:
  void SetUp() override {
    if (detail::body_backend == Backend::cuda) COPSE_SKIP_WITHOUT_GPU();
    context_.emplace(ContextOptions{.backend = detail::body_backend});
  }
  Context& context() { return *context_; }
  const Executor& executor() { return executor_of(*context_); }

  static const Executor& executor_of(const Context& context) {
    if constexpr (detail::body_backend == Backend::cuda) {
      return context.cuda_executor();
    } else {
      return context.cpu_executor();
    }
  }

 private:
  std::optional<Context> context_;
};

}  // namespace copse::test

namespace copse::detail {

struct BackendName {
  template <class Executor>
  static std::string GetName(int) {
    return name_of(body_backend);
  }
};
using TheBackend = testing::Types<BodyExecutor>;

}  // namespace copse::detail
