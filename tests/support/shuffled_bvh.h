#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/support/device_mesh.h"

namespace copse::test {

/// Returns the same binary tree with its pairs of siblings in no order, so that relatives stand far apart. The
/// tree has at least one leaf.
inline Bvh shuffled_pairs(Context& context, const Bvh& bvh, u32 seed) {
  const BvhCopy from(bvh);
  std::vector<u32> places(from.parents.size());
  std::iota(places.begin(), places.end(), 0u);
  std::shuffle(places.begin(), places.end(), std::mt19937(seed));
  const auto moved = [&](u32 node) { return node == 0 ? 0 : 2 * places[(node - 1) / 2] + 1 + (node - 1) % 2; };
  BvhCopy to = from;
  for (u32 node = 0; node < from.nodes.size(); ++node) {
    BvhNode& placed = to.nodes[moved(node)];
    placed = from.nodes[node];
    if (!placed.is_leaf()) placed.first = moved(placed.first);
  }
  for (u32 pair = 0; pair < places.size(); ++pair) to.parents[places[pair]] = moved(from.parents[pair]);

  Bvh shuffled = compact_copy(context, bvh);
  shuffled.nodes.upload(to.nodes);
  shuffled.parents.upload(to.parents);
  return shuffled;
}

}  // namespace copse::test
