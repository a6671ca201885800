// Manual pages from the command tree: the troff source of qanat(1) and of qanat-COMMAND(1).
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/command.h"
#include "cli/command_tree.h"
#include "cli/exit_code.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/help.h"
#include "locale/messages/manual_pages.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

// Text that troff shows as it is: no escapes, hyphens that can be copied, no line that looks like a
// request. Code is bold. Isolates are left out: troff has no directions.
std::string escaped(std::string text) {
  for (const std::string_view isolate : {kFirstStrongIsolate, kPopIsolate}) {
    for (std::size_t at = text.find(isolate); at != std::string::npos; at = text.find(isolate)) {
      text.erase(at, isolate.size());
    }
  }
  std::string result;
  bool line_begins = true;
  bool in_code = false;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '`') {
      in_code = !in_code;
      result += in_code ? "\\fB" : "\\fR";
    } else {
      result += c;
    }
    line_begins = c == '\n';
  }
  return result;
}

std::string upper(std::string text) {
  std::ranges::transform(
      text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string stem_of(const CommandFacts& command) {
  std::string stem = "qanat";
  for (const std::string& word : command.path) {
    stem += "-" + word;
  }
  return stem;
}

void write_heading(Out out, const std::string& title) {
  fmt::format_to(out, ".SH {}\n", upper(escaped(title)));
}

void write_flag(Out out, const FlagFacts& flag) {
  fmt::format_to(out, ".TP\n\\fB{}\\fR", escaped(fmt::to_string(fmt::join(flag.names, ", "))));
  if (!flag.placeholder.empty()) {
    fmt::format_to(out, " \\fI{}\\fR", escaped(flag.placeholder));
  }
  fmt::format_to(out, "\n{}\n", escaped(flag.help));
}

// Flags by the headings of --help, in the order in which these first come.
void write_flags(Out out, const std::vector<FlagFacts>& flags) {
  std::vector<std::string> groups;
  for (const FlagFacts& flag : flags) {
    if (std::ranges::find(groups, flag.group) == groups.end()) {
      groups.push_back(flag.group);
    }
  }
  for (const std::string& group : groups) {
    write_heading(out, group);
    for (const FlagFacts& flag : flags) {
      if (flag.group == group) {
        write_flag(out, flag);
      }
    }
  }
}

void write_commands(Out out, const CommandFacts& command, const std::vector<CommandFacts>& all) {
  for (const CommandFacts& one : all) {
    const bool inside = one.path.size() == command.path.size() + 1 &&
                        std::equal(command.path.begin(), command.path.end(), one.path.begin());
    if (inside) {
      fmt::format_to(out, ".TP\n\\fB{}\\fR(1)\n{}\n", escaped(stem_of(one)), escaped(one.summary));
    }
  }
}

// Words as they are filled, commands as they are typed; the program says what its exit codes mean.
void write_footer(Out out, const CommandFacts& command, const Translator& words) {
  if (!command.footer.empty()) {
    write_heading(out, words.tr(msg::manual_notes{}));
    fmt::format_to(out, "{}\n", escaped(command.footer));
  }
  if (command.path.empty()) {
    write_heading(out, words.tr(msg::help_exit_codes{}));
    for (const auto& [code, meaning] : exit_codes()) {
      fmt::format_to(out, ".TP\n\\fB{}\\fR\n{}\n", code, escaped(words.tr(Message{meaning})));
    }
  } else if (!command.examples.empty()) {
    write_heading(out, words.tr(msg::help_example{}));
    fmt::format_to(
        out, ".nf\n{}\n.fi\n", escaped(fmt::to_string(fmt::join(command.examples, "\n"))));
  }
}

// "qanat.1", "qanat-data-check.1"
std::string manual_page_name(const CommandFacts& command) {
  return stem_of(command) + ".1";
}

std::string manual_page(const CommandFacts& command,
                        const std::vector<CommandFacts>& all,
                        const Translator& words) {
  std::string text = fmt::format(".TH \"{}\" 1 \"\" \"qanat {}\" \"{}\"\n",
                                 upper(stem_of(command)),
                                 QANAT_VERSION,
                                 words.tr(msg::manual_user_commands{}));
  const Out out = std::back_inserter(text);
  write_heading(out, words.tr(msg::manual_name{}));
  fmt::format_to(out, "{} \\- {}\n", escaped(stem_of(command)), escaped(command.summary));
  write_heading(out, words.tr(msg::help_usage{}));
  fmt::format_to(out, "\\fB{}\\fR", escaped(command.name()));
  text += command.subcommands.empty() ? "" : " \\fICOMMAND\\fR";
  for (const FlagFacts& positional : command.positionals) {
    const std::string name = fmt::format("\\fI{}\\fR", escaped(positional.names.front()));
    text += positional.required ? " " + name : " [" + name + "]";
  }
  text += " [\\fIOPTIONS\\fR]\n";
  if (!command.positionals.empty()) {
    write_heading(out, words.tr(msg::help_arguments{}));
    for (const FlagFacts& positional : command.positionals) {
      write_flag(out, {.names = positional.names, .help = positional.help});
    }
  }
  if (!command.subcommands.empty()) {
    write_heading(out, words.tr(msg::help_commands{}));
    write_commands(out, command, all);
  }
  write_flags(out, command.flags);
  write_footer(out, command, words);
  return text;
}

class ManualCommand : public Command {
 public:
  void declare(Flags& flags) override {
    app_ = &flags.app();
    flags.argument("FOLDER", folder_, msg::help_manual_folder{});
    flags.on("--json", json_, msg::help_manual_json{});
    flags.examples({"qanat manual /tmp/man && man -l /tmp/man/qanat-train.1"});
  }

  ExitCode run(const CommandContext& context) override {
    const std::vector<CommandFacts> commands = command_tree(*app_);
    if (json_) {
      context.out << to_json(commands, context.words).dump(2) << '\n';
      return ExitCode::done;
    }
    if (folder_.empty()) {
      throw UsageError(msg::usage_required{.name = "FOLDER"});
    }
    make_folders(folder_);
    for (const CommandFacts& command : commands) {
      write_text_file(std::filesystem::path(folder_) / manual_page_name(command),
                      manual_page(command, commands, context.words));
    }
    tell(context, msg::manual_written{.count = commands.size(), .folder = folder_});
    return ExitCode::done;
  }

 private:
  const CLI::App* app_ = nullptr;
  std::string folder_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_manual_command() {
  return std::make_unique<ManualCommand>();
}

}  // namespace qanat
