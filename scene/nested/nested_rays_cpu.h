#pragma once

#include "accel/rays/hit_lists_cpu.h"
