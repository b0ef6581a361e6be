#include "cli/options/builders.h"

#include <algorithm>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/sah.h"

namespace copse::cli {

namespace {

bool is_hploc(const Recipe& recipe) {
  return recipe.builder == "hploc";
}

bool is_sah(const Recipe& recipe) {
  return recipe.builder == "sah";
}

LbvhOptions lbvh_options(const Recipe& recipe) {
  return {.morton_bits = *recipe.morton_bits, .max_leaf_size = recipe.max_leaf_size};
}

HplocOptions hploc_options(const Recipe& recipe) {
  return {.radius = recipe.radius, .morton_bits = *recipe.morton_bits, .max_leaf_size = recipe.max_leaf_size};
}

SahOptions sah_options(const Recipe& recipe) {
  return {.max_leaf_size = recipe.max_leaf_size};
}

/// The builder's tree and its sizes, without reinsertion.
Bvh build_as_is(Context& context, const TriangleViews& triangles, const Recipe& recipe) {
  if (is_sah(recipe)) return build_sah(context, triangles, sah_options(recipe));
  return is_hploc(recipe) ? build_hploc(context, triangles, hploc_options(recipe))
                          : build_lbvh(context, triangles, lbvh_options(recipe));
}

BuildSizes sizes_as_is(Context& context, u64 primitive_count, const Recipe& recipe) {
  if (is_sah(recipe)) return sah_sizes(context, primitive_count, sah_options(recipe));
  return is_hploc(recipe) ? hploc_sizes(context, primitive_count, hploc_options(recipe))
                          : build_sizes(context, primitive_count, lbvh_options(recipe));
}

}  // namespace

bool has_morton_bits(const std::string& builder) {
  return builder != "sah";
}

void add_radius(CLI::App& command, u32& radius) {
  add_count(command, "--radius", radius, 1, 8, "How far hploc looks for neighbours, 1 to 8, default 4");
}

void add_morton_bits(CLI::App& command, std::optional<u32>& morton_bits) {
  add_count_or_auto(command, "--morton-bits", morton_bits, 30, 63,
                    "Bits of the sorting keys, default 63 for lbvh and auto for hploc");
}

void add_max_leaf_size(CLI::App& command, u32& max_leaf_size) {
  add_count(command, "--max-leaf-size", max_leaf_size, 1, 32, "Most triangles of a leaf, 1 to 32, default 1");
}

void add_reinsertion(CLI::App& command, u32& passes) {
  add_count(command, "--reinsertion", passes, 0, 16,
            "Passes that move subtrees to better places, 0 to 16, default 0");
}

Recipe complete(Recipe recipe) {
  if (recipe.morton_bits && !has_morton_bits(recipe.builder)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--morton-bits is {}; it goes with lbvh and hploc, the builder is {}",
                            morton_bits_in_words(recipe), recipe.builder));
  }
  if (!recipe.morton_bits && has_morton_bits(recipe.builder)) {
    recipe.morton_bits = is_hploc(recipe) ? HplocOptions{}.morton_bits : LbvhOptions{}.morton_bits;
  }
  if (is_hploc(recipe)) {
    if (recipe.radius == 0) recipe.radius = HplocOptions{}.radius;
  } else if (recipe.radius != 0) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--radius is {}; it goes with hploc, the builder is {}",
                                                         recipe.radius, recipe.builder));
  }
  return recipe;
}

Bvh build_tree(Context& context, const TriangleViews& triangles, const Recipe& recipe) {
  Bvh bvh = build_as_is(context, triangles, recipe);
  if (recipe.reinsertion > 0) reinsert(context, bvh, {recipe.reinsertion});
  return bvh;
}

void rebuild_tree(Context& context, Bvh& bvh, const TriangleViews& triangles, const Recipe& recipe) {
  if (is_sah(recipe)) {
    rebuild_sah(context, bvh, triangles, sah_options(recipe));
  } else if (is_hploc(recipe)) {
    rebuild_hploc(context, bvh, triangles, hploc_options(recipe));
  } else {
    rebuild_lbvh(context, bvh, triangles, lbvh_options(recipe));
  }
  if (recipe.reinsertion > 0) reinsert(context, bvh, {recipe.reinsertion});
}

BuildSizes tree_sizes(Context& context, u64 primitive_count, const Recipe& recipe) {
  BuildSizes sizes = sizes_as_is(context, primitive_count, recipe);
  if (recipe.reinsertion > 0) {
    sizes.scratch_bytes = std::max(sizes.scratch_bytes, reinsert_sizes(context, primitive_count).scratch_bytes);
  }
  return sizes;
}

}  // namespace copse::cli
