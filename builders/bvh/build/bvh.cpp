#include "builders/bvh/bvh.h"

#include <string>

namespace copse {

Bvh make_bvh(Context& context, u64 primitive_count) {
  if (primitive_count > max_primitives) {
    throw Error(ErrorCode::capacity, std::to_string(primitive_count) + " primitives, at most " +
                                         std::to_string(max_primitives) + " fit in one tree");
  }
  Bvh bvh;
  bvh.nodes = Buffer<BvhNode>(context, node_capacity(primitive_count));
  bvh.parents = Buffer<u32>(context, pair_capacity(primitive_count));
  bvh.primitive_ids = Buffer<u32>(context, primitive_count);
  bvh.counts = Buffer<BvhCounts>(context, 1);
  bvh.deltas = Buffer<u32>(context, delta_words(primitive_count));
  return bvh;
}

}  // namespace copse
