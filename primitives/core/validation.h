#pragma once

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Counts of a context that validates. None of them is an error: rays and points with NaN find nothing, and builds
/// leave such primitives out.
struct ValidationCounts {
  u64 checked_structures = 0;   // after a build, rebuild or refit
  u64 left_out_primitives = 0;  // of those structures: NaN, infinite or inverted
  u64 nan_rays = 0;             // with a NaN in the origin, the direction or the interval
  u64 nan_points = 0;           // of queries
};

/// Returns the counts of a context, see ContextOptions::validate. They are 0 in a context that does not validate.
COPSE_API ValidationCounts validation_counts(Context& context);

namespace detail {

COPSE_API ValidationCounts& counts_of_validation(Context& context);

/// Does nothing unless the context validates. Then it checks that `memory` is a multiple of `alignment`, and that the
/// device can read the first and the last of `bytes` bytes there.
///   what: names what is there, such as "rays"
/// Throws: Error invalid_argument.
COPSE_API void validate_memory(Context& context, const char* function, const std::string& what, const void* memory,
                               u64 bytes, u64 alignment);

/// The same for the elements of a span.
template <class T>
void validate_span(Context& context, const char* function, const char* what, BufferSpan<T> span) {
  if (context.validates()) {
    validate_memory(context, function, what, span.data(), span.size_bytes(), alignof(T));
  }
}

/// The same, and counts the records that hold a NaN. A record is of floats alone, such as a Ray or a point.
COPSE_API void validate_floats(Context& context, const char* function, const char* what, const void* records,
                               u64 count, u64 record_bytes, u64 ValidationCounts::*nan_count);

/// One of both: validate_floats if there is something to count with.
template <class Query>
void validate_queries(Context& context, const char* function, const char* what, BufferSpan<const Query> queries,
                      u64 ValidationCounts::*nan_count) {
  if (nan_count == nullptr) return validate_span(context, function, what, queries);
  validate_floats(context, function, what, queries.data(), queries.size(), sizeof(Query), nan_count);
}

/// The checks of check_results and, where the context validates, also those of validate_span for both.
///   nan_count: what counts the queries with a NaN; null for queries that are not of floats alone
template <class Query, class Result>
void check_results(Context& context, const char* function, const char* what, BufferSpan<const Query> queries,
                   BufferSpan<Result> results, u64 ValidationCounts::*nan_count) {
  check_results(function, what, queries, results);
  validate_queries(context, function, what, queries, nan_count);
  validate_span(context, function, "results", results);
}

}  // namespace detail

}  // namespace copse
