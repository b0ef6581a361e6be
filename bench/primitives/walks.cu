// Measures walks over a binary tree of n leaves in one launch, beside the plain ways to do the same.

#include "bench/primitives/rows.h"
#include "primitives/cuda/tree_walk.cuh"

namespace copse::bench {

namespace {

/// A complete tree in the order of levels. Children stand as pairs: node i has the children 2i + 1 and 2i + 2.
struct LevelTree {
  u32 inner_count;
  COPSE_HD u32 child_count(u32 node) const { return node < inner_count ? 2 : 0; }
  COPSE_HD u32 first_child(u32 node) const { return 2 * node + 1; }
};

/// Pair p holds the children of node p.
struct StoreOwnNumber {
  u32* parents;
  COPSE_HD void operator()(u64 pair) const { parents[pair] = u32(pair); }
};

struct CountLeaf {
  u32 inner_count, node_count;
  u32* sums;
  COPSE_HD bool operator()(u32 node) const {
    if (node < inner_count || node >= node_count) return false;
    sums[node] = node;
    return true;
  }
};
struct AddChildren {
  u32* sums;
  COPSE_HD void operator()(u32 node, u32 pair) const {
    const u32 first = SiblingPairs::first_of(pair);
    sums[node] = sums[first] + sums[first + 1];
  }
};

/// The course's walk. The counters go on from their values, so a memset must come before it.
struct WalkFromClearedCounters {
  CountLeaf leaf;
  AddChildren visit;
  const u32* parents;
  u32* arrivals;
  COPSE_HD void operator()(u64 i) const {
    u32 node = u32(i);
    if (!leaf(node)) return;
    while (node != 0) {
      const u32 pair = (node - 1) / 2;
      if (fetch_add_acq_rel(&arrivals[pair], 1) == 0) return;
      node = parents[pair];
      visit(node, pair);
    }
  }
};

struct AddChildrenOfLevel {
  AddChildren visit;
  u32 first;
  COPSE_HD void operator()(u64 k) const { visit(first + u32(k), first + u32(k)); }
};

struct UpData {
  u32 inner_count;
  BufferSpan<u32> parents, sums, expected, arrivals;
  CountLeaf leaf(BufferSpan<u32> to) const { return {inner_count, u32(to.size()), to.data()}; }
};

UpData upwards(Comparison& c) {
  const u32 inner = u32(c.n - 1);
  const UpData d{inner, c.buffer<u32>(inner), c.buffer<u32>(2 * c.n - 1), c.buffer<u32>(2 * c.n - 1),
                 c.buffer<u32>(inner)};
  cuda::for_each(c.context.cuda_executor(), "parents", inner, StoreOwnNumber{d.parents.data()});
  c.bytes = 4.0 * double(2 * d.sums.size() + 3 * inner);
  c.ours = [=, &c] {
    bottom_up(c.context.cuda_executor(), "walk up", d.sums.size(), inner, SiblingPairs{d.parents.data()},
              d.leaf(d.sums), AddChildren{d.sums.data()});
  };
  c.expect_equal(d.sums, d.expected);
  return d;
}

void up_against_cleared_counters(Comparison& c) {
  const UpData d = upwards(c);
  c.add_rival([=, &c] {
    const auto& ex = c.context.cuda_executor();
    cuda::fill_bytes(ex, "clear", d.arrivals.data(), d.arrivals.size(), 0);
    cuda::for_each(
        ex, "walk", d.expected.size(),
        WalkFromClearedCounters{d.leaf(d.expected), {d.expected.data()}, d.parents.data(), d.arrivals.data()});
  });
}

struct FillLeaf {
  CountLeaf leaf;
  COPSE_HD void operator()(u64 i) const { leaf(u32(i)); }
};

void up_against_launches(Comparison& c) {
  const UpData d = upwards(c);
  c.add_rival([=, &c] {
    const auto& ex = c.context.cuda_executor();
    cuda::for_each(ex, "leaves", d.expected.size(), FillLeaf{d.leaf(d.expected)});
    for (u32 level = u32(c.n / 2); level >= 1; level /= 2) {
      cuda::for_each(ex, "level", level, AddChildrenOfLevel{{d.expected.data()}, level - 1});
    }
  });
}

struct TellChildren {
  LevelTree tree;
  u32* values;
  COPSE_HD bool operator()(u32 node) const {
    if (tree.child_count(node) == 0) return false;
    const u32 first = tree.first_child(node);
    values[first] = values[node] * 3 + 1;
    values[first + 1] = values[node] * 5 + 2;
    return true;
  }
};
/// The nodes of a level. Each node writes the numbers of its children for the next level.
struct TellFrontier {
  TellChildren tell;
  const u32* frontier;
  u32* next;
  COPSE_HD void operator()(u64 k) const {
    const u32 node = frontier[k];
    if (!tell(node)) return;
    next[2 * k] = tell.tree.first_child(node);
    next[2 * k + 1] = next[2 * k] + 1;
  }
};

void down_against_launches(Comparison& c) {
  const BufferSpan<u32> values = c.buffer<u32>(2 * c.n - 1), expected = c.buffer<u32>(2 * c.n - 1);
  const LevelTree tree{u32(c.n - 1)};
  c.bytes = 4.0 * double(2 * values.size());
  c.ours = [=, &c] {
    top_down(c.context.cuda_executor(), "walk down", 0, c.n, tree, TellChildren{tree, values.data()});
  };
  const BufferSpan<u32> frontiers[2] = {c.buffer<u32>(c.n), c.buffer<u32>(c.n)};
  c.add_rival([=, &c] {
    const auto& ex = c.context.cuda_executor();
    cuda::fill_bytes(ex, "root", frontiers[0].data(), 1, 0);
    u32 parity = 0;
    for (u32 level = 1; level < c.n; level *= 2, parity ^= 1) {
      cuda::for_each(
          ex, "level", level,
          TellFrontier{{tree, expected.data()}, frontiers[parity].data(), frontiers[1 - parity].data()});
    }
  });
  c.expect_equal(values, expected);
}

}  // namespace

void add_walk_rows(Rows& rows) {
  for (u32 log_n : {12, 16, 18, 20, 22}) {
    const u64 n = u64{1} << log_n;
    rows.add("walk/up_against_cleared_counters", n, up_against_cleared_counters);
    rows.add("walk/up_against_a_launch_a_level", n, up_against_launches);
    rows.add("walk/down_against_a_launch_a_level", n, down_against_launches);
  }
}

}  // namespace copse::bench
