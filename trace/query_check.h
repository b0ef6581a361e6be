#pragma once

#include <functional>
#include <string>

#include "primitives/core/error.h"
#include "primitives/core/span.h"
#include "trace/check.h"

namespace copse::detail {

/// Throws: Error invalid_argument where a query's results overlap what it reads.
template <class Asked, class Result>
void check_apart(const char* function, BufferSpan<const Asked> asked, BufferSpan<Result> results) {
  const auto* asked_begin = reinterpret_cast<const unsigned char*>(asked.data());
  const auto* result_begin = reinterpret_cast<const unsigned char*>(results.data());
  const std::less<> before;
  if (before(asked_begin, result_begin + results.size_bytes()) &&
      before(result_begin, asked_begin + asked.size_bytes())) {
    throw Error(ErrorCode::invalid_argument, std::string(function) + ": the results overlap what is asked");
  }
}

/// Throws: Error invalid_argument where there is not one result for each of what is asked, or the two overlap.
template <class Asked, class Result>
void check_query(const char* function, const BvhView& bvh, BufferSpan<const Asked> asked,
                 BufferSpan<Result> results) {
  check_tree(function, bvh);
  if (results.size() != asked.size()) {
    throw Error(ErrorCode::invalid_argument, std::string(function) + ": room for " +
                                                 std::to_string(results.size()) + " results, but " +
                                                 std::to_string(asked.size()) + " are asked for");
  }
  check_apart(function, asked, results);
}

}  // namespace copse::detail
