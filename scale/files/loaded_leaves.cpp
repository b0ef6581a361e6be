#include "scale/files/loaded_leaves.h"

#include <algorithm>
#include <string>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/io/whole_file.h"
#include "scale/slices/join_slices.h"

namespace copse::detail {

void LoadedLeaves::add(const std::filesystem::path& path, const ShardFile& file, u64 begin, u64 end,
                       bool has_masks) {
  const u64 first = std::max(begin, file.first_slot) - file.first_slot;
  const u64 last = std::min(end, file.first_slot + file.triangles.size()) - file.first_slot;
  if (i64(first) >= i64(last)) return;
  const auto append = [&](auto& to, const auto& from) {
    to.insert(to.end(), from.begin() + i64(first), from.begin() + i64(last));
  };
  append(triangles, file.triangles);
  if (file.is_hploc) {
    add_links(path, file, first, last);
  } else {
    append(deltas, file.deltas);
  }
  if (!has_masks) return;
  if (file.masks.empty()) {
    masks.resize(triangles.size(), ~u32{0});
  } else {
    append(masks, file.masks);
  }
}

/// Links in a file count from its first leaf, those of border pairs through all parts.
///   first, last: leaves of the file
void LoadedLeaves::add_links(const std::filesystem::path& path, const ShardFile& file, u64 first, u64 last) {
  const u64 before = links.size();
  for (u64 k = first; k < last; ++k) {
    LinkedPair& pair = links.emplace_back();
    for (u32 side = 0; side < 2; ++side) {
      const u32 link = file.links[2 * k + side];
      if (link != invalid_id) pair.links[side] = link + 2 * file.first_slot;
    }
  }
  for (const BorderPair& pair : file.border_pairs) {
    const u64 k = pair.slot - file.first_slot;
    if (pair.slot < file.first_slot || k >= file.triangles.size()) {
      throw_bad_file(path, "has the border pair " + std::to_string(pair.slot) + ", which is in another part");
    }
    if (k >= first && k < last) links[before + k - first] = {{pair.links[0], pair.links[1]}};
  }
}

void check_deltas(const std::filesystem::path& path, const std::vector<u8>& deltas, u64 first) {
  constexpr u8 max_delta = 96;
  std::vector<u8> open;                                // in ascending order
  for (u64 gap = 0; gap + 1 < deltas.size(); ++gap) {  // the last one is behind the last leaf
    while (!open.empty() && open.back() > deltas[gap]) open.pop_back();
    const bool is_twice = !open.empty() && open.back() == deltas[gap];
    if (is_twice || deltas[gap] > max_delta) {
      throw_bad_file(path, "has the delta " + std::to_string(deltas[gap]) + " behind leaf " +
                               std::to_string(first + gap) +
                               (is_twice ? ", and the same one before it" : "; it can be up to 96"));
    }
    open.push_back(deltas[gap]);
  }
}

namespace {

Bvh host_tree_over(Context& host, const LoadedLeaves& leaves, const LinkedPart* part) {
  const u64 count = leaves.triangles.size();
  Bvh tree = make_bvh(host, count);
  const BvhArrays arrays = arrays_of(tree);
  store_counts(arrays, u32(count), u32(count), u32(count));
  std::copy(leaves.deltas.begin(), leaves.deltas.end(), arrays.deltas);
  if (count == 0) return tree;
  std::vector<Aabb> boxes(count);
  for (u64 slot = 0; slot < count; ++slot) {
    boxes[slot] = bounds(leaves.triangles[slot].triangle());
    arrays.primitive_ids[slot] = u32(slot);
  }
  if (part != nullptr) {
    part->build(boxes, arrays);
  } else {
    join_leaves(boxes, arrays);
    store_has_deltas(arrays, 0);
  }
  return tree;
}

}  // namespace

Bvh tree_over(Context& host, Context& context, const LoadedLeaves& leaves, const LinkedPart* part) {
  Bvh tree = host_tree_over(host, leaves, part);
  const u64 count = leaves.triangles.size();
  Bvh result = context.backend() == Backend::cpu ? std::move(tree) : make_bvh(context, count);
  result.source_count = count;
  result.max_leaf_size = 1;
  BvhAccess::deltas(result).may_refit = part == nullptr;
  if (context.backend() == Backend::cpu) return result;
  result.nodes.upload(tree.nodes.download());
  result.parents.upload(tree.parents.download());
  result.primitive_ids.upload(tree.primitive_ids.download());
  result.counts.upload(tree.counts.download());
  BvhAccess::deltas(result).words.upload(BvhAccess::deltas(tree).words.download());
  return result;
}

}  // namespace copse::detail
