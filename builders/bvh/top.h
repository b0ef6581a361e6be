#pragma once

#include "builders/bvh/bvh.h"

namespace copse {

/// Rebuilds the top of a binary tree by the SAH builder, and keeps its lower levels. The nodes with the largest
/// area are the top, some 8000 to 16000 of them; the subtrees below are its leaves. The new top replaces the old
/// one only if its inner nodes have less area. So the SAH cost never rises, except by rounding. Leaves, their
/// primitives and all nodes below the top stay.
///
/// It takes trees of any builder: an LBVH gains most, H-PLOC some. The time hardly depends on the number of
/// primitives. The tree is equal on all backends bit for bit, and from run to run. A refit then fits it along its
/// links. Boxes must hold everything below them, as after a build or a refit.
///
/// It does not wait and, once warm, does not allocate, so it can be captured in a Graph, together with a rebuild.
/// After an error, rebuild the tree before you use it. Builders do it themselves if LbvhOptions::top or
/// HplocOptions::top is Top::sah.
///
/// Source: Pantaleoni, Luebke, "HLBVH: Hierarchical LBVH Construction for Real-Time Ray Tracing of Dynamic Geometry",
/// HPG 2010, for a SAH tree over clusters; Garanzha, Pantaleoni, McAllister, "Simpler and Faster HLBVH with Work
/// Queues", HPG 2011. Where we differ: areas choose the clusters, not the prefixes of keys.
/// Throws: Error out_of_memory, Error cancelled.
/// Memory: see rebuild_top_sizes.
COPSE_API void rebuild_top(Context& context, Bvh& bvh);

/// Returns the bytes that rebuild_top takes for a tree with room for `primitive_count` primitives: no result, and
/// scratch of at most 5 MB.
/// Throws: Error capacity past 2^31 primitives.
COPSE_API BuildSizes rebuild_top_sizes(Context& context, u64 primitive_count);

}  // namespace copse
