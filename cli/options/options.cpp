#include "cli/options/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "cli/options/spelling.h"
#include "primitives/core/parse_number.h"

namespace copse::cli {

namespace {

template <class T>
CLI::Option* add_whole_number(CLI::App& app, const std::string& name, T& value, T lowest, T highest,
                              const std::string& description) {
  const auto parse = [=, &value](const std::string& text) {
    const std::optional<T> number = parse_number<T>(text);
    if (!number || *number < lowest || *number > highest) {
      throw CLI::ValidationError(
          fmt::format("{} is '{}'; it takes a whole number from {} to {}", name, text, lowest, highest));
    }
    value = *number;
  };
  const bool positional = name.front() != '-';
  return app.add_option_function<std::string>(name, parse, description)->option_text(positional ? " " : "N");
}

/// Returns the bytes that a number with K, M, G or nothing behind it stands for, if they are above 0 and below 2^63.
std::optional<u64> parse_bytes(std::string_view text) {
  const size_t unit = text.empty() ? std::string_view::npos : std::string_view("KMG").find(text.back());
  const u32 shift = unit == std::string_view::npos ? 0 : 10 * (u32(unit) + 1);
  if (shift > 0) text.remove_suffix(1);
  const std::optional<u64> number = parse_number<u64>(text);
  if (!number || *number == 0 || *number >= u64{1} << (63 - shift)) return std::nullopt;
  return *number << shift;
}

vec3 parse_point(const std::string& name, const std::vector<std::string>& texts) {
  vec3 point;
  for (int k = 0; k < 3; ++k) {
    const std::optional<float> number = parse_number<float>(texts.at(size_t(k)));
    if (!number || !std::isfinite(*number)) {
      throw CLI::ValidationError(fmt::format("{} is '{}'; it takes three finite numbers, as in {} 1,2,-3", name,
                                             CLI::detail::join(texts, ","), name));
    }
    point[k] = *number;
  }
  return point;
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options) {
  const auto group = "Every command";
  app.add_flag("--json", options.json, "Print one JSON object")->group(group);
  add_choice<Backend>(app, "--backend", options.backend,
                      {{"auto", Backend::automatic}, {"cpu", Backend::cpu}, {"cuda", Backend::cuda}},
                      "Where to run; auto: the GPU if there is one")
      ->group(group);
  add_count(app, "--threads", options.threads, 1, 4096, "CPU threads, default all")->group(group);
  app.add_flag("--quiet", options.quiet, "Print no progress and no messages except errors")->group(group);
}

CLI::Option* add_input(CLI::App& app, std::string& path, const std::string& name, const std::string& description) {
  return app.add_option(name, path, description)->required()->option_text(" ");
}

CLI::Option* add_inputs(CLI::App& app, std::vector<std::string>& paths, const std::string& name,
                        const std::string& description) {
  return app.add_option(name, paths, description)->required()->option_text("...");
}

CLI::Option* add_output(CLI::App& app, std::string& path, const std::string& description) {
  const auto parse = [&path](const std::string& text) {
    if (text.empty()) throw CLI::ValidationError("-o is ''; it takes the name of a file");
    path = text;
  };
  return app.add_option_function<std::string>("-o,--output", parse, description)->option_text("FILE");
}

CLI::Option* add_count(CLI::App& app, const std::string& name, u64& value, u64 lowest, u64 highest,
                       const std::string& description) {
  return add_whole_number(app, name, value, lowest, highest, description);
}

CLI::Option* add_count(CLI::App& app, const std::string& name, u32& value, u32 lowest, u32 highest,
                       const std::string& description) {
  return add_whole_number(app, name, value, lowest, highest, description);
}

CLI::Option* add_gpus(CLI::App& app, u32& gpus, const std::string& description) {
  return add_count(app, "--gpus", gpus, 1, 64, description + "; with --backend cpu, over N contexts of the CPU");
}

CLI::Option* add_bytes(CLI::App& app, const std::string& name, std::optional<u64>& value,
                       const std::string& description) {
  const auto parse = [=, &value](const std::string& text) {
    value = parse_bytes(text);
    if (!value) {
      throw CLI::ValidationError(
          fmt::format("{} is '{}'; it takes a whole number of bytes above 0, as in 500M or 16G", name, text));
    }
  };
  return app.add_option_function<std::string>(name, parse, description)->option_text("BYTES");
}

CLI::Option* add_count_or_auto(CLI::App& app, const std::string& name, std::optional<u32>& value, u32 lowest,
                               u32 highest, const std::string& description) {
  const auto parse = [=, &value](const std::string& text) {
    const std::optional<u32> number = text == "auto" ? 0 : parse_number<u32>(text);
    if (!number || (text != "auto" && (*number < lowest || *number > highest))) {
      throw CLI::ValidationError(
          fmt::format("{} is '{}'; it takes a whole number from {} to {}, or auto", name, text, lowest, highest));
    }
    value = number;
  };
  return app.add_option_function<std::string>(name, parse, description)->option_text("N|auto");
}

CLI::Option* add_real(CLI::App& app, const std::string& name, float& value, float lowest, float highest,
                      const std::string& description) {
  const auto parse = [=, &value](const std::string& text) {
    const std::optional<float> number = parse_number<float>(text);
    if (!number || !(*number >= lowest) || *number > highest) {
      throw CLI::ValidationError(
          fmt::format("{} is '{}'; it takes a number from {} to {}", name, text, lowest, highest));
    }
    value = *number;
  };
  const bool positional = name.front() != '-';
  return app.add_option_function<std::string>(name, parse, description)->option_text(positional ? " " : "X");
}

CLI::Option* add_point(CLI::App& app, const std::string& name, std::optional<vec3>& value,
                       const std::string& description) {
  const auto parse = [=, &value](const std::vector<std::string>& texts) { value = parse_point(name, texts); };
  return app.add_option_function<std::vector<std::string>>(name, parse, description)
      ->delimiter(',')
      ->expected(3)
      ->option_text("X,Y,Z");
}

CLI::Option* add_image_size(CLI::App& app, u32& width, u32& height, u32 highest) {
  const auto parse = [=, &width, &height](const std::string& text) {
    const size_t cross = text.find('x');
    const auto w = parse_number<u32>(text.substr(0, cross));
    const auto h = cross == std::string::npos ? w : parse_number<u32>(text.substr(cross + 1));
    if (!w || !h || *w < 1 || *h < 1 || *w > highest || *h > highest) {
      throw CLI::ValidationError(fmt::format(
          "--size is '{}'; it takes WIDTHxHEIGHT or one number for both, each from 1 to {}", text, highest));
    }
    width = *w;
    height = *h;
  };
  return app.add_option_function<std::string>("--size", parse, "Both at once, as in 1920x1080")
      ->option_text("WxH");
}

CLI::Option* add_choice_of_names(CLI::App& app, const std::string& name, const std::vector<std::string>& names,
                                 const std::function<void(size_t)>& set, const std::string& description) {
  const auto parse = [=](const std::string& text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) throw CLI::ValidationError(name + " is " + none_of(text, names));
    set(size_t(found - names.begin()));
  };
  return app.add_option_function<std::string>(name, parse, description)
      ->option_text(CLI::detail::join(names, "|"));
}

void throw_with_option(const Error& error, const std::string& phrase, const std::string& option) {
  std::string message = error.what();
  const size_t at = message.find(phrase);
  if (at != std::string::npos) message.replace(at, phrase.size(), option);
  throw Error(error.code(), message);
}

std::string one_of(const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " or " : ", ";
    list += names[i];
  }
  return list;
}

std::string none_of(const std::string& text, const std::vector<std::string>& names) {
  return fmt::format("'{}'; it takes {}{}", text, one_of(names), suggestion(text, names));
}

}  // namespace copse::cli
