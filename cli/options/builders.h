#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/primitive_set.h"
#include "cli/options/options.h"
#include "cli/options/scene.h"

// The builders of trees by their names.

namespace copse::cli {

/// --radius, --morton-bits, --max-leaf-size and --reinsertion, which every command that builds takes.
void add_radius(CLI::App& command, u32& radius);
void add_morton_bits(CLI::App& command, std::optional<u32>& morton_bits);
void add_max_leaf_size(CLI::App& command, u32& max_leaf_size);
void add_reinsertion(CLI::App& command, u32& passes);

/// Whether a builder sorts by Morton keys, so that their bits are part of its recipe.
bool has_morton_bits(const std::string& builder);

/// The recipe with the builder's own radius and key width where it has them and none was asked for.
/// Throws: Error invalid_argument for a radius or a key width that the builder has no use for.
Recipe complete(Recipe recipe);

/// What a builder does by a complete recipe: a fresh tree, one in the memory of another, and the bytes that it
/// takes.
Bvh build_tree(Context& context, const TriangleViews& triangles, const Recipe& recipe);
void rebuild_tree(Context& context, Bvh& bvh, const TriangleViews& triangles, const Recipe& recipe);
BuildSizes tree_sizes(Context& context, u64 primitive_count, const Recipe& recipe);

}  // namespace copse::cli
