#pragma once

// All that hash_templates.h calls, on the CPU backend.

#include "primitives/cpu/compact.h"
#include "primitives/cpu/count.h"
#include "primitives/cpu/for_each.h"
#include "primitives/cpu/for_each_ahead.h"
#include "primitives/cpu/for_each_stepped.h"
#include "primitives/cpu/split.h"
#include "primitives/hash_templates.h"
