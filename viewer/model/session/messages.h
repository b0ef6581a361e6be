#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "primitives/core/error.h"
#include "primitives/core/exit_code.h"
#include "primitives/core/types.h"

namespace copse::viewer {

enum class Severity : u8 { note, warning, error };

struct Message {
  u64 id = 0;
  Severity severity = Severity::note;
  std::string text;
  u32 count = 1;                                 // how often it was repeated in a row
  std::optional<ErrorCode> code = std::nullopt;  // of the exception
};

/// The messages for the user. Errors become messages here and never end the program. Keeps the last 100.
class Messages {
 public:
  static constexpr u64 most = 100;

  /// Appends a message. If it equals the last one, only the count of that one grows.
  void add(Severity severity, const std::string& text, std::optional<ErrorCode> code = std::nullopt);

  /// Removes the message with this id, if there is one.
  void dismiss(u64 id);
  void clear();

  const std::vector<Message>& list() const { return list_; }
  /// The oldest error in the list, or null.
  const Message* first_error() const;
  /// Grows with every change.
  u64 revision() const { return revision_; }

  /// Calls `work`. An exception becomes an error message "what: reason", or a note if the work was cancelled.
  /// Returns false after an exception.
  bool guard(const std::string& what, const std::function<void()>& work);

 private:
  std::vector<Message> list_;
  u64 next_id_ = 1;
  u64 revision_ = 0;
};

/// Returns the exit code of a run with these messages: 0 without errors, else that of the first error. 4: no such
/// device; 5: not enough memory; 3: something could not be read, built or written.
ExitCode exit_code_of(const Messages& messages);

}  // namespace copse::viewer
