#pragma once

#include "viewer/options.h"

namespace copse::viewer {

/// Runs the viewer in a window until it is closed or, with --frames, --screenshot, --record or --statistics, until
/// they are done. Returns the exit code.
/// Throws: Error no_device where no window can be opened.
int run_in_window(const Options& options);

/// Does what the options ask for without a display, and prints the times. Returns the exit code: 0, or that of
/// the first error; the messages stand on standard error.
int run_headless(const Options& options);

}  // namespace copse::viewer
