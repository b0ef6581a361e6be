#pragma once

#include "builders/bvh/collapse.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/primitive_set.h"
#include "cli/options/options.h"
#include "cli/options/scene.h"

// The layouts of trees, by name.

namespace copse::cli {

enum class Layout { bvh2, bvh4, cbvh4, cbvh8 };

/// Adds --layout, which names one layout.
void add_layout(CLI::App& command, Layout& layout);

/// Adds --layout, which names one layout, or `all` but bvh2.
void add_layouts(CLI::App& command, std::vector<Layout>& layouts);

const char* name_of(Layout layout);
Layout layout_of(const AnyWideBvh& tree);

/// Throws: Error invalid_argument if the layout cannot have leaves of this size.
void check_leaf_size(Layout layout, u32 max_leaf_size);

/// Collapses the tree into the layout; std::monostate for bvh2. Leaves grow to 3 triangles, or to the tree's
/// max_leaf_size if that is more, where that lowers the cost.
AnyWideBvh collapse_to(Context& context, const Bvh& bvh, Layout layout);
void collapse(Context& context, AnyWideBvh& wide, const Bvh& bvh);
void refit(Context& context, AnyWideBvh& wide, const TriangleViews& triangles);
WideBvhStats stats(Context& context, const AnyWideBvh& wide);
ValidationReport validate(Context& context, const AnyWideBvh& wide, const TriangleViews& triangles);

Json to_json(const WideBvhStats& stats);
void add_facts(Facts& facts, const WideBvhStats& stats);

}  // namespace copse::cli
