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
  u32 count = 1;                                 // how often it came in a row
  std::optional<ErrorCode> code = std::nullopt;  // of what was thrown
};

/// What the viewer has to tell its user: errors end here, never in an exit. Keeps the last 100.
class Messages {
 public:
  static constexpr u64 most = 100;

  /// Adds a message, oldest first; one equal to the last only raises its count.
  void add(Severity severity, const std::string& text, std::optional<ErrorCode> code = std::nullopt);

  /// Takes a message off the list; nothing happens where there is none of this id.
  void dismiss(u64 id);
  void clear();

  const std::vector<Message>& list() const { return list_; }
  /// The oldest error that is there, or null.
  const Message* first_error() const;
  /// Grows with every change.
  u64 revision() const { return revision_; }

  /// Calls `work` and turns what it throws into an error message that begins with `what`: "what: reason".
  /// Returns false where it threw. A cancelled work is a note.
  bool guard(const std::string& what, const std::function<void()>& work);

 private:
  std::vector<Message> list_;
  u64 next_id_ = 1;
  u64 revision_ = 0;
};

/// The exit code of a run that said these: 0 without errors, else the first one's: 4 for no such device, 5 for too
/// little memory, 3 for all that could not be read, built or written.
ExitCode exit_code_of(const Messages& messages);

}  // namespace copse::viewer
