#include "primitives/list_rank.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/scan/sublists.h"

namespace copse {

namespace detail {

// The body: list_rank.inl, for either executor.
template <class Executor>
void rank_nodes(const Executor& ex, const u32* next, u32 n, u32 head, u32* ranks);

}  // namespace detail

void list_rank(Context& context, BufferSpan<const u32> next, u32 head, BufferSpan<u32> ranks) {
  constexpr const char* name = "list rank";
  constexpr u64 max_nodes = 0xffffffffu;
  detail::check_one_each(name, ranks.size(), "ranks", next.size(), "nodes");
  detail::check_range(name, next.size(), "nodes", 0, max_nodes);
  if (next.empty()) return;
  if (head >= next.size()) {
    detail::refuse(name, "the head is node " + std::to_string(head) + " of " + std::to_string(next.size()));
  }
  if (next.data() != ranks.data()) {
    detail::check_apart(name, next, ranks, "the ranks overlap the successors in part");
  }
  dispatch(context,
           [&](const auto& ex) { detail::rank_nodes(ex, next.data(), u32(next.size()), head, ranks.data()); });
}

u64 list_rank_scratch_bytes(u64 n) {
  u64 bytes = ScratchArena::bytes_for<u64>(n) + ScratchArena::bytes_for<u32>(1);
  while (n > detail::short_list_nodes) {
    n = detail::sublist_count(n);
    bytes += ScratchArena::bytes_for<u64>(n) + 2 * ScratchArena::bytes_for<u32>(n);
  }
  return bytes;
}

}  // namespace copse
