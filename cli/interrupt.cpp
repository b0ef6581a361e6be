#include "cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <string_view>

#include "cli/exit_code.h"
#include "primitives/core/error.h"

namespace copse::cli {

namespace {

// Shells start background jobs with signals ignored, and so does nohup. Such signals stay ignored.
bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

[[noreturn]] void end_at_once() {
  constexpr std::string_view message = "copse: interrupted\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(exit_interrupted);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  ::sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!is_ignored(signal)) ::sigaddset(&signals_, signal);
  }
  ::sigaddset(&signals_, SIGUSR2);  // wakes the thread at the end
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this] { wait_for_signals(); });
}

InterruptWatch::~InterruptWatch() {
  ending_ = true;
  ::pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

void InterruptWatch::wait_for_signals() {
  while (!ending_) {
    int signal = 0;
    if (::sigwait(&signals_, &signal) != 0 || signal == SIGUSR2) continue;
    if (source_.stop_requested()) end_at_once();
    source_.request_stop();
  }
}

void InterruptWatch::throw_if_interrupted() const {
  if (source_.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
}

}  // namespace copse::cli
