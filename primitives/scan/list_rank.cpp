#include "primitives/list_rank.h"

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/scan/list_rank_body.h"

namespace copse {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, "list rank: " + why);
}

}  // namespace

void list_rank(Context& context, BufferSpan<const u32> next, u32 head, BufferSpan<u32> ranks) {
  constexpr u64 max_nodes = 0xffffffffu;
  if (next.size() != ranks.size()) {
    refuse(std::to_string(ranks.size()) + " ranks for " + std::to_string(next.size()) + " nodes");
  }
  if (next.size() > max_nodes) {
    refuse(std::to_string(next.size()) + " nodes, at most " + std::to_string(max_nodes));
  }
  if (next.empty()) return;
  if (head >= next.size()) {
    refuse("the head is node " + std::to_string(head) + " of " + std::to_string(next.size()));
  }
  if (next.data() != ranks.data() && overlap(next, ranks)) refuse("the ranks overlap the successors in part");
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
