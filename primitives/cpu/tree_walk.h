#pragma once

// Brings bottom_up and top_down, for functors of your own.

#include "primitives/bottom_up.h"
#include "primitives/cpu/for_each.h"
#include "primitives/cpu/waterfall.h"
#include "primitives/loops/zeroed_words_cpu.h"
#include "primitives/top_down.h"
