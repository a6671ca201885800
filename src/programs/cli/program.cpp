#include "cli/program.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "base/thread.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/flags.h"
#include "cli/help_formatter.h"
#include "cli/report_flags.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "cli/terminal_text.h"
#include "cli/torch_part.h"
#include "config/problem.h"
#include "device/device_lost.h"
#include "locale/message_error.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/configuration.h"
#include "locale/messages/help.h"

namespace qanat {
namespace {

// SIGINT, SIGTERM and SIGHUP as a stop token.
//
// Fixture, made first thing in main, before any other thread: blocks these signals in the calling
// thread (later threads inherit that) and waits for them in a thread of its own. The first signal
// requests stop; a second SIGINT or SIGTERM ends the process at once, for users who mean it. A
// second SIGHUP does not: terminals and parents that end send several. The destructor returns at
// once.
class SignalStop {
 public:
  SignalStop();
  SignalStop(const SignalStop&) = delete;
  SignalStop& operator=(const SignalStop&) = delete;
  ~SignalStop();

  std::stop_token token() const { return source_.get_token(); }
  // 0 when none came.
  int signal() const { return signal_.load(); }

 private:
  void wait_for_signals(const std::stop_token& end);

  std::stop_source source_;
  std::atomic<int> signal_ = 0;
  std::jthread thread_;  // last: uses the fields above
};

// A program that was started with nohup is meant to survive its terminal.
bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// SIGUSR1 is how the destructor wakes the waiting thread.
sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (!is_ignored(SIGHUP)) {
    sigaddset(&set, SIGHUP);
  }
  sigaddset(&set, SIGUSR1);
  return set;
}

SignalStop::SignalStop() {
  const sigset_t set = awaited_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = start_thread("signals", [this](const std::stop_token& end) { wait_for_signals(end); });
}

SignalStop::~SignalStop() {
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), SIGUSR1);
}

void SignalStop::wait_for_signals(const std::stop_token& end) {
  const sigset_t set = awaited_signals();
  while (!end.stop_requested()) {
    int number = 0;
    if (sigwait(&set, &number) != 0 || number == SIGUSR1) {
      continue;
    }
    int none = 0;
    if (signal_.compare_exchange_strong(none, number)) {
      source_.request_stop();
    } else if (number != SIGHUP) {
      ::_exit(128 + number);
    }
  }
}

struct Registered {
  CLI::App* app = nullptr;
  std::unique_ptr<Command> command;
};

MessageId group_summary(std::string_view group) {
  return group == "config" ? msg::summary_config::id
         : group == "data" ? msg::summary_data::id
                           : msg::summary_profile::id;
}

// The program as its commands are put into it.
class ProgramBuilder {
 public:
  ProgramBuilder(CLI::App& root, Translator words) : root_(root), words_(words) {
    root_.require_subcommand(1);
    root_.option_defaults()->group(words_.tr(msg::help_options{}));
    root_.set_help_flag("-h,--help", words_.tr(msg::help_help{}));
    root_.set_version_flag("--version", QANAT_VERSION, words_.tr(msg::help_version{}));
    root_.formatter(std::make_shared<HelpFormatter>(detect_terminal(STDOUT_FILENO).width, words_));
  }

  // Those of the other program are named for --help, where there is one.
  std::vector<Registered> add(const std::vector<CommandEntry>& commands) {
    std::vector<Registered> registered;
    const bool lists_torch = has_torch_part();
    for (const CommandEntry& entry : commands) {
      if (entry.make == nullptr && !lists_torch) {
        continue;
      }
      CLI::App* app = subcommand(entry);
      if (entry.make == nullptr) {
        continue;
      }
      Registered one{.app = app, .command = entry.make()};
      Flags flags(*app, words_);
      one.command->declare(flags);
      add_language(*app);
      registered.push_back(std::move(one));
    }
    add_language(root_);
    root_.footer(footer());  // last: commands would inherit it
    return registered;
  }

 private:
  CLI::App* add_command(CLI::App& parent, const std::string& name, MessageId summary) {
    CLI::App* app = parent.add_subcommand(name, words_.tr(Message{summary}))
                        ->group(words_.tr(msg::help_commands{}));
    app->get_help_ptr()->group(words_.tr(msg::help_options{}));
    return app;
  }

  CLI::App* subcommand(const CommandEntry& entry) {
    const std::string path(entry.path);
    const std::size_t space = path.find(' ');
    if (space == std::string::npos) {
      return add_command(root_, path, entry.summary);
    }
    const std::string group = path.substr(0, space);
    const auto named = [&](CLI::App* app) { return app->get_name() == group; };
    const std::vector<CLI::App*> found = root_.get_subcommands(named);
    CLI::App* parent = found.empty() ? nullptr : found.front();
    if (parent == nullptr) {
      parent = add_command(root_, group, group_summary(group));
      parent->require_subcommand(1);
      add_language(*parent);
    }
    return add_command(*parent, path.substr(space + 1), entry.summary);
  }

  // Its value was read before: asked_language().
  void add_language(CLI::App& app) {
    Flags flags(app, words_);
    flags.choice("--lang", language_code_, "LANGUAGE", {"en", "fa"}, msg::help_lang{});
  }

