#pragma once

#include "accel/accel.h"
#include "cli/output.h"

// The qualities of an Accel, by name.

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace copse::cli {

/// The options that build a tree by hand, in place of --quality. --splits goes with both.
inline constexpr const char* options_by_hand[] = {"--builder", "--radius",      "--morton-bits", "--max-leaf-size",
                                                  "--top",     "--reinsertion", "--layout"};

/// Adds --quality.
void add_quality(CLI::App& command, Quality& quality);

/// Throws: Error invalid_argument if --quality and an option of a tree by hand are given.
void check_quality(const CLI::App& command);

/// True if the user chose to build a tree by hand.
bool builds_by_hand(const CLI::App& command);

/// Adds quality, steps, layout and statistics of an Accel to a report. Waits.
void add_accel(Json& report, Context& context, const Accel& accel);
void add_accel_facts(Facts& facts, Context& context, const Accel& accel);

}  // namespace copse::cli
