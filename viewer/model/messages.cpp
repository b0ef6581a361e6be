#include "viewer/model/messages.h"

#include <exception>
#include <new>

#include "primitives/core/error.h"

namespace copse::viewer {

void Messages::add(Severity severity, const std::string& text) {
  ++revision_;
  if (!list_.empty() && list_.back().text == text && list_.back().severity == severity) {
    ++list_.back().count;
    return;
  }
  if (list_.size() == most) list_.erase(list_.begin());
  list_.push_back({next_id_++, severity, text});
}

void Messages::dismiss(u64 id) {
  if (std::erase_if(list_, [&](const Message& message) { return message.id == id; }) > 0) ++revision_;
}

void Messages::clear() {
  if (list_.empty()) return;
  list_.clear();
  ++revision_;
}

bool Messages::guard(const std::string& what, const std::function<void()>& work) {
  const auto tell = [&](Severity severity, const std::string& why) { add(severity, what + ": " + why); };
  try {
    work();
    return true;
  } catch (const Error& error) {
    const bool cancelled = error.code() == ErrorCode::cancelled;
    tell(cancelled ? Severity::note : Severity::error, cancelled ? "cancelled" : error.what());
  } catch (const std::bad_alloc&) {
    tell(Severity::error, "the host's memory does not suffice");
  } catch (const std::exception& error) {
    tell(Severity::error, error.what());
  }
  return false;
}

}  // namespace copse::viewer
