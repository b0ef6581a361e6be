#include "viewer/model/session/messages.h"

#include <algorithm>
#include <exception>
#include <new>

namespace copse::viewer {

void Messages::add(Severity severity, const std::string& text, std::optional<ErrorCode> code) {
  ++revision_;
  if (!list_.empty() && list_.back().text == text && list_.back().severity == severity) {
    ++list_.back().count;
    return;
  }
  if (list_.size() == most) list_.erase(list_.begin());
  list_.push_back({next_id_++, severity, text, 1, code});
}

void Messages::dismiss(u64 id) {
  if (std::erase_if(list_, [&](const Message& message) { return message.id == id; }) > 0) ++revision_;
}

void Messages::clear() {
  if (list_.empty()) return;
  list_.clear();
  ++revision_;
}

const Message* Messages::first_error() const {
  const auto is_error = [](const Message& message) { return message.severity == Severity::error; };
  const auto at = std::find_if(list_.begin(), list_.end(), is_error);
  return at != list_.end() ? &*at : nullptr;
}

bool Messages::guard(const std::string& what, const std::function<void()>& work) {
  const auto tell = [&](Severity severity, const std::string& why, std::optional<ErrorCode> code = std::nullopt) {
    add(severity, what + ": " + why, code);
  };
  try {
    work();
    return true;
  } catch (const Error& error) {
    const bool cancelled = error.code() == ErrorCode::cancelled;
    tell(cancelled ? Severity::note : Severity::error, cancelled ? "cancelled" : error.what(), error.code());
  } catch (const std::bad_alloc&) {
    tell(Severity::error, "the host does not have enough memory", ErrorCode::out_of_memory);
  } catch (const std::exception& error) {
    tell(Severity::error, error.what());
  }
  return false;
}

ExitCode exit_code_of(const Messages& messages) {
  const Message* error = messages.first_error();
  if (error == nullptr) return exit_ok;
  const bool is_of_machine = error->code == ErrorCode::no_device || error->code == ErrorCode::out_of_memory;
  return is_of_machine ? copse::exit_code_of(*error->code) : exit_bad_file;
}

}  // namespace copse::viewer
