#pragma once

#include "builders/bvh/cpu/curve_sort.h"
