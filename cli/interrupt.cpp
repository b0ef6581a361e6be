#include "cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <string_view>

#include "builders/io/whole_file.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "primitives/core/error.h"

namespace copse::cli {

namespace {

// Shells start background jobs with signals ignored, and so does nohup. Such signals stay ignored.
bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// The time in which work that heeds the stop request ends by itself.
constexpr std::chrono::milliseconds grace{200};

void write_to_stderr(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void end_at_once() {
  detail::remove_temporary_files();
  if (Progress::is_shown()) write_to_stderr("\r\x1b[K");
  write_to_stderr("copse: interrupted\n");
  ::_exit(exit_interrupted);
}

/// Returns true if one of the signals comes within the time.
bool comes_within(const sigset_t& signals, std::chrono::milliseconds time, int& signal) {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    const auto left = std::max(end - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration(0));
    const timespec wait{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(left).count()};
    signal = ::sigtimedwait(&signals, nullptr, &wait);
  } while (signal < 0 && errno == EINTR);
  return signal > 0;
}

extern "C" void remove_files_and_end(int signal) {
  detail::remove_temporary_files();
  ::raise(signal);  // the handler is gone, so this ends the program
}

}  // namespace

void remove_temporary_files_on_signals() {
  for (const int signal : {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU, SIGALRM, SIGUSR1}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_files_and_end;
    action.sa_flags = int(SA_RESETHAND) | SA_NODEFER;
    ::sigaction(signal, &action, nullptr);
  }
}

InterruptWatch::InterruptWatch() {
  ::sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
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
    if (!source_.stop_requested()) {
      if (::sigwait(&signals_, &signal) == 0 && signal != SIGUSR2) source_.request_stop();
    } else if (!comes_within(signals_, grace, signal) || signal != SIGUSR2) {
      end_at_once();
    }
  }
}

void InterruptWatch::throw_if_interrupted() const {
  if (source_.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
}

}  // namespace copse::cli
