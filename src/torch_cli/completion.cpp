// Shell completion scripts from the command tree: commands, flags, and files where a value is one.
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_tree.h"
#include "cli/help_formatter.h"
#include "locale/messages.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

// For single quotes of a POSIX shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

// fish knows \' inside single quotes, and nothing else.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "'";
}

std::string words_of(const CommandFacts& command) {
  std::vector<std::string> words = command.subcommands;
  for (const FlagFacts& flag : command.flags) {
    words.insert(words.end(), flag.names.begin(), flag.names.end());
  }
  return fmt::to_string(fmt::join(words, " "));
}

// What is typed before the words, with blanks at both ends: " data check ".
std::string key_of(const CommandFacts& command) {
  return fmt::to_string(fmt::join(command.path, " "));
}

const CommandFacts* find_command(const std::vector<CommandFacts>& commands,
                                 const std::vector<std::string>& path) {
  for (const CommandFacts& command : commands) {
    if (command.path == path) {
      return &command;
    }
  }
  return nullptr;
}

std::string bash_completion(const std::vector<CommandFacts>& commands) {
  std::string text =
      "# Completion of qanat for bash; generated.\n"
      "_qanat() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} key='' word i words\n"
      "  for ((i = 1; i < COMP_CWORD && i < 3; i++)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    [[ $word == -* ]] && break\n"
      "    key+=\"${key:+ }$word\"\n"
      "  done\n"
      "  _qanat_words \"$key\" || _qanat_words \"${key%% *}\" || return 0\n"
      "  if [[ $current == -* || -n $words && $words != -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  fi\n"
      "  if [[ ${#COMPREPLY[@]} -eq 0 ]]; then\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "  fi\n"
      "}\n"
      "_qanat_words() {\n"
      "  case $1 in\n";
  for (const CommandFacts& command : commands) {
    fmt::format_to(std::back_inserter(text),
                   "    {}) words={} ;;\n",
                   quoted(key_of(command)),
                   quoted(words_of(command)));
  }
  text +=
      "    *) return 1 ;;\n"
      "  esac\n"
      "}\n"
      "complete -F _qanat qanat\n";
  return text;
}

std::string zsh_completion(const std::vector<CommandFacts>& commands) {
  std::string text =
      "#compdef qanat\n"
      "# Completion of qanat for zsh; generated.\n"
      "_qanat() {\n"
      "  local key=''\n"
      "  local -a entries\n"
      "  [[ CURRENT -gt 2 && $words[2] != -* ]] && key=$words[2]\n"
      "  [[ CURRENT -gt 3 && $words[3] != -* ]] && key=\"$key $words[3]\"\n"
      "  _qanat_entries \"$key\" || _qanat_entries \"${key%% *}\" || return 1\n"
      "  _describe -o qanat entries\n"
      "  _files\n"
      "}\n"
      "_qanat_entries() {\n"
      "  case $1 in\n";
  const auto entry = [&](const std::string& name, std::string help) {
    std::string escaped;
    for (const char c : help) {
      escaped += c == ':' ? std::string("\\:") : std::string(1, c);
    }
    fmt::format_to(std::back_inserter(text), "      {}\n", quoted(name + ":" + escaped));
  };
  for (const CommandFacts& command : commands) {
    fmt::format_to(std::back_inserter(text), "    {}) entries=(\n", quoted(key_of(command)));
    for (const std::string& name : command.subcommands) {
      std::vector<std::string> path = command.path;
      path.push_back(name);
      const CommandFacts* inner = find_command(commands, path);
      entry(name, inner == nullptr ? "" : without_ticks(inner->summary));
    }
    for (const FlagFacts& flag : command.flags) {
      for (const std::string& name : flag.names) {
        entry(name, without_ticks(flag.help));
      }
    }
    text += "    ) ;;\n";
  }
  text +=
      "    *) return 1 ;;\n"
      "  esac\n"
      "}\n"
      "compdef _qanat qanat\n";
  return text;
}

std::string fish_completion(const std::vector<CommandFacts>& commands) {
  std::string text =
      "# Completion of qanat for fish; generated.\n"
      "function __qanat_at\n"
      "  set -l words (commandline -opc)[2..-1]\n"
      "  set -l key\n"
      "  for word in $words[1..2]\n"
      "    string match -q -- '-*' $word; and break\n"
      "    set -a key $word\n"
      "  end\n"
      "  test \"$key\" = \"$argv\"; or test \"$key[1]\" = \"$argv\" -a (count $argv) -eq 1\n"
      "end\n";
  const auto out = std::back_inserter(text);
  for (const CommandFacts& command : commands) {
    const std::string at = fish_quoted("__qanat_at " + key_of(command));
    for (const std::string& name : command.subcommands) {
      std::vector<std::string> path = command.path;
      path.push_back(name);
      const CommandFacts* inner = find_command(commands, path);
      fmt::format_to(out,
                     "complete -c qanat -n {} -f -a {} -d {}\n",
                     at,
                     name,
                     fish_quoted(inner == nullptr ? "" : without_ticks(inner->summary)));
    }
    for (const FlagFacts& flag : command.flags) {
      fmt::format_to(out, "complete -c qanat -n {}", at);
      for (const std::string& name : flag.names) {
        fmt::format_to(out,
                       " {} {}",
                       name.starts_with("--") ? "-l" : "-s",
                       name.substr(name.starts_with("--") ? 2 : 1));
      }
      fmt::format_to(out,
                     "{} -d {}\n",
                     flag.placeholder.empty() ? "" : " -r",
                     fish_quoted(without_ticks(flag.help)));
    }
  }
  return text;
}

class CompletionCommand : public Command {
 public:
  void declare(Flags& flags) override {
    app_ = &flags.app();
    flags.choice("SHELL", shell_, "", {"bash", "zsh", "fish"}, msg::help_shell{})->required();
    flags.examples({"source <(qanat completion bash)"});
  }

  ExitCode run(const CommandContext& context) override {
    const std::vector<CommandFacts> commands = command_tree(*app_);
    context.out << (shell_ == "bash"  ? bash_completion(commands)
                    : shell_ == "zsh" ? zsh_completion(commands)
                                      : fish_completion(commands));
    return ExitCode::done;
  }

 private:
  const CLI::App* app_ = nullptr;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace qanat
