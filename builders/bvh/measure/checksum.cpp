#include "builders/bvh/checksum.h"

#include <algorithm>

namespace copse {

namespace {

template <class Tree>
u64 checksum_of(const Tree& tree) {
  const auto counts = tree.counts.download()[0];
  const auto nodes = tree.nodes.download(counts.node_count);
  const std::vector<u32> ids =
      tree.primitive_ids.download(std::min<u64>(counts.primitive_count, tree.primitive_ids.size()));
  return Fnv1a().add(std::span(nodes)).add(std::span(ids)).value();
}

}  // namespace

u64 checksum(Context&, const Bvh& tree) {
  return checksum_of(tree);
}

template <class Node>
u64 checksum(Context&, const WideBvh<Node>& tree) {
  return checksum_of(tree);
}

template COPSE_API u64 checksum(Context&, const Bvh4&);
template COPSE_API u64 checksum(Context&, const CompressedBvh4&);
template COPSE_API u64 checksum(Context&, const CompressedBvh8&);

}  // namespace copse
