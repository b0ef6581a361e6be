#pragma once

#include <sys/types.h>

#include <string>

namespace copse::test {

/// An X server without a screen, Xvfb, that runs during the lifetime of the object. DISPLAY of this process names
/// it.
class XServer {
 public:
  XServer();
  ~XServer();
  XServer(const XServer&) = delete;
  XServer& operator=(const XServer&) = delete;

  /// False if it could not be started.
  bool runs() const { return !display_.empty(); }

 private:
  pid_t process_ = -1;
  std::string display_;
};

}  // namespace copse::test
