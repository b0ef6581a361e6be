#pragma once

// Checks of arguments at the public boundary. All of them throw Error invalid_argument with the value and the
// limit.

#include <string>

#include "primitives/core/counted.h"
#include "primitives/core/error.h"
#include "primitives/core/span.h"

namespace copse {

/// True if the two spans share memory.
template <class T, class U>
bool overlap(BufferSpan<T> a, BufferSpan<U> b) {
  const u64 a_begin = reinterpret_cast<u64>(a.data()), b_begin = reinterpret_cast<u64>(b.data());
  return a_begin < b_begin + b.size_bytes() && b_begin < a_begin + a.size_bytes();
}

}  // namespace copse

namespace copse::detail {

/// Throws: always, with the message "function: what".
[[noreturn]] inline void refuse(const char* function, const std::string& what) {
  throw Error(ErrorCode::invalid_argument, std::string(function) + ": " + what);
}

/// Throws: if the option called `name` is not in [min, max].
inline void check_option(const char* name, u32 value, u32 min, u32 max) {
  if (value >= min && value <= max) return;
  throw Error(ErrorCode::invalid_argument, std::string(name) + " is " + std::to_string(value) + "; it can be " +
                                               std::to_string(min) + " to " + std::to_string(max));
}

/// Throws: if the number of `things` is not in [min, max].
inline void check_range(const char* function, u64 count, const char* things, u64 min, u64 max) {
  if (count >= min && count <= max) return;
  refuse(function,
         counted(count, things) + ", " + std::to_string(min) + " to " + std::to_string(max) + " are possible");
}

/// Throws: if two counts that must be equal differ.
inline void check_same_count(const char* function, const char* one, u64 one_count, const char* other,
                             u64 other_count) {
  if (one_count == other_count) return;
  refuse(function, counted(one_count, one) + ", " + counted(other_count, other));
}

/// Throws: if there are not as many `things` as `others`, such as values and keys.
inline void check_one_each(const char* function, u64 count, const char* things, u64 expected, const char* others) {
  if (count == expected) return;
  refuse(function, counted(count, things) + " for " + counted(expected, others));
}

/// Throws: if `out` has fewer elements than `needed`.
inline void check_room(const char* function, const char* out, u64 room, u64 needed) {
  if (room >= needed) return;
  refuse(function, std::string(out) + " has " + counted(room, "elements") + ", " + std::to_string(needed) +
                       (needed == 1 ? " is needed" : " are needed"));
}

/// Throws: if two spans share memory, with a message that says which.
template <class T, class U>
void check_apart(const char* function, BufferSpan<T> in, BufferSpan<U> out,
                 const char* message = "the output overlaps the input; they must be apart") {
  if (!in.empty() && !out.empty() && overlap(in, out)) refuse(function, message);
}

/// Throws: if there are more elements than indices of 32 bits.
inline void check_index_count(const char* function, const char* elements, u64 count) {
  constexpr u64 max_indices = u64{1} << 32;
  if (count <= max_indices) return;
  refuse(function, std::to_string(count) + " " + elements + ", indices of 32 bits allow at most " +
                       std::to_string(max_indices));
}

/// Throws: if the results overlap the queries. `what` names the queries, such as "rays".
template <class Query, class Result>
void check_apart(const char* function, const char* what, BufferSpan<const Query> queries,
                 BufferSpan<Result> results) {
  if (overlap(queries, results)) refuse(function, std::string("the results overlap the ") + what);
}

/// Throws: if a span has elements and no address. `what` names them, such as "rays".
template <class T>
void check_address(const char* function, const char* what, BufferSpan<T> span) {
  if (span.data() != nullptr || span.empty()) return;
  refuse(function, "the address of " + counted(span.size(), what) + " is null");
}

/// Throws: if there is not one result per query, or if the two overlap.
template <class Query, class Result>
void check_results(const char* function, const char* what, BufferSpan<const Query> queries,
                   BufferSpan<Result> results) {
  check_address(function, what, queries);
  check_address(function, "results", results);
  if (results.size() != queries.size()) {
    refuse(function, "there is room for " + counted(results.size(), "results") + ", but the number of " + what +
                         " is " + std::to_string(queries.size()));
  }
  check_apart(function, what, queries, results);
}

/// Returns how many results each query has room for. Throws: if the results are no multiple of the queries, or if
/// there are more than 2^31 per query.
inline u32 results_each(const char* function, const char* what, u64 query_count, const char* results,
                        u64 result_count) {
  if (query_count == 0 ? result_count > 0 : result_count % query_count != 0) {
    refuse(function, "there is room for " + counted(result_count, results) + ", no multiple of " +
                         counted(query_count, what));
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
