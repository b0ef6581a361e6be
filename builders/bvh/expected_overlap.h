#pragma once

// Deprecated, until 0.2: include builders/bvh/end_point_overlap.h.

#include "builders/bvh/end_point_overlap.h"
