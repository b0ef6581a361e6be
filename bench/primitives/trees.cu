// Measures top-down trees in one launch, by the waterfall or by persistent stages, beside one launch per level.

#include <vector>

#include "bench/primitives/rows.h"
#include "primitives/core/warp_atomic.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/persistent.cuh"
#include "primitives/cuda/waterfall.cuh"

namespace copse::bench {

namespace {

// A node is the range that it splits: begin in the lower half of a word, end in the upper half. No node is 0.
COPSE_HD u64 range_of(u32 begin, u32 end) {
  return u64{end} << 32 | begin;
}
constexpr u64 root_range = 0xffffffff00000000u;

/// The ranges of both children. A child has 30 to 70 percent of the parent's range.
struct Halves {
  u64 left, right;
};
COPSE_HD Halves split(u64 range, u64 node) {
  const u32 begin = u32(range), end = u32(range >> 32);
  const u32 part = 77 + ((u32(node) * 2654435761u) >> 16) % 103;
  const u32 middle = begin + u32((u64{end - begin} * part) >> 8);
  return {range_of(begin, middle), range_of(middle, end)};
}

/// Node i of the complete tree has its children at 2i + 1 and 2i + 2. The range comes by mail, in a word. The word
/// is 0 until the range is there, and it is 0 again after the range was read.
struct MailedNode {
  u64* nodes;
  u64* mail;
  u64 n;

  COPSE_HD bool operator()(u64 i) const {
    const u64 range = i == 0 ? root_range : load_relaxed(mail + i);
    if (range == 0) return false;
    if (2 * i + 2 < n) {
      const Halves halves = split(range, i);
      store_relaxed(mail + 2 * i + 1, halves.left);
      store_relaxed(mail + 2 * i + 2, halves.right);
    }
    nodes[i] = range;
    if (i > 0) store_relaxed(mail + i, u64{0});
    return true;
  }
};

/// Builds the same tree, one level per launch.
struct NodeOfLevel {
  u64* nodes;
  u64 first, n;

  COPSE_HD void operator()(u64 k) const {
    const u64 i = first + k;
    const u64 range = i == 0 ? root_range : nodes[i];
    if (i == 0) nodes[0] = range;
    if (2 * i + 2 >= n) return;
    const Halves halves = split(range, i);
    nodes[2 * i + 1] = halves.left;
    nodes[2 * i + 2] = halves.right;
  }
};

void add_launch_a_level(Comparison& c, BufferSpan<u64> nodes) {
  c.add_rival([=, &c] {
    for (u64 first = 0; first < c.n; first = 2 * first + 1) {
      cuda::for_each(c.context.cuda_executor(), "level", first + 1, NodeOfLevel{nodes.data(), first, c.n});
    }
  });
}

void tree_against_levels(Comparison& c) {
  const BufferSpan<u64> nodes = c.buffer<u64>(c.n), expected = c.buffer<u64>(c.n), mail = c.buffer<u64>(c.n);
  c.ours = [=, &c] {
    cuda::waterfall(c.context.cuda_executor(), "tree", c.n, MailedNode{nodes.data(), mail.data(), c.n});
  };
  add_launch_a_level(c, expected);
  c.expect_equal(nodes, expected);
}

/// Builds several levels of the complete tree at once. A task k is a subtree of 2^levels - 1 nodes. It has
/// 2^levels children and mails them their ranges.
template <u32 levels>
struct Subtrees {
  static constexpr u64 arity = u64{1} << levels;

  u64* nodes;
  u64* mail;  // to task k, at k + 1, so that the mail to two children lies at a multiple of 16 bytes
  u64 task_count;

  /// A level of `width` tasks begins with task (width - 1) / (arity - 1) and node width - 1.
  COPSE_HD void build(u64 k, u64 range) const {
    const u64 width = u64{1} << (63 - leading_zeros((arity - 1) * k + 1)) / levels * levels;
    const u64 top = width - 1 + (k - (width - 1) / (arity - 1));
    const bool has_children = arity * k + arity < task_count;
    visit<levels>(top, range, has_children ? mail + arity * k + 2 : nullptr);
  }

