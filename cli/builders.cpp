#include "cli/builders.h"

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"

namespace copse::cli {

namespace {

bool is_hploc(const Recipe& recipe) {
  return recipe.builder == "hploc";
}

LbvhOptions lbvh_options(const Recipe& recipe) {
  return {.morton_bits = recipe.morton_bits, .max_leaf_size = recipe.max_leaf_size};
}

HplocOptions hploc_options(const Recipe& recipe) {
  return {.radius = recipe.radius, .morton_bits = recipe.morton_bits, .max_leaf_size = recipe.max_leaf_size};
}

}  // namespace

void add_radius(CLI::App& command, u32& radius) {
  add_count(command, "--radius", radius, 1, 8, "How far hploc looks for neighbours, 1 to 8, default 4");
}

void add_max_leaf_size(CLI::App& command, u32& max_leaf_size) {
  add_count(command, "--max-leaf-size", max_leaf_size, 1, 32, "Most triangles of a leaf, 1 to 32, default 1");
}

Recipe complete(Recipe recipe) {
  if (is_hploc(recipe)) {
    if (recipe.radius == 0) recipe.radius = HplocOptions{}.radius;
  } else if (recipe.radius != 0) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--radius is {}; it goes with hploc, the builder is {}",
                                                         recipe.radius, recipe.builder));
  }
  return recipe;
}

Bvh build_tree(Context& context, const TriangleViews& triangles, const Recipe& recipe) {
  return is_hploc(recipe) ? build_hploc(context, triangles, hploc_options(recipe))
                          : build_lbvh(context, triangles, lbvh_options(recipe));
}

void rebuild_tree(Context& context, Bvh& bvh, const TriangleViews& triangles, const Recipe& recipe) {
  if (is_hploc(recipe)) {
    rebuild_hploc(context, bvh, triangles, hploc_options(recipe));
  } else {
    rebuild_lbvh(context, bvh, triangles, lbvh_options(recipe));
  }
}

BuildSizes tree_sizes(Context& context, u64 primitive_count, const Recipe& recipe) {
  return is_hploc(recipe) ? hploc_sizes(context, primitive_count, hploc_options(recipe))
                          : build_sizes(context, primitive_count, lbvh_options(recipe));
}

}  // namespace copse::cli
