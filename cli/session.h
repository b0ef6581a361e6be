#pragma once

#include <fmt/format.h>

#include <memory>

#include "cli/interrupt.h"
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "primitives/core/context.h"

namespace copse::cli {

/// What every command has at hand while it runs.
class Session {
 public:
  explicit Session(const CommonOptions& options) : options_(options), progress_(options.quiet) {}

  bool json() const { return options_.json; }
  Progress& progress() { return progress_; }

  /// Names the stage that begins on the progress bar.
  /// Throws: Error cancelled after Ctrl-C.
  void begin(const std::string& stage) {
    interrupts_.throw_if_interrupted();
    progress_.begin(stage);
  }

  /// The context that the options ask for; Ctrl-C cancels its work.
  std::unique_ptr<Context> make_context() const;

  /// A line for people on stderr, unless --quiet.
  template <class... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    write_note(fmt::format(format, std::forward<Args>(args)...));
  }

  /// The command's result: the object with --json, else the text.
  void print(const Json& object, const std::string& text);

 private:
  void write_note(const std::string& text);

  CommonOptions options_;
  InterruptWatch interrupts_;  // before all that makes threads
  Progress progress_;
};

/// {"version", "commit", "backend", "device", "workers"}: what made a result.
Json describe(const Context& context);
/// The same in words.
std::string describe_in_words(const Context& context);

}  // namespace copse::cli
