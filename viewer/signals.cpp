#include "viewer/signals.h"

#include <array>
#include <atomic>
#include <csignal>

namespace copse::viewer {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

/// The handler may run on any thread.
std::atomic<int> first_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait for a lock");

struct sigaction actions_before[signals.size()];

void ask_to_end(int signal) {
  first_signal = signal;
}

}  // namespace

EndSignals::EndSignals() {
  first_signal = 0;
  for (size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &actions_before[i]);
    if (actions_before[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = ask_to_end;
    action.sa_flags = SA_RESETHAND;  // the second one ends the program
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signals[i], &action, nullptr);
  }
}

EndSignals::~EndSignals() {
  for (size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &actions_before[i], nullptr);
}

int EndSignals::received() {
  return first_signal;
}

}  // namespace copse::viewer
