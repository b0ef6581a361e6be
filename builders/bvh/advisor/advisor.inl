// The SAH cost of a tree, binary or wide, by one reduction, and the decision that follows from it.
//
// Areas are summed as integers, so the sums do not depend on the order of threads. Each area counts as a share of
// the root's, at most 1, in units of 2^-bits. `bits` leaves room for the sum of all shares:
//
//   63 62             bits     0
//   0  whole numbers | fraction      bits = 62 - the bits of the number of shares

#include "builders/bvh/measure/root_bounds.h"
#include "builders/bvh/rebuild_advisor.h"
#include "builders/bvh/wide/wide_tree.h"
#include "primitives/inputs.h"
#include "primitives/reduce.h"

namespace copse::detail {

/// Sums of shares of the root's area.
struct AreaShares {
  u64 inner;
  u64 leaf;  // of each leaf, times its primitives
};

struct AddAreaShares {
  COPSE_HD AreaShares operator()(const AreaShares& a, const AreaShares& b) const {
    return {a.inner + b.inner, a.leaf + b.leaf};
  }
};

/// Turns areas into shares of the root's area.
struct ShareScale {
  double units_per_area;  // 0 if the root has no area
  double units_per_root;

  /// share_count: no sum has more shares
  COPSE_HD ShareScale(double root_area, u64 share_count)
      : units_per_area(0), units_per_root(double(u64{1} << (62 - (64 - leading_zeros(share_count))))) {
    if (root_area > 0) units_per_area = units_per_root / root_area;
  }
  COPSE_HD u64 share(double area) const {
    const double units = add_rn(mul_rn(area, units_per_area), 0.5);
    return u64(units < units_per_root ? units : units_per_root);
  }
};

COPSE_HD inline u32 shares_of_node(const BvhNode*) {
  return 1;
}
template <class Node>
COPSE_HD u32 shares_of_node(const Node*) {
  return Node::width;
}

template <class View>
COPSE_HD ShareScale scale_of(const View& tree) {
  const auto& counts = *tree.counts.data();
  const u64 shares = u64{counts.node_count} * shares_of_node(tree.nodes.data());
  return ShareScale(half_area(bounds_of(tree.nodes.data()[0])), larger(shares, u64{counts.primitive_count}));
}

COPSE_HD inline AreaShares shares_of(const BvhNode& node, const ShareScale& scale) {
  const u64 share = scale.share(half_area(node.box()));
  return node.is_leaf() ? AreaShares{0, share * node.count} : AreaShares{share, 0};
}

/// An inner child counts as its node, so the root is not among the shares.
template <class Node>
COPSE_HD AreaShares shares_of(const Node& node, const ShareScale& scale) {
  AreaShares shares{0, 0};
  for (u32 slot = 0; slot < Node::width; ++slot) {
    const WideChild child = node.child(slot);
    if (child.is_nothing()) continue;
    const u64 share = scale.share(half_area(cut_to_floats(node.child_box(slot))));
    if (child.is_inner()) shares.inner += share;
    if (child.is_leaf()) shares.leaf += share * child.count;
  }
  return shares;
}

template <class View>
struct SharesOfNode {
  View tree;
  COPSE_HD AreaShares operator()(u64 i) const {
    if (i >= tree.counts.data()->node_count) return {0, 0};
    return shares_of(tree.nodes.data()[i], scale_of(tree));
  }
};

/// Inner area of the root that the sums leave out, in roots.
COPSE_HD inline double missing_roots(const BvhView&) {
  return 0;
}
template <class View>
COPSE_HD double missing_roots(const View& tree) {
  return tree.counts.data()->node_count == 0 ? 0 : 1;
}

template <class View>
struct NoteCost {
  View tree;
  const AreaShares* shares;
  RebuildRule rule;
  bool was_built;
  TreeHistory* history;
  u32* is_due;

  COPSE_HD void operator()(u64) const {
    TreeHistory known = *history;
    known.cost = cost();
    if (was_built) {
      if (known.built_cost >= 0) ++known.rebuild_count;
      known.built_cost = known.cost;
      known.refits_since_build = 0;
    } else {
      ++known.refit_count;
      ++known.refits_since_build;
    }
    known.is_due = !was_built && is_due_now(known) ? 1 : 0;
    *history = known;
    *is_due = known.is_due;
  }

 private:
  /// A tree that was never noted as built has a negative cost, so it is due.
  COPSE_HD bool is_due_now(const TreeHistory& known) const {
    if (known.cost > mul_rn(rule.max_growth, known.built_cost)) return true;
    return known.built_cost < 0 || (rule.max_refits > 0 && known.refits_since_build >= rule.max_refits);
  }

  COPSE_HD double cost() const {
    const ShareScale scale = scale_of(tree);
    if (!(scale.units_per_area > 0)) return 0;
    const double inner = add_rn(double(shares->inner) / scale.units_per_root, missing_roots(tree));
    const double leaf = double(shares->leaf) / scale.units_per_root;
    return add_rn(mul_rn(rule.costs.traversal, inner), mul_rn(rule.costs.intersection, leaf));
  }
};

template <class Executor, class View>
void note_cost(const Executor& ex, const View& tree, const RebuildRule& rule, bool was_built, TreeHistory* history,
               u32* is_due) {
  ScratchArena::Frame frame(ex.scratch);
  auto* const shares = frame.allocate<AreaShares>(1);
  reduce(ex, "advisor: areas", tree.nodes.size(), SharesOfNode<View>{tree}, AreaShares{0, 0}, AddAreaShares{},
         shares);
  for_each(ex, "advisor: decide", 1, NoteCost<View>{tree, shares, rule, was_built, history, is_due});
}

#define COPSE_NOTE_COST(View) \
  template void note_cost(const BodyExecutor&, const View&, const RebuildRule&, bool, TreeHistory*, u32*);
COPSE_NOTE_COST(BvhView)
COPSE_NOTE_COST(Bvh4View)
COPSE_NOTE_COST(CompressedBvh4View)
COPSE_NOTE_COST(CompressedBvh8View)
#undef COPSE_NOTE_COST

}  // namespace copse::detail
