#pragma once

// Deprecated, until 0.2: include builders/bvh/collapse.h.

#include "builders/bvh/collapse.h"
