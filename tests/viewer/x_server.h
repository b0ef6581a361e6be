#pragma once

#include <sys/types.h>

#include <string>

namespace copse::test {

/// An X server without a screen, Xvfb, for as long as it lives; this process's DISPLAY is its.
class XServer {
 public:
  XServer();
  ~XServer();
  XServer(const XServer&) = delete;
  XServer& operator=(const XServer&) = delete;

  /// False where it could not be started.
  bool runs() const { return !display_.empty(); }

 private:
  pid_t process_ = -1;
  std::string display_;
};

}  // namespace copse::test
