#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Ranks the nodes of a linked list: ranks[i] = the number of links from the head to node i, 0 for the head,
/// and invalid_id for nodes that are not on the head's list. Equal on all backends.
///   next:  the successor of each node, up to 2^32 - 1 nodes, may be empty. The list ends at a node that is its
///          own successor, or whose successor is past the last node (invalid_id, say), or is the head
///   head:  the list's first node; without nodes, anything
///   ranks: as many as nodes; may be `next` itself, must not overlap it otherwise
/// Nodes may stand in any order, and belong to any number of other lists and rings beside the head's. No node
/// may be the successor of two others. Where one is, the ranks are still right, or else all of them are
/// invalid_id: the same on all backends and in every run.
/// A ring of nodes on the head's way back to anywhere but the head is such a case.
/// Throws: Error invalid_argument where the sizes differ, for too many nodes, or a head past the last node;
/// Error out_of_memory.
/// Memory: list_rank_scratch_bytes, 8.3 bytes a node.
void list_rank(Context& context, BufferSpan<const u32> next, u32 head, BufferSpan<u32> ranks);

/// The scratch that list_rank takes for `n` nodes.
u64 list_rank_scratch_bytes(u64 n);

}  // namespace copse
