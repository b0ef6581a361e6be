#pragma once

// What the handle of a tree is made of.

#include <mutex>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/wide_bvh.h"
#include "capi/bridge/handles.h"
#include "capi/tree.h"
#include "trace/tree_copy.h"
#include "trace/tree_view.h"

namespace copse::capi {

using SharedAccel = std::shared_ptr<const Owned<Accel>>;

/// A tree of any layout with its triangles packed, or the accel that has both.
struct LayoutTree {
  std::variant<Bvh, Bvh4, CompressedBvh4, CompressedBvh8, SharedAccel> tree;
  PackedTriangles packed;
};

/// Calls work(tree) with the tree of its layout.
template <class Work>
auto with_tree(const LayoutTree& all, const Work& work) {
  return std::visit(
      [&](const auto& tree) {
        if constexpr (std::is_same_v<decltype(tree), const SharedAccel&>) {
          return work(tree->object.tree());
        } else {
          return work(tree);
        }
      },
      all.tree);
}

/// What rays are traced through.
struct Traced {
  TreeView tree;
  PackedTrianglesView triangles;
};

inline Traced traced(const LayoutTree& all) {
  if (const SharedAccel* accel = std::get_if<SharedAccel>(&all.tree)) {
    const PackedTriangles& packed = (*accel)->object.packed_triangles();
    return {(*accel)->object.view().tree, {packed.triangles.span(), packed.masks.span()}};
  }
  return {with_tree(all, [](const auto& tree) { return TreeView(tree.view()); }), all.packed.view()};
}

/// A tree on the host, its nodes level by level.
struct Seen {
  TreeCopy copy;
  std::vector<PackedTriangle> packed;
  std::vector<copse_tree_node> nodes;
  std::vector<copse_tree_triangle> triangles;
  std::vector<u32> place_of;  // [number in the copy]: number in nodes
};

}  // namespace copse::capi

struct copse_tree {
  std::shared_ptr<copse::capi::Owned<copse::capi::LayoutTree>> owned;
  mutable std::mutex seen_lock;  // taken after the lock of a context
  mutable std::optional<copse::capi::Seen> seen;
};
