#pragma once

// Runs the same test on every backend. Derive the fixture from OnEachBackend, write TEST_P, and name the suite in
// COPSE_ON_EACH_BACKEND. For each row of a table too, they are OnEachRow and COPSE_ON_EACH_ROW. Where no GPU answers, the
// CUDA backend is skipped.

#include <gtest/gtest.h>

#include <cctype>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

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

/// A test with a context of the backend that its parameter is or has.
template <class Parameter>
class WithContext : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    if (backend() == Backend::cuda) COPSE_SKIP_WITHOUT_GPU();
    context_.emplace(ContextOptions{.backend = backend()});
  }
  static Backend backend() {
    if constexpr (std::is_same_v<Parameter, Backend>) {
      return WithContext::GetParam();
    } else {
      return std::get<Backend>(WithContext::GetParam());
    }
  }
  Context& context() { return *context_; }

 private:
  std::optional<Context> context_;
};

class OnEachBackend : public WithContext<Backend> {};

/// Row is a struct with a `name`.
template <class Row>
class OnEachRow : public WithContext<std::tuple<Backend, Row>> {
 protected:
  static const Row& row() { return std::get<Row>(OnEachRow::GetParam()); }
};

inline std::string backend_test_name(const testing::TestParamInfo<Backend>& info) {
  return name_of(info.param);
}

/// In names of tests, GoogleTest takes no spaces or signs.
template <class Row>
std::string row_test_name(const testing::TestParamInfo<std::tuple<Backend, Row>>& info) {
  std::string name = std::string(name_of(std::get<Backend>(info.param))) + '_' + std::get<Row>(info.param).name;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

#define COPSE_ON_EACH_BACKEND(Suite)                                                                \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::Values(::copse::Backend::cpu, ::copse::Backend::cuda), \
                           ::copse::test::backend_test_name)

/// Row is the type of the elements of `rows`, an array or a vector.
#define COPSE_ON_EACH_ROW(Suite, Row, rows)                                                                      \
  INSTANTIATE_TEST_SUITE_P(                                                                                      \
      , Suite,                                                                                                   \
      testing::Combine(testing::Values(::copse::Backend::cpu, ::copse::Backend::cuda), testing::ValuesIn(rows)), \
      ::copse::test::row_test_name<Row>)

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
