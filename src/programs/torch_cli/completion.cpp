// Shell completion scripts from the command tree: commands, flags, and files where a value is one.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_tree.h"
#include "cli/help_formatter.h"
#include "locale/messages/help.h"
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

// What may be typed after a command: a command inside it, or a flag by all its names.
struct Candidate {
  std::vector<std::string> names;
  std::string help;
  bool is_flag = false;
  bool takes_value = false;
};

const CommandFacts* find_command(const std::vector<CommandFacts>& commands,
                                 const std::vector<std::string>& path) {
  const auto found = std::ranges::find(commands, path, &CommandFacts::path);
  return found == commands.end() ? nullptr : &*found;
}

std::vector<Candidate> candidates_after(const CommandFacts& command,
                                        const std::vector<CommandFacts>& commands) {
  std::vector<Candidate> candidates;
  for (const std::string& name : command.subcommands) {
    std::vector<std::string> path = command.path;
    path.push_back(name);
    const CommandFacts* const inner = find_command(commands, path);
    candidates.push_back(
        {.names = {name}, .help = inner == nullptr ? "" : without_ticks(inner->summary)});
  }
  for (const FlagFacts& flag : command.flags) {
    candidates.push_back({.names = flag.names,
                          .help = without_ticks(flag.help),
                          .is_flag = true,
                          .takes_value = !flag.placeholder.empty()});
  }
  return candidates;
}

// What is typed before a candidate: "data check".
std::string key_of(const CommandFacts& command) {
  return fmt::to_string(fmt::join(command.path, " "));
}

// Functions of a POSIX shell: one that completes, in `head`, and one that knows the candidates of
// every command, of which `arm` writes those of one.
template <typename Arm>
std::string posix_completion(const std::vector<CommandFacts>& commands,
                             std::string head,
                             const char* last_line,
                             const Arm& arm) {
  head += "  case $1 in\n";
  for (const CommandFacts& command : commands) {
    fmt::format_to(std::back_inserter(head),
                   "    {}) {} ;;\n",
                   quoted(key_of(command)),
                   arm(candidates_after(command, commands)));
  }
  return head + "    *) return 1 ;;\n  esac\n}\n" + last_line;
}

std::string bash_words(const std::vector<Candidate>& candidates) {
  std::vector<std::string> words;
  for (const Candidate& one : candidates) {
    words.insert(words.end(), one.names.begin(), one.names.end());
  }
  return "words=" + quoted(fmt::to_string(fmt::join(words, " ")));
}

std::string bash_completion(const std::vector<CommandFacts>& commands) {
  return posix_completion(commands,
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
                          "_qanat_words() {\n",
                          "complete -F _qanat qanat\n",
                          bash_words);
}

std::string zsh_entries(const std::vector<Candidate>& candidates) {
  std::string text = "entries=(\n";
  for (const Candidate& one : candidates) {
    std::string help;
    for (const char c : one.help) {
      help += c == ':' ? std::string("\\:") : std::string(1, c);
    }
    for (const std::string& name : one.names) {
      fmt::format_to(std::back_inserter(text), "      {}\n", quoted(name + ":" + help));
    }
  }
  return text + "    )";
}

std::string zsh_completion(const std::vector<CommandFacts>& commands) {
  return posix_completion(commands,
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
                          "_qanat_entries() {\n",
                          "compdef _qanat qanat\n",
                          zsh_entries);
}

// The part of a line that names the candidate.
std::string fish_names(const Candidate& candidate) {
  if (!candidate.is_flag) {
    return " -f -a " + candidate.names.front();
  }
  std::string text;
  for (const std::string& name : candidate.names) {
    const bool is_long = name.starts_with("--");
    text += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
  }
  return text + (candidate.takes_value ? " -r" : "");
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
  for (const CommandFacts& command : commands) {
    const std::string at = fish_quoted("__qanat_at " + key_of(command));
    for (const Candidate& one : candidates_after(command, commands)) {
      fmt::format_to(std::back_inserter(text),
                     "complete -c qanat -n {}{} -d {}\n",
                     at,
                     fish_names(one),
                     fish_quoted(one.help));
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
