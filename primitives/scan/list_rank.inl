// List ranking by sublists (Helman, JaJa, "Designing Practical Efficient Algorithms for Symmetric
// Multiprocessors", ALENEX 1999; on GPUs, Rehman, Kothapalli, Narayanan, "Fast and Scalable List Ranking on the
// GPU", ICS 2009). Choose splitters. Walk from all of them at once, each to the next splitter. Rank the shorter
// list of the sublists in the same way. Add the rank of its sublist to the place of each node in it.
//
// Where we differ: a node is one word, which holds its successor before the walk and its place after it. So the
// walk accesses memory once per node, by an exchange. The old value also tells whether another walk was there
// before. So every walk ends, whatever the list, and lists that run into each other are detected.
//
//            63 .. 32              31 .. 0
//   before   invalid_id            successor, invalid_id at the end
//   after    sublist, below that   links from the sublist's first node

#include "primitives/core/atomic.h"
#include "primitives/core/macros.h"
#include "primitives/inputs.h"
#include "primitives/scan/sublists.h"

namespace copse::detail {

COPSE_HD inline u64 word_of_successor(u32 successor) {
  return u64(invalid_id) << 32 | successor;
}
COPSE_HD inline bool is_visited(u64 word) {
  return u32(word >> 32) != invalid_id;
}

/// Returns the number of links from a node of the original list to the next node: one.
struct OneLink {
  COPSE_HD u32 operator()(u64) const { return 1; }
};

/// A list whose nodes may stand for several nodes of a longer list.
template <class Links>
struct NodeList {
  u32 n, head;
  u64* words;
  Links links;  // returns the number of links from a node to its successor
};

struct StoreSuccessor {
  const u32* next;
  u32 n;
  u64* words;

  COPSE_HD void operator()(u64 i) const {
    const u32 successor = next[i];
    words[i] = word_of_successor(successor < n && successor != i ? successor : invalid_id);
  }
};

/// Walks along one sublist, and makes one node of the shorter list from it.
template <class Links>
struct WalkSublist {
  NodeList<Links> list;
  Splitters splitters;
  u64* sublist_words;
  u32* sublist_links;
  u32* bad;

  COPSE_HD void operator()(u64 k) const {
    u32 node = splitters.first_node(u32(k));
    u32 links = 0;
    u32 successor = invalid_id;
    while (node != invalid_id) {
      const u64 before = exchange_relaxed(list.words + node, k << 32 | links);
      if (is_visited(before)) {
        store_relaxed(bad, 1u);
        break;
      }
      links += list.links(node);
      node = u32(before);
      if (node == invalid_id) break;
      successor = splitters.sublist_of(node);
      if (successor != invalid_id) break;
    }
    sublist_words[k] = word_of_successor(successor);
    sublist_links[k] = links;
  }
};

/// Walks along the whole list, from the head to the end.
template <class Links>
struct WalkList {
  NodeList<Links> list;
  u32* bad;

  COPSE_HD void operator()(u64) const {
    u32 links = 0;
    for (u32 node = list.head; node != invalid_id;) {
      const u64 before = list.words[node];
      if (is_visited(before)) {
        if (node != list.head) *bad = 1;
        return;
      }
      list.words[node] = links;
      links += list.links(node);
      node = u32(before);
    }
  }
};

/// Computes the rank of a node from its place and, if there are sublists, from the rank of its sublist.
struct RankNode {
  const u64* words;
  const u32* sublist_ranks;
  const u32* bad;
  u32* ranks;

  COPSE_HD void operator()(u64 i) const {
    const u64 word = words[i];
    u32 rank = invalid_id;
    if (is_visited(word) && *bad == 0) {
      const u32 start = sublist_ranks != nullptr ? sublist_ranks[word >> 32] : 0;
      if (start != invalid_id) rank = start + u32(word);
    }
    ranks[i] = rank;
  }
};

template <class Executor, class Links>
void rank_list(const Executor& ex, const NodeList<Links>& list, u32* bad, u32* ranks) {
  if (list.n <= short_list_nodes) {
    for_each(ex, "list rank: walk the rest", 1, WalkList<Links>{list, bad});
    for_each(ex, "list rank: ranks", list.n, RankNode{list.words, nullptr, bad, ranks});
    return;
  }
  ScratchArena::Frame frame(ex.scratch);
  const Splitters splitters{list.n, list.head};
  const u32 count = u32(sublist_count(list.n));
  u64* sublist_words = frame.template allocate<u64>(count);
  u32* sublist_links = frame.template allocate<u32>(count);
  u32* sublist_ranks = frame.template allocate<u32>(count);
  for_each(ex, "list rank: walk the sublists", count,
           WalkSublist<Links>{list, splitters, sublist_words, sublist_links, bad});
  rank_list(
      ex,
      NodeList<Elements<u32>>{count, splitters.sublist_of(list.head), sublist_words, Elements<u32>{sublist_links}},
      bad, sublist_ranks);
  for_each(ex, "list rank: ranks", list.n, RankNode{list.words, sublist_ranks, bad, ranks});
}

template <class Executor>
void rank_nodes(const Executor& ex, const u32* next, u32 n, u32 head, u32* ranks) {
  ScratchArena::Frame frame(ex.scratch);
  u64* words = frame.template allocate<u64>(n);
  u32* bad = frame.template allocate<u32>(1);
  fill_bytes(ex, "list rank: clear", bad, 1, 0);
  for_each(ex, "list rank: successors", n, StoreSuccessor{next, n, words});
  rank_list(ex, NodeList<OneLink>{n, head, words, {}}, bad, ranks);
}

template void rank_nodes(const BodyExecutor&, const u32*, u32, u32, u32*);

}  // namespace copse::detail
