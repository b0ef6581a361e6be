#include "primitives/free_list.h"

#include <bit>

#include "primitives/core/bits.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: free_list.inl, for either executor.
/// Puts all nodes at the front of the ring, in order.
template <class Executor>
void free_all_nodes(const Executor& ex, u32* ring, u64 ring_size, u32 capacity, u32* held,
                    FreeListCounters* counters);

}  // namespace detail

namespace {

u64 checked(u64 capacity) {
  constexpr u64 max_nodes = u64{1} << 31;
  if (capacity == 0) throw Error(ErrorCode::invalid_argument, "a free list of 0 nodes; it needs at least 1");
  if (capacity <= max_nodes) return capacity;
  throw Error(ErrorCode::capacity, "a free list of " + std::to_string(capacity) + " nodes; it can have at most " +
                                       std::to_string(max_nodes));
}

}  // namespace

FreeList::FreeList(Context& context, u64 capacity)
    : context_(&context),
      capacity_(checked(capacity)),
      ring_(context, std::bit_ceil(capacity)),
      held_(context, divide_rounding_up(capacity, 32)),
      counters_(context, 1) {
  clear();
}

FreeListView FreeList::view() {
  return {ring_.data(), ring_.size(), held_.data(), u32(capacity_), counters_.data()};
}

FreeListReport FreeList::report() const {
  const FreeListCounters counters = counters_.download()[0];
  return {capacity_ + counters.taken - counters.returned, counters.refused_count, counters.bad_free_count};
}

void FreeList::check() const {
  const FreeListReport seen = report();
  if (seen.refused_count > 0) {
    throw Error(ErrorCode::capacity, "a free list refused " + detail::counted(seen.refused_count, "allocations") +
                                         "; it has " + detail::counted(capacity_, "nodes"));
  }
  if (seen.bad_free_count > 0) {
    throw Error(ErrorCode::invalid_argument, "a free list was given back " +
                                                 detail::counted(seen.bad_free_count, "nodes") +
                                                 " that were not allocated");
  }
}

void FreeList::clear() {
  dispatch(*context_, [&](const auto& ex) {
    detail::free_all_nodes(ex, ring_.data(), ring_.size(), u32(capacity_), held_.data(), counters_.data());
  });
}

}  // namespace copse
