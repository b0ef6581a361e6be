#pragma once

// Queries on trees, grids and points: nearest points, neighbours, overlaps with regions, overlaps among triangles, points inside.

#include "accel/accel_queries.h"
#include "queries/overlap_queries.h"
#include "queries/point_neighbours.h"
#include "queries/point_queries.h"
#include "queries/self_overlaps.h"
#include "scene/nested_queries.h"
#include "scene/scene_queries.h"
