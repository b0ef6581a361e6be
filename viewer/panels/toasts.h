#pragma once

#include <map>

#include "viewer/model/session/messages.h"

namespace copse::viewer {

/// Which messages stand over the picture: each until it is closed, notes for six seconds. One that comes again
/// after it went stands there again.
class Toasts {
 public:
  static constexpr double note_seconds = 6;

  bool shows(const Message& message) const;
  void close(const Message& message);
  /// Time goes by. Messages that are no more are forgotten.
  void age(const Messages& messages, double seconds);

 private:
  struct Sight {
    u32 count = 0;       // of the message, when it was last looked at
    double seconds = 0;  // that it has been shown since it came, or came again
    bool is_gone = false;
  };
  std::map<u64, Sight> sights_;  // by id
};

}  // namespace copse::viewer
