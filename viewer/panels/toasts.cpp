#include "viewer/panels/toasts.h"

namespace copse::viewer {

bool Toasts::shows(const Message& message) const {
  const auto found = sights_.find(message.id);
  return found == sights_.end() || !found->second.is_gone || found->second.count != message.count;
}

void Toasts::close(const Message& message) {
  sights_[message.id] = {message.count, 0, true};
}

void Toasts::age(const Messages& messages, double seconds) {
  std::map<u64, Sight> still;
  for (const Message& message : messages.list()) {
    Sight sight = sights_[message.id];
    if (sight.count != message.count) sight = {.count = message.count};
    sight.seconds += seconds;
    sight.is_gone |= message.severity == Severity::note && sight.seconds > note_seconds;
    still[message.id] = sight;
  }
  sights_.swap(still);
}

}  // namespace copse::viewer