  /// Visits node by node, left before right. `places` are those of the mail to the children of the last level,
  /// from this subtree's first child on.
  template <u32 left_levels>
  COPSE_HD void visit(u64 node, u64 range, u64* places) const {
    nodes[node] = range;
    const Halves halves = split(range, node);
    if constexpr (left_levels > 1) {
      visit<left_levels - 1>(2 * node + 1, halves.left, places);
      visit<left_levels - 1>(2 * node + 2, halves.right,
                             places == nullptr ? nullptr : places + (1 << (left_levels - 1)));
    } else if (places != nullptr) {
      const u64 both[] = {halves.left, halves.right};
      store_relaxed(places, both);
    }
  }
};

template <u32 levels>
struct MailedSubtree {
  Subtrees<levels> subtrees;
  COPSE_HD bool operator()(u64 k) const {
    const u64 range = k == 0 ? root_range : load_relaxed(subtrees.mail + k + 1);
    if (range == 0) return false;
    subtrees.build(k, range);
    if (k > 0) store_relaxed(subtrees.mail + k + 1, u64{0});
    return true;
  }
};

template <u32 levels>
struct SubtreeOfLevel {
  Subtrees<levels> subtrees;
  u64 first;
  COPSE_HD void operator()(u64 i) const {
    const u64 k = first + i;
    subtrees.build(k, k == 0 ? root_range : subtrees.mail[k + 1]);
  }
};

/// Compares with one launch for each level of nodes, and with one launch for each level of subtrees.
template <u32 levels, bool rival_has_subtrees>
void subtrees_against_levels(Comparison& c) {
  const BufferSpan<u64> nodes = c.buffer<u64>(c.n), expected = c.buffer<u64>(c.n);
  const u64 task_count = c.n / (Subtrees<levels>::arity - 1);
  const Subtrees<levels> ours{nodes.data(), c.buffer<u64>(task_count + 1).data(), task_count};
  const Subtrees<levels> theirs{expected.data(), c.buffer<u64>(task_count + 1).data(), task_count};
  c.ours = [=, &c] {
    cuda::waterfall(c.context.cuda_executor(), "tree of subtrees", task_count, MailedSubtree<levels>{ours});
  };
  if (rival_has_subtrees) {
    c.add_rival([=, &c] {
      for (u64 first = 0, count = 1; first < task_count; first += count, count *= ours.arity) {
        cuda::for_each(c.context.cuda_executor(), "levels", count, SubtreeOfLevel<levels>{theirs, first});
      }
    });
  } else {
    add_launch_a_level(c, expected);
  }
  c.expect_equal(nodes, expected);
}

/// A tree whose shape is not known before. Leaves are cut off anywhere, and its depth is several times the
/// logarithm of its size.
struct Part {
  u32 begin, end, depth;
};
COPSE_HD u32 cut(const Part& part) {
  const u32 size = part.end - part.begin;
  return part.begin + 1 + u32((u64{part.begin * 2654435761u + size} * 2246822519u >> 11) % (size - 1));
}

struct GrowTask {
  u32* depths;
  COPSE_HD void operator()(u64, const Part& part, const TaskQueueView<Part>& queue) const {
    if (part.end - part.begin == 1) {
      depths[part.begin] = part.depth;
      return;
    }
    const u32 middle = cut(part);
    const Part parts[] = {{part.begin, middle, part.depth + 1}, {middle, part.end, part.depth + 1}};
    queue.publish(queue.reserve(2), parts);
  }
};
struct PushRoot {
  TaskQueueView<Part> queue;
  u32 size;
  COPSE_HD void operator()(u64) const { queue.push({0, size, 0}); }
};

/// Builds the same tree by levels. What one level leaves is the frontier of the next.
struct GrowLevels {
  Part* frontiers[2];
  u64* sizes;  // one per level, and one more
  u32* depths;
  u32 leaf_count;

