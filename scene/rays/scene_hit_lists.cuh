#pragma once

#include "accel/rays/hit_lists.cuh"
