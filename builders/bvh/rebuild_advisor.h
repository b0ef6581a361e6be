#pragma once

#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/stats.h"
#include "builders/bvh/wide_bvh.h"
#include "primitives/run_if.h"

namespace copse {

struct RebuildRule {
  /// A refitted tree is due for a rebuild once its SAH cost exceeds this factor times its cost when built: 1 to
  /// 1000. A low value rebuilds often and keeps rays fast, a high one refits longer.
  double max_growth = 1.25;

  /// A tree is due after this many refits in any case, 0 to 2^32 - 1; 0 for no limit. The cost of triangles that
  /// come together again falls, so only a rebuild shows how much lower it could be.
  u32 max_refits = 64;

  /// The costs of a node and of a triangle: finite and not negative.
  SahCosts costs = {};
};

/// The history of a tree in its advisor.
struct TreeHistory {
  double built_cost = 0;  // SAH cost after the last build
  double cost = 0;        // SAH cost now
  u32 is_due = 0;         // 1 if the tree should be rebuilt, else 0
  u32 refits_since_build = 0;
  u32 refit_count = 0;    // all refits
  u32 rebuild_count = 0;  // all builds but the first

  /// Returns the SAH cost now divided by the cost when built; 1 if that was 0.
  double growth() const { return built_cost > 0 ? cost / built_cost : 1; }
};

/// Decides for one tree that moves when to refit it and when to rebuild it, by its SAH cost. It lives in the memory
/// of the context, and the GPU decides, so it works inside of a captured graph.
///
///   copse::RebuildAdvisor advisor(context);
///   copse::note_build(context, advisor, accel.tree());
///   for each frame: copse::refit_or_rebuild(context, accel, moved_triangles, advisor);
///
/// The cost is that of stats(), rounded to a fixed point. So it is equal on all backends bit for bit, and both
/// decide alike.
class COPSE_API RebuildAdvisor {
 public:
  /// Throws: Error invalid_argument if the rule is out of range, Error out_of_memory.
  explicit RebuildAdvisor(Context& context, const RebuildRule& rule = {});

  const RebuildRule& rule() const { return rule_; }

  /// Returns one word in the memory of the context: TreeHistory::is_due, for run_if.
  BufferSpan<const u32> is_due() const { return is_due_.span(); }

  /// Returns the history. Waits.
  TreeHistory history() const { return history_.download()[0]; }

  TreeHistory* data() { return history_.data(); }
  u32* due_data() { return is_due_.data(); }

 private:
  RebuildRule rule_;
  Buffer<TreeHistory> history_;
  Buffer<u32> is_due_;
};

/// Takes the cost of a tree that was just built as the one to compare with: a Bvh, Bvh4, CompressedBvh4 or
/// CompressedBvh8. It reads every node once. It does not wait and, once warm, does not allocate.
/// Throws: Error out_of_memory, Error cancelled.
/// Memory: scratch of at most 34 KiB on CUDA, 16 bytes for each 4096 nodes on the CPU.
template <class Tree>
void note_build(Context& context, RebuildAdvisor& advisor, const Tree& tree);

/// Measures a tree that was refitted, and decides whether it is due for a rebuild. All else as note_build.
template <class Tree>
void note_refit(Context& context, RebuildAdvisor& advisor, const Tree& tree);

/// Refits a tree and measures it. If it is due, rebuilds and measures it again. So its SAH cost is never more than
/// max_growth times its cost after the last build. It may be captured in a graph, where the GPU decides at every launch.
///   advisor: was given the tree by note_build; if not, the first call rebuilds the tree
/// Throws: as refit, rebuild and run_if.
/// Waits: for the decision, on CUDA outside of a capture.
/// Memory: as refit and rebuild. Before a capture, reserve what build_sizes() says: the rebuild must not allocate.
COPSE_API void refit_or_rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles,
                                const AnyBuildOptions& options, RebuildAdvisor& advisor);
COPSE_API void refit_or_rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const AnyBuildOptions& options,
                                RebuildAdvisor& advisor);

}  // namespace copse
