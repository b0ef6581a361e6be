#pragma once

// What batch calls do with a tree of any layout, on the host.

#include "primitives/core/dispatch.h"
#include "trace/check.h"
#include "trace/tree_view.h"

namespace copse::detail {

/// Refuses a view that no tree was made for, whatever its layout.
inline void check_tree(const char* function, const TreeView& tree) {
  std::visit([function](const auto& view) { check_tree(function, view); }, tree);
}

/// Calls work(executor, view) with the executor of the context's backend and the view as its own type.
template <class Work>
void dispatch_tree(Context& context, const TreeView& tree, const Work& work) {
  const auto run = [&](const auto& view) { dispatch(context, [&](const auto& ex) { work(ex, view); }); };
  std::visit(run, tree);
}

}  // namespace copse::detail
