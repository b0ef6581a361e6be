#pragma once

// The command as one of several processes of MPI. It is compiled where CMake is told so: -DCOPSE_MPI=ON.

#include <optional>

#include "cli/exit_code.h"
#include "cli/session.h"

namespace copse::cli {

/// MPI, from MPI_Init to MPI_Finalize.
class MpiWorld {
 public:
  /// Returns true if mpirun, or another launcher of MPI, has started this process.
  static bool is_launched();

  MpiWorld();
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  RankGroup& ranks() { return *ranks_; }

  /// Waits until the command has ended on all ranks, and returns one exit code on all of them. If ranks have failed, the
  /// first rank writes the error of one of them, its own if it has one. If this rank has failed while others still
  /// run, they may wait for it forever. So it writes its error after some seconds, and ends all processes.
  int end(const Outcome& outcome);

 private:
  bool all_have_ended(const Outcome& outcome, int* codes);

  int rank_ = 0, size_ = 1;
  std::optional<RankGroup> ranks_;
};

}  // namespace copse::cli
