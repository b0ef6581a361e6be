#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Ranks the nodes of a linked list: ranks[i] = the number of links from the head to node i. It is 0 for the head
/// and invalid_id for nodes that are not on the list of the head. Equal on all backends.
///   next:  the successor of each node, up to 2^32 - 1 nodes, may be empty. The list ends at a node whose
///          successor is the node itself, the head, or past the last node (such as invalid_id)
///   head:  the first node of the list; ignored if there are no nodes
///   ranks: as many as nodes; may be `next` itself, must not overlap it otherwise
/// Nodes may stand in any order, and there may be any number of other lists and rings. No node may be the
/// successor of two others. If one is (as when the list runs back to a node other than the head), either the ranks
/// are still right or all of them are invalid_id; which of the two is the same on all backends and in every run.
/// Throws: Error invalid_argument if the sizes differ, for too many nodes, or for a head past the last node; Error
/// out_of_memory.
/// Memory: list_rank_scratch_bytes, 8.3 bytes per node.
COPSE_API void list_rank(Context& context, BufferSpan<const u32> next, u32 head, BufferSpan<u32> ranks);

/// The scratch that list_rank takes for `n` nodes.
COPSE_API u64 list_rank_scratch_bytes(u64 n);

}  // namespace copse
