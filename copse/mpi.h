#pragma once

// Processes of MPI as the ranks of <copse/shards.h>. Needs <mpi.h>; link to copse::shards and to MPI::MPI_CXX.
//
//   MPI_Init(&argc, &argv);
//   copse::Communicator comm = copse::communicator_of_mpi(MPI_COMM_WORLD);
//
// docs/guide/sharded-trees.md says more.

#include "copse/shards.h"
#include "scale/mpi_communicator.h"
