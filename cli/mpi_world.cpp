#include "cli/mpi_world.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "copse/mpi.h"

namespace copse::cli {

namespace {

/// So long after the error of one rank the others must have met it too.
constexpr std::chrono::seconds patience{10};

/// Threads that MPI starts must leave these signals to InterruptWatch.
void initialise_with_signals_blocked() {
  sigset_t signals, before;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before);
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// "copse: error: rank 2: ..."
std::string with_rank(const std::string& line, int rank) {
  const std::string head = "copse: error: ";
  if (!line.starts_with(head)) return line;
  return head + "rank " + std::to_string(rank) + ": " + line.substr(head.size());
}

}  // namespace

bool MpiWorld::is_launched() {
  // Of Open MPI, of MPICH and others, and of PMIx, which starts processes of any MPI.
  const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  return std::any_of(std::begin(names), std::end(names),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

MpiWorld::MpiWorld() {
  initialise_with_signals_blocked();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int rank_on_host = 0, ranks_on_host = 1;
  MPI_Comm_rank(host, &rank_on_host);
  MPI_Comm_size(host, &ranks_on_host);
  MPI_Comm_free(&host);
  ranks_.emplace(RankGroup{communicator_of_mpi(MPI_COMM_WORLD), u32(rank_on_host), u32(ranks_on_host)});
}

MpiWorld::~MpiWorld() {
  ranks_.reset();
  MPI_Finalize();
}

/// The ranks meet in a communicator that the command does not use. So it does not matter in which call others are.
bool MpiWorld::all_have_ended(const Outcome& outcome, int* codes) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&outcome.code, 1, MPI_INT, codes, 1, MPI_INT, MPI_COMM_WORLD, &request);
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    int have_ended = 0;
    MPI_Test(&request, &have_ended, MPI_STATUS_IGNORE);
    if (have_ended != 0) return true;
    if (outcome.code != exit_ok && std::chrono::steady_clock::now() > begin + patience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int MpiWorld::end(const Outcome& outcome) {
  std::vector<int> codes(static_cast<size_t>(size_));
  if (!all_have_ended(outcome, codes.data())) {
    report({outcome.code, with_rank(outcome.line, rank_)});
    MPI_Abort(MPI_COMM_WORLD, outcome.code);
  }
  const auto failed = std::find_if(codes.begin(), codes.end(), [](int code) { return code != exit_ok; });
  if (failed == codes.end()) return exit_ok;

  const int speaker = int(failed - codes.begin());
  char line[4096] = {};
  if (rank_ == speaker) {
    const std::string own = rank_ == 0 ? outcome.line : with_rank(outcome.line, rank_);
    own.copy(line, sizeof line - 1);
  }
  MPI_Bcast(line, sizeof line, MPI_CHAR, speaker, MPI_COMM_WORLD);
  if (rank_ == 0) report({*failed, line});
  MPI_Barrier(MPI_COMM_WORLD);  // mpirun ends all ranks once one has left with an error
  return *failed;
}

}  // namespace copse::cli
