#pragma once

// Several ranks - threads, GPUs or processes - build one tree over the triangles of all of them, and trace rays through
// it. It needs the library's part copse::shards.
//
//   std::vector<copse::Communicator> ranks = copse::Communicator::of_devices(gpus);
//   gpus.run([&](copse::Context& context, copse::u32 rank) {
//     copse::Communicator comm = std::move(ranks[rank]);
//     const copse::ShardedBvh tree = copse::build_sharded(comm, context, triangles_of(rank));
//     const copse::ShardedAccel scene = copse::make_accel(comm, context, tree);
//     copse::closest_hits(comm, context, scene, rays_of(rank), hits_of(rank));
//   });
//
// docs/guide/sharded-trees.md says how it works. Questions about points and regions, scale/sharded_queries.h, also need
// the part copse::shard-queries.

#include "scale/communicator.h"
#include "scale/nccl_communicator.h"
#include "scale/ranks_render.h"
#include "scale/sharded_accel.h"
#include "scale/sharded_build.h"
#include "scale/sharded_file.h"
#include "scale/sharded_queries.h"
#include "scale/sharded_rays.h"
#include "scale/transport.h"
