#pragma once

#include "primitives/core/exit_code.h"
#include "viewer/model/session/messages.h"

namespace copse::viewer {

/// The exit code of a run that said these: 0 without errors, else the first one's: 4 for no such device, 5 for too
/// little memory, 3 for all that could not be read, built or written.
ExitCode exit_code_of(const Messages& messages);

}  // namespace copse::viewer
