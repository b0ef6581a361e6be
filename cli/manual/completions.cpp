#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/manual/manual.h"

namespace copse::cli {

namespace {

/// Calls visit(command) for each command below the program that has no commands below itself.
template <class Visit>
void for_each_leaf(const CommandText& command, const Visit& visit) {
  for (const CommandText& below : command.commands) {
    if (below.commands.empty()) visit(below);
    for_each_leaf(below, visit);
  }
}

/// Returns the names of the commands below a command.
std::string names_below(const CommandText& command) {
  std::vector<std::string> names;
  for (const CommandText& below : command.commands) names.push_back(below.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string names_of_options(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

/// Returns text in single quotes of a shell.
///   quote: what stands for a single quote inside: '\'' of sh, \' of fish
std::string quoted(const std::string& text, const std::string& quote) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? quote : std::string(1, c);
  return out + "'";
}

/// Returns the words of a command behind "copse": "generate grid".
std::string words_behind_program(const CommandText& command) {
  return command.words.substr(command.words.find(' ') + 1);
}

/// Returns the first sentence or clause of a description, which fits beside a name.
std::string in_short(const std::string& description) {
  return description.substr(0, std::min(description.find_first_of(";:"), description.find(". ")));
}

std::string bash_values(const CommandText& command) {
  std::string cases;
  for (const OptionText& option : command.options) {
    if (option.is_flag()) continue;
    const std::vector<std::string> words = option.words();
    const std::string action =
        !words.empty()        ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", fmt::join(words, " "))
        : option.takes_file() ? "_copse_files"
                              : "true";
    cases += fmt::format("        {}) {}; return ;;\n", fmt::join(option.names, "|"), action);
  }
  return cases;
}

/// One argument of zsh's _arguments.
std::string zsh_option(const OptionText& option) {
  std::string description;
  for (const char c : in_short(option.description))
    description += c == '[' || c == ']' ? std::string("\\") + c : std::string(1, c);
  const std::vector<std::string> words = option.words();
  std::string value;
  if (!option.is_flag()) {
    const std::string kind = !words.empty()        ? fmt::format("({})", fmt::join(words, " "))
                             : option.takes_file() ? "_files"
                                                   : "";
    value = ":value:" + kind;
  }
  std::string lines;
  for (const std::string& name : option.names) {
    lines += " \\\n        " + quoted(name + "[" + description + "]" + value, "'\\''");
  }
  return lines;
}

std::string fish_option(const CommandText& command, const OptionText& option) {
  std::string line = "complete -c copse -n " + quoted("__copse_is " + words_behind_program(command), "\\'");
  for (const std::string& name : option.names)
    line += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
  const std::vector<std::string> words = option.words();
  if (!words.empty()) {
    line += fmt::format(" -x -a '{}'", fmt::join(words, " "));
  } else if (!option.is_flag()) {
    line += option.takes_file() ? " -r -F" : " -x";
  }
  return line + " -d " + quoted(in_short(option.description), "\\'") + "\n";
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string cases;
  for_each_leaf(program, [&](const CommandText& command) {
    cases += fmt::format("    '{}')\n      case $prev in\n{}      esac\n      options='{}' ;;\n",
                         words_behind_program(command), bash_values(command), names_of_options(command));
  });
  std::string groups;
  for (const CommandText& command : program.commands) {
    if (command.commands.empty()) continue;
    groups += fmt::format("    {0}|'help {0}') COMPREPLY=($(compgen -W '{1} --help' -- \"$cur\")); return ;;\n",
                          command.name, names_below(command));
  }
  return "# bash completion of copse, made by: copse help --completion bash\n\n"
         "_copse_files() {\n"
         "  compopt -o filenames\n"
         "  local IFS=$'\\n'\n"
         "  COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "}\n\n"
         "_copse() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options='' words='' i\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD && i < 3; ++i)); do\n"
         "    [[ ${COMP_WORDS[i]} == -* ]] && break\n"
         "    words+=${words:+ }${COMP_WORDS[i]}\n"
         "    case ${COMP_WORDS[i]} in generate|help) ;; *) break ;; esac\n"
         "  done\n"
         "  case $words in\n" +
         fmt::format("    '') COMPREPLY=($(compgen -W '{} help {}' -- \"$cur\")); return ;;\n",
                     names_below(program), names_of_options(program)) +
         fmt::format("    help) COMPREPLY=($(compgen -W '{} --man --completion' -- \"$cur\")); return ;;\n",
                     names_below(program)) +
         groups + cases +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "  else\n"
         "    _copse_files\n"
         "  fi\n"
         "}\n\n"
         "complete -F _copse copse\n";
}

std::string zsh_completion(const CommandText& program) {
  std::string cases;
  for_each_leaf(program, [&](const CommandText& command) {
    cases += fmt::format("    '{}')\n      _arguments", words_behind_program(command));
    for (const OptionText& option : command.options) cases += zsh_option(option);
    cases += " \\\n        '*:file:_files' ;;\n";
  });
  std::string groups;
  for (const CommandText& command : program.commands) {
    if (!command.commands.empty())
      groups += fmt::format("    {}) compadd -- {} ;;\n", command.name, names_below(command));
  }
  return "#compdef copse\n"
         "# zsh completion of copse, made by: copse help --completion zsh\n\n"
         "_copse() {\n"
         "  local -i depth=1\n"
         "  [[ ${words[2]} == (generate|help) ]] && depth=2\n"
         "  if ((CURRENT == 2)); then\n" +
         fmt::format("    compadd -- {} help {}\n", names_below(program), names_of_options(program)) +
         "    return\n"
         "  fi\n"
         "  if ((depth == 2 && CURRENT == 3)); then\n"
         "    case ${words[2]} in\n" +
         groups + fmt::format("    help) compadd -- {} --man --completion ;;\n", names_below(program)) +
         "    esac\n"
         "    return\n"
         "  fi\n"
         "  local command=\"${(j: :)words[2,depth+1]}\"\n"
         "  words=(\"$command\" \"${(@)words[depth+2,-1]}\")\n"
         "  ((CURRENT -= depth))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n\n"
         "_copse \"$@\"\n";
}

std::string fish_completion(const CommandText& program) {
  std::string text =
      "# fish completion of copse, made by: copse help --completion fish\n\n"
      "function __copse_is\n"
      "    set -l words (commandline -opc)[2..-1]\n"
      "    set -l count (count $argv)\n"
      "    test $count -eq 0; and return 0\n"
      "    test (count $words) -ge $count; and test \"$words[1..$count]\" = \"$argv\"\n"
      "end\n\n"
      "function __copse_is_exactly\n"
      "    test (count (commandline -opc)[2..-1]) -eq (count $argv); and __copse_is $argv\n"
      "end\n\n";
  const auto add_names = [&](const CommandText& command, const std::string& words) {
    for (const CommandText& below : command.commands) {
      text += fmt::format("complete -c copse -f -n '{}{}' -a {} -d {}\n", "__copse_is_exactly", words, below.name,
                          quoted(in_short(below.description), "\\'"));
    }
  };
  add_names(program, "");
  text += "complete -c copse -f -n __copse_is_exactly -a help -d 'Print the help of a command'\n";
  add_names(program, " help");
  for (const CommandText& command : program.commands) add_names(command, " " + command.name);
  text += fmt::format("complete -c copse -n __copse_is_exactly -l version -d {}\n",
                      quoted("Print the version and exit", "\\'"));
  for_each_leaf(program, [&](const CommandText& command) {
    for (const OptionText& option : command.options) text += fish_option(command, option);
  });
  return text;
}

}  // namespace copse::cli
