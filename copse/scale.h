#pragma once

// Several GPUs of one machine share rays and queries; trees larger than a GPU are built in slices. It needs the library's part copse::scale, and
// scale/replicated_queries.h also copse::queries.
//
//   copse::Devices gpus;                                                        // all of them
//   copse::ReplicatedAccel scene = copse::replicate(gpus, copse::build(gpus.first(), triangles));
//   copse::closest_hits(gpus, scene, rays.span(), hits.span());
//
// docs/guide/several-gpus.md says what is shared, and how it scales. docs/guide/larger-than-a-gpu.md is about slices.

#include "scale/devices.h"
#include "scale/replicated_accel.h"
#include "scale/replicated_queries.h"
#include "scale/replicated_rays.h"
#include "scale/replicated_render.h"
#include "scale/sliced_build.h"
