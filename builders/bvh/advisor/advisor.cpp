#include <cmath>
#include <string>
#include <vector>

#include "builders/bvh/rebuild_advisor.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: advisor.inl, for either executor.

/// Measures a tree and decides. `was_built`: its cost is the one to compare with.
template <class Executor, class View>
void note_cost(const Executor& ex, const View& tree, const RebuildRule& rule, bool was_built, TreeHistory* history,
               u32* is_due);

}  // namespace detail

namespace {

constexpr double max_max_growth = 1000;

void check_cost(const char* name, double cost) {
  if (std::isfinite(cost) && cost >= 0) return;
  detail::refuse("RebuildAdvisor",
                 std::string(name) + " is " + std::to_string(cost) + "; it can be any number from 0 on");
}

void check(const RebuildRule& rule) {
  if (!(rule.max_growth >= 1 && rule.max_growth <= max_max_growth)) {
    detail::refuse("RebuildAdvisor", "max_growth is " + std::to_string(rule.max_growth) + "; it can be 1 to 1000");
  }
  check_cost("the traversal cost", rule.costs.traversal);
  check_cost("the intersection cost", rule.costs.intersection);
}

template <class Tree>
void note_cost(Context& context, RebuildAdvisor& advisor, const Tree& tree, bool was_built) {
  if (tree.nodes.empty()) detail::refuse("RebuildAdvisor", "the tree was never made");
  ProfileScope scope(context.profile(), "advisor");
  dispatch(context, [&](const auto& ex) {
    detail::note_cost(ex, tree.view(), advisor.rule(), was_built, advisor.data(), advisor.due_data());
  });
}

template <class Primitives>
void refit_or_rebuild_tree(Context& context, Bvh& bvh, const Primitives& primitives,
                           const AnyBuildOptions& options, RebuildAdvisor& advisor) {
  refit(context, bvh, primitives);
  note_refit(context, advisor, bvh);
  run_if(context, advisor.is_due(), [&] {
    rebuild(context, bvh, primitives, options);
    note_build(context, advisor, bvh);
  });
}

}  // namespace

/// A negative cost stands for "not built yet".
RebuildAdvisor::RebuildAdvisor(Context& context, const RebuildRule& rule)
    : rule_(rule),
      history_((check(rule), context), std::vector<TreeHistory>{{.built_cost = -1}}),
      is_due_(context, std::vector<u32>{0}) {}

template <class Tree>
void note_build(Context& context, RebuildAdvisor& advisor, const Tree& tree) {
  note_cost(context, advisor, tree, true);
}

template <class Tree>
void note_refit(Context& context, RebuildAdvisor& advisor, const Tree& tree) {
  note_cost(context, advisor, tree, false);
}

void refit_or_rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const AnyBuildOptions& options,
                      RebuildAdvisor& advisor) {
  refit_or_rebuild_tree(context, bvh, triangles, options, advisor);
}
void refit_or_rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const AnyBuildOptions& options,
                      RebuildAdvisor& advisor) {
  refit_or_rebuild_tree(context, bvh, boxes, options, advisor);
}

#define COPSE_NOTE(Tree)                                                      \
  template COPSE_API void note_build(Context&, RebuildAdvisor&, const Tree&); \
  template COPSE_API void note_refit(Context&, RebuildAdvisor&, const Tree&);
COPSE_NOTE(Bvh)
COPSE_NOTE(Bvh4)
COPSE_NOTE(CompressedBvh4)
COPSE_NOTE(CompressedBvh8)
#undef COPSE_NOTE

}  // namespace copse
