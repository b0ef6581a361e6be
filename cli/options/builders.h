#pragma once

#include "accel/accel.h"
#include "builders/bvh/bvh.h"
#include "builders/geometry/primitive_set.h"
#include "cli/options/options.h"
#include "cli/options/scene.h"

// The builders of trees, by name.

namespace copse::cli {

// The options --radius, --morton-bits, --max-leaf-size, --top, --splits and --reinsertion of every command that builds.
void add_radius(CLI::App& command, u32& radius);
void add_morton_bits(CLI::App& command, std::optional<u32>& morton_bits);
void add_max_leaf_size(CLI::App& command, u32& max_leaf_size);
void add_top(CLI::App& command, Top& top);
void add_splits(CLI::App& command, float& splits);
void add_reinsertion(CLI::App& command, u32& passes);

/// True for a builder that sorts by Morton keys, so that --morton-bits is one of its settings.
bool has_morton_bits(const std::string& builder);

/// Fills in the builder's default radius and key width where the user gave none.
/// Throws: Error invalid_argument for a radius or a key width that the builder does not take.
BuildSettings complete(BuildSettings settings);

/// Returns the complete settings of the steps of a quality.
BuildSettings settings_of(const QualitySteps& steps);

// These take complete settings: a new tree, a tree rebuilt in its own memory, and the bytes that a build takes.

Bvh build_tree(Context& context, const TriangleViews& triangles, const BuildSettings& settings);
void rebuild_tree(Context& context, Bvh& bvh, const TriangleViews& triangles, const BuildSettings& settings);
BuildSizes tree_sizes(Context& context, u64 primitive_count, const BuildSettings& settings);

}  // namespace copse::cli
