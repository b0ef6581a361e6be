#pragma once

// What the batch calls check of their arguments. All throw Error invalid_argument.

#include <string>

#include "builders/bvh/node.h"
#include "primitives/core/check.h"

namespace copse::detail {

/// Refuses a view that no tree was made for.
template <class View>
void check_tree(const char* function, const View& bvh) {
  if (bvh.nodes.empty()) refuse(function, "the tree has 0 nodes, even a tree without primitives has 1");
}

/// Refuses results that overlap the queries, which `what` names, such as "rays".
template <class Query, class Result>
void check_apart(const char* function, const char* what, BufferSpan<const Query> queries,
                 BufferSpan<Result> results) {
  if (overlap(queries, results)) refuse(function, std::string("the results overlap the ") + what);
}

/// Refuses where there is not one result per query, or where the two overlap.
template <class Query, class Result>
void check_results(const char* function, const char* what, BufferSpan<const Query> queries,
                   BufferSpan<Result> results) {
  if (results.size() != queries.size()) {
    refuse(function, "room for " + std::to_string(results.size()) + " results, but " +
                         std::to_string(queries.size()) + " " + what);
  }
  check_apart(function, what, queries, results);
}

/// How many results each query has room for. Refuses results that are no multiple of the queries, and more than
/// 2^31 each.
inline u32 results_each(const char* function, const char* what, u64 query_count, const char* results,
                        u64 result_count) {
  if (query_count == 0 ? result_count > 0 : result_count % query_count != 0) {
    refuse(function, "room for " + std::to_string(result_count) + " " + results + ", no multiple of " +
                         std::to_string(query_count) + " " + what);
  }
  const u64 each = query_count == 0 ? 0 : result_count / query_count;
  constexpr u64 most = u64{1} << 31;
  if (each > most) {
    refuse(function, std::to_string(each) + " " + results + " for each of the " + what + ", at most " +
                         std::to_string(most));
  }
  return u32(each);
}

}  // namespace copse::detail
