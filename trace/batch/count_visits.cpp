#include "trace/count_visits.h"

#include <string>

#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: count_visits.inl, for either executor and each layout.
template <class Executor, class View>
void count_visits(const Executor& ex, const View& tree, BufferSpan<const PackedTriangle> triangles,
                  BufferSpan<const Ray> rays, VisitCounter* visits);

namespace {

template <class View>
void check_packed_for(const char* function, const View& tree, const PackedTrianglesView& packed) {
  check_tree(function, tree);
  if (packed.triangles.size() != tree.primitive_ids.size()) {
    refuse(function, "there are " + std::to_string(packed.triangles.size()) +
                         " packed triangles, but the tree has room for " +
                         std::to_string(tree.primitive_ids.size()));
  }
  if (packed.tree_ids != nullptr && packed.tree_ids != tree.primitive_ids.data()) {
    refuse(function, "the triangles were packed for another tree; pack_triangles packs them for this one");
  }
}

}  // namespace

}  // namespace detail

void count_visits(Context& context, const TreeView& tree, const PackedTrianglesView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<VisitCounter> visits) {
  const char* const function = "count_visits";
  detail::check_results(function, "rays", rays, visits);
  std::visit([&](const auto& view) { detail::check_packed_for(function, view, triangles); }, tree);
  detail::dispatch_tree(context, tree, [&](const auto& ex, const auto& view) {
    detail::count_visits(ex, view, triangles.triangles, rays, visits.data());
  });
}

}  // namespace copse
