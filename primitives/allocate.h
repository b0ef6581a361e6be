#pragma once

// Deprecated, until 0.2: include primitives/expand.h.

#include "primitives/expand.h"
