#pragma once

// Runs the same test on every backend. Derive the fixture from OnEachBackend, write TEST_P, and name the suite in
// COPSE_ON_EACH_BACKEND. Where no GPU answers, the CUDA backend is skipped.

#include <gtest/gtest.h>

#include <optional>

#include "primitives/core/context.h"
#include "primitives/core/error.h"

namespace copse::test {

inline bool gpu_answers() {
  static const bool answers = [] {
    try {
      Context context({.backend = Backend::cuda});
      return true;
    } catch (const Error&) {
      return false;
    }
  }();
  return answers;
}

#define COPSE_SKIP_WITHOUT_GPU() \
  if (!::copse::test::gpu_answers()) GTEST_SKIP() << "no GPU answers"

class OnEachBackend : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::cuda) COPSE_SKIP_WITHOUT_GPU();
    context_.emplace(ContextOptions{.backend = GetParam()});
  }
  Context& context() { return *context_; }

 private:
  std::optional<Context> context_;
};

inline std::string backend_test_name(const testing::TestParamInfo<Backend>& info) {
  return name_of(info.param);
}

#define COPSE_ON_EACH_BACKEND(Suite)                                                                \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::Values(::copse::Backend::cpu, ::copse::Backend::cuda), \
                           ::copse::test::backend_test_name)

/// Expects that `statement` throws copse::Error of `code_` and that its message contains `part`.
#define EXPECT_COPSE_ERROR(statement, code_, part)                                      \
  try {                                                                                 \
    statement;                                                                          \
    ADD_FAILURE() << "no error from " #statement;                                       \
  } catch (const ::copse::Error& error) {                                               \
    EXPECT_EQ(error.code(), code_) << error.what();                                     \
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what(); \
  }

}  // namespace copse::test
