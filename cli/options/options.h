#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "builders/geometry/aabb.h"
#include "primitives/core/context.h"
#include "primitives/core/error.h"

// Options that check their values. An error names the option, the value and the values that it takes.

// <CLI/CLI.hpp> takes seconds to compile, so only the files that call CLI11 include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace copse::cli {

/// The options of every subcommand.
struct CommonOptions {
  bool json = false;
  bool quiet = false;
  Backend backend = Backend::automatic;
  u32 threads = 0;  // 0: all
};

void add_common_options(CLI::App& app, CommonOptions& options);

/// Adds a required positional argument, a file.
CLI::Option* add_input(CLI::App& app, std::string& path, const std::string& name, const std::string& description);
/// The same for one file or several.
CLI::Option* add_inputs(CLI::App& app, std::vector<std::string>& paths, const std::string& name,
                        const std::string& description);
/// Adds -o, --output. Without it, `path` stays empty.
CLI::Option* add_output(CLI::App& app, std::string& path, const std::string& description);

/// Adds a whole number from `lowest` to `highest`. `name` may be that of a positional argument.
CLI::Option* add_count(CLI::App& app, const std::string& name, u64& value, u64 lowest, u64 highest,
                       const std::string& description);
CLI::Option* add_count(CLI::App& app, const std::string& name, u32& value, u32 lowest, u32 highest,
                       const std::string& description);

/// Adds --gpus, the number of devices that share work. Without it, `gpus` stays 0.
CLI::Option* add_gpus(CLI::App& app, u32& gpus, const std::string& description);

/// Adds a number of bytes above 0, as in 500M or 16G: K, M and G stand for 2^10, 2^20 and 2^30.
CLI::Option* add_bytes(CLI::App& app, const std::string& name, std::optional<u64>& value,
                       const std::string& description);

/// As add_count, but takes "auto" too, which is 0.
CLI::Option* add_count_or_auto(CLI::App& app, const std::string& name, std::optional<u32>& value, u32 lowest,
                               u32 highest, const std::string& description);

/// Adds a number from `lowest` to `highest`.
CLI::Option* add_real(CLI::App& app, const std::string& name, float& value, float lowest, float highest,
                      const std::string& description);

/// Adds a point, as X,Y,Z or X Y Z.
CLI::Option* add_point(CLI::App& app, const std::string& name, std::optional<vec3>& value,
                       const std::string& description);

/// Adds --size: width and height, as in 1920x1080.
CLI::Option* add_image_size(CLI::App& app, u32& width, u32& height, u32 highest);

/// Throws the error again. In its message the option takes the place of the phrase by which the library calls its value.
[[noreturn]] void throw_with_option(const Error& error, const std::string& phrase, const std::string& option);

template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// "a, b or c".
std::string one_of(const std::vector<std::string>& names);

/// "'x'; it takes a, b or c": the end of the message for a value that is none of the names. If it is close to one,
/// "; did you mean b?" follows.
std::string none_of(const std::string& text, const std::vector<std::string>& names);

/// Adds an option that takes one of the names, and calls set(i) for name i.
CLI::Option* add_choice_of_names(CLI::App& app, const std::string& name, const std::vector<std::string>& names,
                                 const std::function<void(size_t)>& set, const std::string& description);

template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, T& value, const Choices<T>& choices,
                        const std::string& description) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return add_choice_of_names(
      app, name, names, [choices, &value](size_t i) { value = choices[i].second; }, description);
}

}  // namespace copse::cli
