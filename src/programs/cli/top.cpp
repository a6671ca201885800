#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <vector>

#include <fmt/ostream.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "base/time.h"
#include "cli/commands.h"
#include "cli/dashboard_flags.h"
#include "cli/find_journal.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "cli/terminal_text.h"
#include "cli/top_view.h"
#include "history/run_watch.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "report/run_json.h"
#include "serve/dashboard.h"

namespace qanat {
namespace {

// A terminal taken over for a view that is drawn again and again, and given back as it was.
//
// Plain control sequences, not ncurses: the view is rewritten whole a few times a second, which
// needs three of them, no table of terminals and no state of a library.
//
// Fixture. Keys are read from `input` (STDIN_FILENO) without waiting for a line; signals work as
// ever. The destructor gives the terminal back.
class Screen {
 public:
  Screen(std::ostream& out, int input);
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  // At most as many lines as the terminal has rows. They may hold control sequences: whoever made
  // them took care of what else is in them.
  void draw(const std::vector<std::string>& lines, int rows);
  // A key, or nothing when none came within `pause`.
  std::optional<char> wait_key(Seconds pause);

 private:
  std::ostream& out_;
  const int input_;
  std::optional<termios> before_;  // absent: input is no terminal
};

Screen::Screen(std::ostream& out, int input) : out_(out), input_(input) {
  termios settings{};
  if (::tcgetattr(input_, &settings) == 0) {
    before_ = settings;
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    ::tcsetattr(input_, TCSANOW, &settings);
  }
  out_ << Control{"\x1b[?1049h\x1b[?25l"} << std::flush;  // the other screen, no cursor
}

Screen::~Screen() {
  out_ << Control{"\x1b[?25h\x1b[?1049l"} << std::flush;
  if (before_) {
    ::tcsetattr(input_, TCSANOW, &*before_);
  }
}

void Screen::draw(const std::vector<std::string>& lines, int rows) {
  std::string text = "\x1b[H";
  const auto shown = std::min(lines.size(), static_cast<std::size_t>(std::max(rows, 1)));
  for (std::size_t i = 0; i < shown; ++i) {
    text += lines[i] + "\x1b[K" + (i + 1 < shown ? "\r\n" : "");
  }
  text += "\x1b[J";
  out_ << Control{text} << std::flush;  // one write: nothing flickers
}

std::optional<char> Screen::wait_key(Seconds pause) {
  pollfd key{.fd = before_ ? input_ : -1, .events = POLLIN, .revents = 0};
  const int milliseconds = static_cast<int>(1000 * pause.count());
  if (::poll(&key, 1, milliseconds) <= 0 || (key.revents & POLLIN) == 0) {
    return std::nullopt;
  }
  char pressed = 0;
  return ::read(input_, &pressed, 1) == 1 ? std::optional(pressed) : std::nullopt;
}

// The height of the terminal behind `fd`: asked each time, because windows are resized.
int terminal_rows(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

constexpr Seconds kRedraw{0.5};
constexpr Seconds kTopLogEvery{10};
constexpr Seconds kLook{0.25};  // how long a request to stop may go unseen

class TopCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.argument("JOURNAL", journal_, msg::help_journal{})->required();
    flags.on("--once", once_, msg::help_top_once{});
    report_.declare_json(flags, msg::help_top_json{});
    flags.on("--web", web_, msg::help_top_web{});
    dashboard_.declare(flags);
    flags.footer(msg::footer_top{}, {"qanat top checkpoints", "qanat top --web checkpoints"});
  }

  ExitCode run(const CommandContext& context) override {
    if (web_ || dashboard_.wanted()) {
      return show_in_browsers(context);
    }
    RunWatch watch(find_journal(journal_));
    read_first(watch, context);
    if (report_.json()) {
      context.out << to_json(watch.snapshot(), watch.diagnosis()).dump(2) << '\n';
      return ExitCode::done;
    }
    const Terminal terminal = detect_terminal(STDOUT_FILENO);
    if (once_) {
      print(context.out, watch, terminal);
    } else if (terminal.interactive) {
      follow_on_screen(context, watch);
    } else {
      follow_in_lines(context, watch);
    }
    return ExitCode::done;
  }

 private:
  ExitCode show_in_browsers(const CommandContext& context) const {
    const std::filesystem::path journal = find_journal(journal_);
    bool more = false;
    RunWatch watch(journal);
    update(watch, more);  // says what is wrong with the journal before a page waits for it
    const auto page = dashboard_.start(journal, report_.words(), context.err);
    wait_for_stop(context.stop);
    return ExitCode::done;
  }

  static void wait_for_stop(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      wait(stop);
    }
  }

  static void update(RunWatch& watch, bool& more) {
    const auto progress = watch.update();
    if (!progress) {
      throw Error(progress.failure());
    }
    more = progress.value().more;
  }

  // What the journal holds so far.
  static void read_all(RunWatch& watch, const std::stop_token& stop) {
    for (bool more = true; more && !stop.stop_requested();) {
      update(watch, more);
    }
  }

  // The same before anything is shown: a long run's journal takes a while.
  static void read_first(RunWatch& watch, const CommandContext& context) {
    ProgressLine reading(context, msg::progress_reading_journal{}, msg::progress_steps{});
    for (bool more = true; more && !context.stop.stop_requested();) {
      update(watch, more);
      reading.update(watch.snapshot().steps, watch.snapshot().last_step.value_or(0));
    }
  }

  TopState state(RunWatch& watch) const {
    return {.journal = watch.path(),
            .run = watch.snapshot(),
            .record = watch.record(),
            .diagnosis = watch.diagnosis(),
            .words = report_.words(),
            .problem = watch.problem()};
  }

  void print(std::ostream& out, RunWatch& watch, Terminal terminal) const {
    terminal.color = false;
    for (const std::string& line : render_top(state(watch), terminal)) {
      out << line << '\n';
    }
  }

  void follow_on_screen(const CommandContext& context, RunWatch& watch) const {
    Screen screen(context.out, STDIN_FILENO);
    while (!context.stop.stop_requested()) {
      read_all(watch, context.stop);
      const Terminal terminal = detect_terminal(STDOUT_FILENO);  // each time: windows are resized
      const int rows = terminal_rows(STDOUT_FILENO);
      screen.draw(render_top(state(watch), terminal, rows), rows);
      const std::optional<char> key = screen.wait_key(kRedraw);
      if (key == 'q' || key == 'Q') {
        return;
      }
    }
  }

  void follow_in_lines(const CommandContext& context, RunWatch& watch) const {
    std::optional<Clock::time_point> said;
    while (!context.stop.stop_requested()) {
      read_all(watch, context.stop);
      const bool ended = watch.snapshot().ending.has_value();
      if (ended || !said || seconds_since(*said) >= kTopLogEvery) {
        said = Clock::now();
        context.out << render_top_line(state(watch)) << '\n' << std::flush;
      }
      if (ended) {
        return;
      }
      wait(context.stop);
    }
  }

  static void wait(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    (void)stopped.wait_for(lock, stop, kLook, [] { return false; });
  }

  std::string journal_;
  DashboardFlags dashboard_;
  bool web_ = false;
  bool once_ = false;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_top_command() {
  return std::make_unique<TopCommand>();
}

}  // namespace qanat