  COPSE_HD u64 size(u32 level) const { return level == 0 ? 1 : sizes[level] == 0 ? no_more_stages : sizes[level]; }
  COPSE_HD void operator()(u32 level, u64 i) const {
    const Part part = level == 0 ? Part{0, leaf_count, 0} : frontiers[level % 2][i];
    if (part.end - part.begin == 1) {
      depths[part.begin] = part.depth;
      return;
    }
    const u32 middle = cut(part);
    const u64 children = fetch_add_by_warp(sizes + level + 1, 2);
    Part* const next = frontiers[(level + 1) % 2];
    next[children] = {part.begin, middle, part.depth + 1};
    next[children + 1] = {middle, part.end, part.depth + 1};
  }
};
struct GrowLevel {
  GrowLevels levels;
  u32 level;
  COPSE_HD void operator()(u64 i) const { levels(level, i); }
};

/// Returns how many nodes each level has.
std::vector<u64> level_sizes(u32 leaf_count) {
  std::vector<u64> sizes;
  std::vector<Part> stack{{0, leaf_count, 0}};
  while (!stack.empty()) {
    const Part part = stack.back();
    stack.pop_back();
    if (part.depth >= sizes.size()) sizes.resize(part.depth + 1);
    ++sizes[part.depth];
    if (part.end - part.begin == 1) continue;
    stack.push_back({part.begin, cut(part), part.depth + 1});
    stack.push_back({cut(part), part.end, part.depth + 1});
  }
  return sizes;
}

struct GrownTree {
  u32 leaf_count;
  std::vector<u64> sizes;
  BufferSpan<u32> depths;
};

/// The rival makes one launch per level. The host happens to know the size of each level.
GrownTree against_launches(Comparison& c) {
  const u32 leaf_count = u32(c.n / 2);
  const GrownTree tree{leaf_count, level_sizes(leaf_count), c.buffer<u32>(leaf_count)};
  const BufferSpan<u64> counts = c.buffer<u64>(tree.sizes.size() + 2);
  const BufferSpan<u32> expected = c.buffer<u32>(leaf_count);
  const GrowLevels levels{
      {c.buffer<Part>(c.n).data(), c.buffer<Part>(c.n).data()}, counts.data(), expected.data(), leaf_count};
  c.add_counter("levels", double(tree.sizes.size()));
  c.add_rival([=, &c] {
    const auto& ex = c.context.cuda_executor();
    cuda::fill_bytes(ex, "clear", counts.data(), counts.size(), 0);
    for (u32 level = 0; level < tree.sizes.size(); ++level) {
      cuda::for_each(ex, "level", tree.sizes[level], GrowLevel{levels, level});
    }
  });
  c.expect_equal(tree.depths, expected);
  return tree;
}

void grown_by_tasks(Comparison& c) {
  const GrownTree tree = against_launches(c);
  const auto queue = std::make_shared<TaskQueue<Part>>(c.context, c.n);
  c.ours = [=, &c] {
    const auto& ex = c.context.cuda_executor();
    cuda::for_each(ex, "push the root", 1, PushRoot{queue->view(), tree.leaf_count});
    cuda::run_tasks(ex, "grow", queue->view(), GrowTask{tree.depths.data()});
  };
}

void grown_by_stages(Comparison& c) {
  const GrownTree tree = against_launches(c);
  const BufferSpan<u64> counts = c.buffer<u64>(tree.sizes.size() + 2);
  const GrowLevels levels{{c.buffer<Part>(c.n).data(), c.buffer<Part>(c.n).data()},
                          counts.data(),
                          tree.depths.data(),
                          tree.leaf_count};
  c.ours = [=, &c] {
    const auto& ex = c.context.cuda_executor();
    cuda::fill_bytes(ex, "clear", counts.data(), counts.size(), 0);
    cuda::persistent_stages(ex, "grow", u32(counts.size()) - 1, levels);
  };
}

}  // namespace

void add_tree_rows(Rows& rows) {
  const u64 n = (u64{1} << 20) - 1;
  rows.add("waterfall/tree", n, tree_against_levels);
  rows.add("waterfall/tree/subtrees:2", n, subtrees_against_levels<2, false>);
  rows.add("waterfall/tree/subtrees:2/both", n, subtrees_against_levels<2, true>);
  rows.add("waterfall/tree/subtrees:4/both", n, subtrees_against_levels<4, true>);
  rows.add("waterfall/grown_tree", n + 1, grown_by_tasks);
  rows.add("persistent/grown_tree", n + 1, grown_by_stages);
}

}  // namespace copse::bench
