#pragma once

namespace copse::viewer {

/// During the lifetime of the object, SIGINT, SIGTERM and SIGHUP do not end the program. They ask its loop to end, so
/// that it can keep its settings. The same signal a second time ends the program at once, as signals do otherwise. A
/// signal that was ignored before stays ignored. One object at a time.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  /// The number of the first signal that came; 0 if none did.
  static int received();
};

}  // namespace copse::viewer