  std::string footer() const {
    std::string text =
        fmt::format("{}\n\n{}:\n", words_.tr(msg::help_more{}), words_.tr(msg::help_exit_codes{}));
    for (const auto& [code, meaning] : exit_codes()) {
      text += fmt::format("  {:<8} {}\n", code, words_.tr(Message{meaning}));
    }
    return text;
  }

  CLI::App& root_;
  const Translator words_;
  std::string language_code_;
};

int print_error(std::string_view what, ExitCode code) {
  std::cerr << "qanat: " << what << '\n';
  return static_cast<int>(code);
}

// --help and --version are results; everything else went wrong and goes to stderr.
int answer_parse_error(const CLI::App& root,
                       const CLI::ParseError& error,
                       const Translator& words) {
  if (error.get_exit_code() == 0) {
    return root.exit(error, std::cout, std::cerr);
  }
  const CLI::App& reached = reached_command(root);
  const bool is_group = !reached.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (is_group && root.remaining(true).empty()) {
    const CLI::App* parent = reached.get_parent();
    std::cerr << reached.help(parent == nullptr ? "" : command_path(*parent));
  } else {
    return print_error(words.tr(explain_usage_error(root, error)), ExitCode::usage);
  }
  return static_cast<int>(ExitCode::usage);
}

int parse_and_run(const std::vector<CommandEntry>& commands,
                  int argc,
                  char** argv,
                  const Translator& words) {
  const SignalStop signals;
  CLI::App root(words.tr(msg::help_program{}), "qanat");
  ProgramBuilder builder(root, words);
  const std::vector<Registered> registered = builder.add(commands);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return answer_parse_error(root, error, words);
  }
  for (const Registered& one : registered) {
    if (one.app->parsed()) {
      const ExitCode code = one.command->run(
          {.stop = signals.token(), .out = std::cout, .err = std::cerr, .words = words});
      return signals.signal() != 0 ? 128 + signals.signal() : static_cast<int>(code);
    }
  }
  return static_cast<int>(ExitCode::usage);
}

// Problems stand at the beginning of their lines, where editors look for file:line.
int print_config_error(const ConfigError& error, const Translator& words) {
  for (const Problem& problem : error.problems()) {
    std::cerr << to_string(problem, words) << '\n';
  }
  return print_error(words.tr(msg::problem_count{.count = error.problems().size()}),
                     ExitCode::usage);
}

int run_guarded(const std::vector<CommandEntry>& commands,
                int argc,
                char** argv,
                const Translator& words) {
  try {
    if (needs_torch_part(commands, argc, argv)) {
      become_torch_part(argv);
    }
    return parse_and_run(commands, argc, argv, words);
  } catch (const ConfigError& error) {
    return print_config_error(error, words);
  } catch (const UsageError& error) {
    return print_error(words.tr(error.message()), ExitCode::usage);
  } catch (const DeviceLost& error) {
    return print_error(words.said(reason_of(error)), ExitCode::hardware_fault);
  } catch (const std::bad_alloc&) {
    return print_error(words.tr(msg::error_out_of_memory{}), ExitCode::failed);
  } catch (const std::exception& error) {
    return print_error(words.said(reason_of(error)), ExitCode::failed);
  }
}

// `qanat help train` is `qanat train --help`. What is no command stays without the flag, which
// would be answered before anybody looks. Ends with a null, as arguments do.
std::vector<char*> with_help_flag(const std::vector<CommandEntry>& commands,
                                  std::span<char* const> arguments,
                                  std::string& flag) {
  std::vector<char*> words(arguments.begin(), arguments.end());
  std::size_t first = 1;
  while (first + 1 < words.size() && std::string_view(words[first]) == "--lang") {
    first += 2;
  }
  if (first < words.size() && std::string_view(words[first]) == "help") {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(first));
    const auto is_asked = [&](const CommandEntry& command) {
      return command.path.substr(0, command.path.find(' ')) == words[first];
    };
    const bool is_known = first == words.size() || std::ranges::any_of(commands, is_asked);
    if (is_known) {
      words.push_back(flag.data());
    }
  }
  words.push_back(nullptr);
  return words;
}

}  // namespace

Translator asked_words(int argc, const char* const* argv) {
  return Translator(report_language(asked_language({argv, static_cast<std::size_t>(argc)})));
}

int run_program(const std::vector<CommandEntry>& commands, int argc, char** argv) {
  const HarmlessStream out(std::cout);
  const HarmlessStream err(std::cerr);
  const Translator words = asked_words(argc, argv);
  std::string help = "--help";
  std::vector<char*> arguments =
      with_help_flag(commands, {argv, static_cast<std::size_t>(argc)}, help);
  const int code =
      run_guarded(commands, static_cast<int>(arguments.size()) - 1, arguments.data(), words);
  if (!std::cout.flush()) {
    // A result that did not arrive is no result: disk full, closed stdout.
    return print_error(words.tr(msg::error_stdout{.reason = system_reason(errno)}),
                       ExitCode::failed);
  }
  return code;
}

}  // namespace qanat
