#pragma once

#include "viewer/options.h"

namespace copse::viewer {

/// Runs the viewer in a window until it is closed or, with --frames, --screenshot, --record or --statistics, until
/// these are done. Returns the exit code. Throws: Error no_device if no window can be opened.
int run_in_window(const Options& options);

/// Performs the options without a display, and prints the times. Messages go to standard error. Returns the exit
/// code: 0, or that of the first error.
int run_headless(const Options& options);

}  // namespace copse::viewer
