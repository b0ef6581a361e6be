#include "cli/options/qualities.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "builders/bvh/stats.h"
#include "cli/options/builders.h"
#include "cli/options/layouts.h"

namespace copse::cli {

namespace {

BuildSettings settings_of(const Accel& accel) {
  BuildSettings settings = cli::settings_of(steps_of(accel.options().quality, accel.triangle_count()));
  settings.splits = accel.options().splits;
  return settings;
}

}  // namespace

void add_quality(CLI::App& command, Quality& quality) {
  add_choice<Quality>(
      command, "--quality", quality,
      {{"fast", Quality::fast}, {"balanced", Quality::balanced}, {"best", Quality::best}},
      "Build the library's Accel: fast, balanced or best. Without it, balanced, unless an option of a "
      "tree by hand is given: " +
          one_of({std::begin(options_by_hand), std::end(options_by_hand)}));
}

void check_quality(const CLI::App& command) {
  if (command.count("--quality") == 0) return;
  for (const char* option : options_by_hand) {
    if (command.count(option) == 0) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--quality builds an Accel, but {} builds a tree by hand; give one of them", option));
  }
}

bool builds_by_hand(const CLI::App& command) {
  return std::any_of(std::begin(options_by_hand), std::end(options_by_hand),
                     [&](const char* option) { return command.count(option) > 0; });
}

void add_accel(Json& report, Context& context, const Accel& accel) {
  report["quality"] = name_of(accel.options().quality);
  report["recipe"] = to_json(settings_of(accel));
  report["layout"] = name_of(Layout::cbvh4);
  report["statistics"] = to_json(stats(context, accel.tree()));
  report["statistics"]["bytes"] = accel.size_bytes();
}

void add_accel_facts(Facts& facts, Context& context, const Accel& accel) {
  const WideBvhStats measured = stats(context, accel.tree());
  facts.add("quality", "{}", name_of(accel.options().quality));
  add_facts(facts, settings_of(accel));
  if (accel.options().splits == 1) {
    facts.add("in the tree", "{}", counted(measured.counts.primitive_count, "triangles"));
  } else {
    facts.add("in the tree", "{} to {}", counted(measured.counts.primitive_count, "references"),
              counted(accel.triangle_count(), "triangles"));
  }
  facts.add("left out", "{}", counted(measured.counts.invalid_count, "invalid triangles"));
  facts.add("nodes", "{}, {:.2f} children per node", grouped(measured.counts.node_count), measured.mean_children);
  facts.add("leaves", "{}, of up to {} after the collapse", grouped(measured.leaf_count),
            counted(measured.leaf_size_histogram.size() - 1, "triangles"));
  facts.add("depth", "{}", measured.depth);
  facts.add("SAH cost", "{:.2f}", measured.sah_cost);
  facts.add("bounds", "{}", to_words(measured.bounds));
  facts.add("memory", "{}, {:.1f} bytes per triangle", readable_bytes(accel.size_bytes()),
            double(accel.size_bytes()) / double(std::max<u64>(accel.triangle_count(), 1)));
}

}  // namespace copse::cli
