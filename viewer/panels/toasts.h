#pragma once

#include <map>

#include "viewer/model/session/messages.h"

namespace copse::viewer {

/// The messages that are shown over the picture: each until it is closed, notes for six seconds. A message that is
/// repeated later is shown again.
class Toasts {
 public:
  static constexpr double note_seconds = 6;

  bool shows(const Message& message) const;
  void close(const Message& message);
  /// Advances time. Forgets messages that were removed.
  void age(const Messages& messages, double seconds);

 private:
  struct Sight {
    u32 count = 0;       // of the message, at the last update
    double seconds = 0;  // how long it has been shown since it came last
    bool is_gone = false;
  };
  std::map<u64, Sight> sights_;  // by id
};

}  // namespace copse::viewer
