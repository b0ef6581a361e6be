#pragma once

// Grids: uniform, frustum and hash grids, voxels and bricks, and rays through them.

#include "builders/grid/bricks.h"
#include "builders/grid/frustum_check.h"
#include "builders/grid/frustum_grid.h"
#include "builders/grid/grid.h"
#include "builders/grid/grid_stats.h"
#include "builders/grid/grid_validate.h"
#include "builders/grid/hash_grid.h"
#include "builders/grid/hash_grid_stats.h"
#include "builders/grid/hash_grid_validate.h"
#include "builders/grid/uniform_grid.h"
#include "builders/grid/voxels.h"
#include "builders/io/voxel_file.h"
#include "queries/near_points.h"
#include "trace/frustum_march.h"
#include "trace/frustum_rays.h"
#include "trace/grid_march.h"
#include "trace/grid_rays.h"
#include "trace/voxel_march.h"
