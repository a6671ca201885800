#include "cli/manual_page.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

// Text that troff shows as it is: no escapes, hyphens that can be copied, no line that looks like a
// request.
std::string plain(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
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

void write_flag(Out out, const FlagFacts& flag) {
  fmt::format_to(out, ".TP\n\\fB{}\\fR", plain(fmt::to_string(fmt::join(flag.names, ", "))));
  if (!flag.placeholder.empty()) {
    fmt::format_to(out, " \\fI{}\\fR", plain(flag.placeholder));
  }
  fmt::format_to(out, "\n{}\n", plain(flag.help));
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
    fmt::format_to(out, ".SH {}\n", upper(plain(group.empty() ? "Options" : group)));
    for (const FlagFacts& flag : flags) {
      if (flag.group == group) {
        write_flag(out, flag);
      }
    }
  }
}

void write_commands(Out out, const CommandFacts& command, const std::vector<CommandFacts>& all) {
  fmt::format_to(out, ".SH COMMANDS\n");
  for (const CommandFacts& one : all) {
    const bool inside = one.path.size() == command.path.size() + 1 &&
                        std::equal(command.path.begin(), command.path.end(), one.path.begin());
    if (inside) {
      fmt::format_to(out, ".TP\n\\fB{}\\fR(1)\n{}\n", plain(stem_of(one)), plain(one.summary));
    }
  }
}

}  // namespace

std::string manual_page_name(const CommandFacts& command) {
  return stem_of(command) + ".1";
}

std::string manual_page(const CommandFacts& command, const std::vector<CommandFacts>& all) {
  std::string text =
      fmt::format(".TH \"{}\" 1 \"\" \"qanat {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                  upper(stem_of(command)),
                  QANAT_VERSION,
                  plain(stem_of(command)),
                  plain(command.summary));
  const Out out = std::back_inserter(text);
  fmt::format_to(out, ".SH SYNOPSIS\n\\fB{}\\fR", plain(command.name()));
  text += command.subcommands.empty() ? "" : " \\fICOMMAND\\fR";
  for (const FlagFacts& positional : command.positionals) {
    fmt::format_to(out, " \\fI{}\\fR", plain(positional.names.front()));
  }
  text += " [\\fIOPTIONS\\fR]\n";
  if (!command.positionals.empty()) {
    text += ".SH ARGUMENTS\n";
    for (const FlagFacts& positional : command.positionals) {
      write_flag(out, {.names = positional.names, .help = positional.help});
    }
  }
  if (!command.subcommands.empty()) {
    write_commands(out, command, all);
  }
  write_flags(out, command.flags);
  if (!command.footer.empty()) {
    fmt::format_to(out, ".SH NOTES\n.nf\n{}\n.fi\n", plain(command.footer));
  }
  return text;
}

}  // namespace qanat
