#pragma once

#include "trace/shade.h"

namespace copse::detail {

/// Throws: Error invalid_argument for options out of range.
COPSE_API void check_render_options(const RenderOptions& options);

}  // namespace copse::detail
