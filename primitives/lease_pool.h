#pragma once

// Deprecated, until 0.2: include primitives/scratch_pool.h.

#include "primitives/scratch_pool.h"
