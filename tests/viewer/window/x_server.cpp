#include "tests/viewer/window/x_server.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace copse::test {

XServer::XServer() {
  int ends[2];
  if (::pipe(ends) != 0) return;
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    // Xvfb chooses a free number, and writes it when it is ready.
    ::execlp("Xvfb", "Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "+extension", "GLX", "-noreset",
             "-nolisten", "tcp", nullptr);
    ::_exit(126);
  }
  ::close(ends[1]);
  std::string number;
  char c = 0;
  while (::read(ends[0], &c, 1) == 1 && c != '\n') number += c;
  ::close(ends[0]);
  if (number.empty()) return;
  display_ = ":" + number;
  ::setenv("DISPLAY", display_.c_str(), 1);
}

XServer::~XServer() {
  ::unsetenv("DISPLAY");
  if (process_ <= 0) return;
  ::kill(process_, SIGTERM);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace copse::test
