#include "trace/count_visits.h"

#include <variant>

#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: count_visits.inl, for either executor and each layout.
template <class Executor, class View>
void count_visits(const Executor& ex, const View& tree, BufferSpan<const PackedTriangle> triangles,
                  BufferSpan<const Ray> rays, VisitCounter* visits);

}  // namespace detail

void count_visits(Context& context, const TreeView& tree, const PackedTrianglesView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<VisitCounter> visits) {
  const char* const function = "count_visits";
  detail::check_results(function, "rays", rays, visits);
  detail::check_tree(function, tree);
  std::visit(
      [&](const auto& view) {
        detail::check_packed(function, triangles.triangles.size(), triangles.tree_ids, view.primitive_ids);
      },
      tree);
  detail::dispatch_tree(context, tree, [&](const auto& ex, const auto& view) {
    detail::count_visits(ex, view, triangles.triangles, rays, visits.data());
  });
}

}  // namespace copse
