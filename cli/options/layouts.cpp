#include "cli/options/layouts.h"

#include "builders/bvh/refit.h"

namespace copse::cli {

namespace {

constexpr const char* names[] = {"bvh2", "bvh4", "cbvh4", "cbvh8"};

/// Calls `f` with the wide tree. There must be one.
template <class Tree, class F>
auto with_tree(Tree& wide, const F& f) {
  using Result = decltype(f(std::get<Bvh4>(wide)));
  return std::visit(
      [&](auto& tree) -> Result {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(tree)>, std::monostate>) {
          throw Error(ErrorCode::invalid_argument, "there is no wide tree");
        } else {
          return f(tree);
        }
      },
      wide);
}

CollapseOptions options_for(const Bvh& bvh) {
  return {.max_leaf_size = std::max(bvh.max_leaf_size, CollapseOptions{}.max_leaf_size)};
}

}  // namespace

void add_layout(CLI::App& command, Layout& layout) {
  add_choice<Layout>(
      command, "--layout", layout,
      {{"bvh2", Layout::bvh2}, {"bvh4", Layout::bvh4}, {"cbvh4", Layout::cbvh4}, {"cbvh8", Layout::cbvh8}},
      "Layout of the nodes: bvh2 (default) has 2 children, bvh4 4; cbvh4 and cbvh8 have 4 and 8, with "
      "compressed boxes");
}

void add_layouts(CLI::App& command, std::vector<Layout>& layouts) {
  add_choice<std::vector<Layout>>(command, "--layout", layouts,
                                  {{"bvh2", {}},
                                   {"bvh4", {Layout::bvh4}},
                                   {"cbvh4", {Layout::cbvh4}},
                                   {"cbvh8", {Layout::cbvh8}},
                                   {"all", {Layout::bvh4, Layout::cbvh4, Layout::cbvh8}}},
                                  "Also time the wide trees collapsed from each tree; default bvh2: none");
}

const char* name_of(Layout layout) {
  return names[int(layout)];
}

Layout layout_of(const AnyWideBvh& tree) {
  return Layout(tree.index());
}

void check_leaf_size(Layout layout, u32 max_leaf_size) {
  constexpr u32 most = CompressedBvh8Node::max_leaf_primitives;
  if (layout != Layout::cbvh8 || max_leaf_size <= most) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--max-leaf-size is {}; with --layout cbvh8 it can be 1 to {}", max_leaf_size, most));
}

AnyWideBvh collapse_to(Context& context, const Bvh& bvh, Layout layout) {
  const CollapseOptions options = options_for(bvh);
  switch (layout) {
    case Layout::bvh2: return std::monostate{};
    case Layout::bvh4: return collapse<Bvh4>(context, bvh, options);
    case Layout::cbvh4: return collapse<CompressedBvh4>(context, bvh, options);
    case Layout::cbvh8: return collapse<CompressedBvh8>(context, bvh, options);
  }
  return std::monostate{};
}

void collapse(Context& context, AnyWideBvh& wide, const Bvh& bvh) {
  with_tree(wide, [&](auto& tree) { copse::collapse(context, tree, bvh, options_for(bvh)); });
}

void refit(Context& context, AnyWideBvh& wide, const TriangleViews& triangles) {
  with_tree(wide, [&](auto& tree) { copse::refit(context, tree, triangles); });
}

WideBvhStats stats(Context& context, const AnyWideBvh& wide) {
  return with_tree(wide, [&](const auto& tree) { return copse::stats(context, tree); });
}

ValidationReport validate(Context& context, const AnyWideBvh& wide, const TriangleViews& triangles) {
  return std::visit(
      [&](const auto& tree) -> ValidationReport {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(tree)>, std::monostate>) {
          return {};
        } else {
          return copse::validate(context, tree, triangles);
        }
      },
      wide);
}

Json to_json(const WideBvhStats& stats) {
  return {{"primitives", stats.counts.primitive_count},
          {"invalid_primitives", stats.counts.invalid_count},
          {"nodes", stats.counts.node_count},
          {"leaves", stats.leaf_count},
          {"depth", stats.depth},
          {"mean_children", stats.mean_children},
          {"sah_cost", stats.sah_cost},
          {"leaf_size_histogram", stats.leaf_size_histogram},
          {"bounds", to_json(stats.bounds)},
          {"used_bytes", stats.used_bytes},
          {"bytes", stats.size_bytes}};
}

void add_facts(Facts& facts, const WideBvhStats& stats) {
  const double primitives = std::max(stats.counts.primitive_count, 1u);
  facts.add("wide nodes", "{}, {:.2f} children per node", grouped(stats.counts.node_count), stats.mean_children);
  facts.add("wide leaves", "{}", grouped(stats.leaf_count));
  facts.add("wide depth", "{}", stats.depth);
  facts.add("wide SAH cost", "{:.2f}", stats.sah_cost);
  facts.add("wide memory", "{}, {:.1f} bytes per triangle", readable_bytes(stats.used_bytes),
            double(stats.used_bytes) / primitives);
}

}  // namespace copse::cli
