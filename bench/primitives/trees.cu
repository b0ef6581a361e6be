// Top-down trees in one launch, by the waterfall or by persistent stages, beside a launch a level.

#include <vector>

#include "bench/primitives/rows.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/persistent.cuh"
#include "primitives/cuda/waterfall.cuh"

namespace copse::bench {

namespace {

// A node is the range that it splits: begin in the lower half of a word, end in the upper. Not 0 for any node.
COPSE_HD u64 range_of(u32 begin, u32 end) {
  return u64{end} << 32 | begin;
}
constexpr u64 root_range = 0xffffffff00000000u;

/// The ranges of both children, of 30 to 70 of 100 parts of the parent's.
struct Halves {
  u64 left, right;
};
COPSE_HD Halves split(u64 range, u64 node) {
  const u32 begin = u32(range), end = u32(range >> 32);
  const u32 part = 77 + ((u32(node) * 2654435761u) >> 16) % 103;
  const u32 middle = begin + u32((u64{end - begin} * part) >> 8);
  return {range_of(begin, middle), range_of(middle, end)};
}

/// Node i of the complete tree has its children at 2i + 1 and 2i + 2. The range comes by mail, in a word that is 0
/// until it is there, and again when it was read.
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

/// The same, a level a launch.
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

void tree_against_levels(Comparison& c) {
  const BufferSpan<u64> nodes = c.buffer<u64>(c.n), expected = c.buffer<u64>(c.n), mail = c.buffer<u64>(c.n);
  c.ours = [=, &c] {
    cuda::waterfall(c.context.cuda_executor(), "tree", c.n, MailedNode{nodes.data(), mail.data(), c.n});
  };
  c.add_rival([=, &c] {
    for (u64 first = 0; first < c.n; first = 2 * first + 1) {
      cuda::for_each(c.context.cuda_executor(), "level", first + 1, NodeOfLevel{expected.data(), first, c.n});
    }
  });
  c.expect_equal(nodes, expected);
}

/// Four levels of the complete tree at once: task k is a subtree of 15 nodes, and mails to 16.
struct Subtree {
  u64* nodes;
  u64 n;

  /// The first node of each level of tasks, by its distance from the root: 16^level - 1.
  COPSE_HD static u64 first_node(u64 k) {
    u64 first_task = 0, width = 1;
    while (k >= first_task + width) {
      first_task += width;
      width *= 16;
    }
    return width - 1 + (k - first_task);
  }

  /// Fills in the nodes; the ranges of the 16 children come out.
  COPSE_HD void operator()(u64 top, u64 (&ranges)[16]) const {
#pragma unroll
    for (u32 depth = 0; depth < 4; ++depth) {
      const u64 first = ((top + 1) << depth) - 1;
#pragma unroll
      for (int j = (1 << depth) - 1; j >= 0; --j) {
        const u64 node = first + u64(j), range = ranges[j];
        nodes[node] = range;
        const Halves halves = split(range, node);
        ranges[2 * j] = halves.left;
        ranges[2 * j + 1] = halves.right;
      }
    }
  }
};

struct MailedSubtree {
  Subtree subtree;
  u64* mail;
  u64 task_count;

  COPSE_HD bool operator()(u64 k) const {
    const u64 range = k == 0 ? root_range : load_relaxed(mail + k);
    if (range == 0) return false;
    u64 ranges[16] = {range};
    subtree(Subtree::first_node(k), ranges);
    if (16 * k + 16 < task_count) {
#pragma unroll
      for (u32 j = 0; j < 16; ++j) store_relaxed(mail + 16 * k + 1 + j, ranges[j]);
    }
    if (k > 0) store_relaxed(mail + k, u64{0});
    return true;
  }
};

struct SubtreeOfLevel {
  Subtree subtree;
  u64* mail;
  u64 first, task_count;

  COPSE_HD void operator()(u64 i) const {
    const u64 k = first + i;
    u64 ranges[16] = {k == 0 ? root_range : mail[k]};
    subtree(Subtree::first_node(k), ranges);
    if (16 * k + 16 >= task_count) return;
#pragma unroll
    for (u32 j = 0; j < 16; ++j) mail[16 * k + 1 + j] = ranges[j];
  }
};

void subtrees_against_levels(Comparison& c) {
  const BufferSpan<u64> nodes = c.buffer<u64>(c.n), expected = c.buffer<u64>(c.n);
  const u64 task_count = c.n / 15;
  const BufferSpan<u64> mail = c.buffer<u64>(task_count), levels = c.buffer<u64>(task_count);
  c.ours = [=, &c] {
    cuda::waterfall(c.context.cuda_executor(), "tree of subtrees", task_count,
                    MailedSubtree{{nodes.data(), c.n}, mail.data(), task_count});
  };
  c.add_rival([=, &c] {
    for (u64 first = 0, count = 1; first < task_count; first += count, count *= 16) {
      cuda::for_each(c.context.cuda_executor(), "four levels", count,
                     SubtreeOfLevel{{expected.data(), c.n}, levels.data(), first, task_count});
    }
  });
  c.expect_equal(nodes, expected);
}

/// A tree whose shape nobody knows before: leaves are cut off anywhere, and its depth is several times the
/// logarithm.
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
    const u64 children = queue.reserve(2);
    queue.publish(children, {part.begin, middle, part.depth + 1});
    queue.publish(children + 1, {middle, part.end, part.depth + 1});
  }
};
struct PushRoot {
  TaskQueueView<Part> queue;
  u32 size;
  COPSE_HD void operator()(u64) const { queue.push({0, size, 0}); }
};

/// The same by levels: what one level leaves is the frontier of the next.
struct GrowLevels {
  Part* frontiers[2];
  u64* sizes;  // a level, and one more
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

/// How many nodes each level has.
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

/// The rival: a launch a level, whose size the host happens to know.
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
  rows.add("waterfall/tree/subtrees", n, subtrees_against_levels);
  rows.add("waterfall/grown_tree", n + 1, grown_by_tasks);
  rows.add("persistent/grown_tree", n + 1, grown_by_stages);
}

}  // namespace copse::bench
