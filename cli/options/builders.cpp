#include "cli/options/builders.h"

#include <algorithm>
#include <variant>

#include "builders/bvh/build.h"
#include "builders/bvh/reinsert.h"

namespace copse::cli {

namespace {

bool is_hploc(const BuildSettings& settings) {
  return settings.builder == "hploc";
}

bool is_sah(const BuildSettings& settings) {
  return settings.builder == "sah";
}

AnyBuildOptions build_options(const BuildSettings& settings) {
  const u32 max_leaf_size = settings.max_leaf_size;
  if (is_sah(settings)) return SahOptions{.max_leaf_size = max_leaf_size, .splits = settings.splits};
  if (is_hploc(settings)) {
    return HplocOptions{.radius = settings.radius,
                        .morton_bits = *settings.morton_bits,
                        .max_leaf_size = max_leaf_size,
                        .top = settings.top,
                        .splits = settings.splits};
  }
  return LbvhOptions{.morton_bits = *settings.morton_bits,
                     .max_leaf_size = max_leaf_size,
                     .top = settings.top,
                     .from_last_order = settings.builder == "hlbvh",
                     .splits = settings.splits};
}

const char* name_of(const AnyBuildOptions& options) {
  if (std::holds_alternative<LbvhOptions>(options)) return "lbvh";
  return std::holds_alternative<HplocOptions>(options) ? "hploc" : "sah";
}

ReinsertOptions reinsertion(const BuildSettings& settings) {
  return {.passes = settings.reinsertion, .min_parent_area = settings.min_parent_area};
}

}  // namespace

bool has_morton_bits(const std::string& builder) {
  return builder != "sah";
}

void add_radius(CLI::App& command, u32& radius) {
  add_count(command, "--radius", radius, 1, 8,
            "hploc only: search radius among neighbouring clusters, 1 to 8, default 4");
}

void add_morton_bits(CLI::App& command, std::optional<u32>& morton_bits) {
  add_count_or_auto(command, "--morton-bits", morton_bits, 30, 63,
                    "Bits of the Morton keys; default 63 for lbvh and hlbvh, auto for hploc");
}

void add_max_leaf_size(CLI::App& command, u32& max_leaf_size) {
  add_count(command, "--max-leaf-size", max_leaf_size, 1, 32, "Maximum triangles per leaf, 1 to 32, default 1");
}

void add_top(CLI::App& command, Top& top) {
  add_choice<Top>(command, "--top", top, {{"as-built", Top::as_built}, {"sah", Top::sah}},
                  "The upper levels of the tree: as-built (default), or sah, which rebuilds them with the SAH "
                  "builder; not for --builder sah");
}

void add_splits(CLI::App& command, float& splits) {
  add_real(
      command, "--splits", splits, 1, max_splits,
      "Room for references per triangle, 1 to 4, default 1. Above 1, triangles that fill their boxes badly are "
      "split, "
      "as in --splits 1.25. Rays that pass by long thin triangles become faster. Rays that hit large walls become "
      "slower");
}

void add_reinsertion(CLI::App& command, u32& passes) {
  add_count(command, "--reinsertion", passes, 0, 16,
            "Passes that move subtrees to better places, 0 to 16, default 0");
}

BuildSettings complete(BuildSettings settings) {
  if (settings.splits != 1 && settings.builder == "hlbvh") {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--splits is {}, but hlbvh begins with the last order of whole triangles; use lbvh, hploc or "
                    "sah",
                    settings.splits));
  }
  if (settings.top == Top::sah && is_sah(settings)) {
    throw Error(ErrorCode::invalid_argument,
                "--top is sah, but the builder sah makes all of the tree so; use lbvh, hlbvh or hploc");
  }
  if (settings.morton_bits && !has_morton_bits(settings.builder)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--morton-bits is {}, but the builder {} has no Morton keys; use lbvh, hlbvh or hploc",
                            morton_bits_in_words(settings), settings.builder));
  }
  if (!settings.morton_bits && has_morton_bits(settings.builder)) {
    settings.morton_bits = is_hploc(settings) ? HplocOptions{}.morton_bits : LbvhOptions{}.morton_bits;
  }
  if (is_hploc(settings)) {
    if (settings.radius == 0) settings.radius = HplocOptions{}.radius;
  } else if (settings.radius != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--radius is {}, but only hploc has a radius{}", settings.radius,
                            settings.builder == "lbvh"
                                ? ". A tree by hand is built by lbvh unless --builder names another builder; add "
                                  "--builder hploc"
                                : "; --builder is " + settings.builder));
  }
  return settings;
}

BuildSettings settings_of(const QualitySteps& steps) {
  BuildSettings settings;
  settings.reinsertion = steps.reinsertion.passes;
  settings.min_parent_area = steps.reinsertion.min_parent_area;
  if (const auto* lbvh = std::get_if<LbvhOptions>(&steps.builder)) {
    settings.morton_bits = lbvh->morton_bits;
    settings.max_leaf_size = lbvh->max_leaf_size;
    settings.top = lbvh->top;
    settings.splits = lbvh->splits;
  } else if (const auto* hploc = std::get_if<HplocOptions>(&steps.builder)) {
    settings.builder = "hploc";
    settings.radius = hploc->radius;
    settings.morton_bits = hploc->morton_bits;
    settings.max_leaf_size = hploc->max_leaf_size;
    settings.top = hploc->top;
    settings.splits = hploc->splits;
  } else {
    settings.builder = "sah";
    settings.max_leaf_size = std::get<SahOptions>(steps.builder).max_leaf_size;
    settings.splits = std::get<SahOptions>(steps.builder).splits;
  }
  if (steps.alternative) settings.alternative = name_of(*steps.alternative);
  return settings;
}

Bvh build_tree(Context& context, const TriangleViews& triangles, const BuildSettings& settings) {
  Bvh bvh = build(context, triangles, build_options(settings));
  if (settings.reinsertion > 0) reinsert(context, bvh, reinsertion(settings));
  return bvh;
}

void rebuild_tree(Context& context, Bvh& bvh, const TriangleViews& triangles, const BuildSettings& settings) {
  rebuild(context, bvh, triangles, build_options(settings));
  if (settings.reinsertion > 0) reinsert(context, bvh, reinsertion(settings));
}

BuildSizes tree_sizes(Context& context, u64 primitive_count, const BuildSettings& settings) {
  BuildSizes sizes = build_sizes(context, primitive_count, build_options(settings));
  if (settings.reinsertion > 0) {
    const u64 references = reference_count(primitive_count, settings.splits);
    sizes.scratch_bytes = std::max(sizes.scratch_bytes, reinsert_sizes(context, references).scratch_bytes);
  }
  return sizes;
}

}  // namespace copse::cli
