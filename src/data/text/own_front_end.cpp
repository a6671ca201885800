#include "text/own_front_end.h"

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/content_hash.h"
#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/languages.h"

namespace qanat {
namespace {

constexpr int kMaxFailures = 3;                               // in a row
constexpr std::size_t kShownCharacters = 40;                  // of a line, in messages
constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;  // bytes

// Raised whenever these change: hashes of before say nothing then.
constexpr int kProbeVersion = 1;
// Letters, numbers and signs of several scripts. An empty answer to one of them is an answer: no
// front end speaks everything.
constexpr std::array<std::string_view, 10> kProbes = {"a",
                                                      "Hello, world!",
                                                      "12",
                                                      "3.14 %",
                                                      "äöü ß ñ ç",
                                                      "Привет, мир",
                                                      "你好",
                                                      "नमस्ते",
                                                      "سلام دنیا",
                                                      "안녕하세요"};

// Single spaces, none at the ends.
std::string tidy_answer(std::string_view answer) {
  std::string tidy;
  for (const char byte : answer) {
    const bool blank = byte == ' ' || byte == '\t' || byte == '\r';
    if (!blank || (!tidy.empty() && tidy.back() != ' ')) {
      tidy += blank ? ' ' : byte;
    }
  }
  while (tidy.ends_with(' ')) {
    tidy.pop_back();
  }
  return tidy;
}

}  // namespace

OwnFrontEnd::Speaker& OwnFrontEnd::speaker(const LanguageTag& language) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Speaker>& found = speakers_[language];
  if (!found) {
    found = std::make_unique<Speaker>();
  }
  return *found;
}

Result<std::string> OwnFrontEnd::ask(Speaker& with,
                                     const std::string& line,
                                     Seconds timeout) const {
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
  const std::string text = excerpt(line, kShownCharacters);
  const Result<Done> written = with.process->write(line + '\n', deadline);
  Result<std::string> answer =
      written ? with.process->read_line(deadline) : Result<std::string>(written.failure());
  if (!answer) {
    return to_failure(msg::g2p_no_answer{
        .command = config_.command, .reason = reason_of(answer.failure()), .text = text});
  }
  if (first_invalid_utf8(answer.value())) {
    return to_failure(msg::g2p_not_utf8{.command = config_.command, .text = text});
  }
  if (answer.value().size() > kLongestAnswer) {
    return to_failure(msg::g2p_too_long{
        .command = config_.command, .text = text, .bytes = answer.value().size()});
  }
  if (with.process->has_more()) {
    with.process.reset();
    throw MessageError(msg::g2p_several_lines{.command = config_.command, .text = text});
  }
  return tidy_answer(answer.value());
}

Result<Done> OwnFrontEnd::start(Speaker& with, const LanguageTag& language) const {
  // The tag is letters, digits and hyphens: nothing the shell could take for anything else.
  const std::array<std::string, 3> command = {
      "sh", "-c", "export QANAT_LANGUAGE=" + language.text() + "\n" + config_.command};
  Result<ChildProcess> process = ChildProcess::start(command, ChildMessages::shown);
  if (!process) {
    return process.failure();
  }
  with.process = std::move(process).value();
  std::vector<std::string> answers;
  for (const std::string_view probe : kProbes) {
    Result<std::string> answer =
        ask(with, std::string(probe), answers.empty() ? config_.first_timeout : config_.timeout);
    if (!answer) {
      return answer.failure();
    }
    answers.push_back(std::move(answer).value());
  }
  if (!with.probed.empty() && with.probed != answers) {
    with.process.reset();
    throw MessageError(msg::g2p_other_answer{.command = config_.command, .text = kProbes[0]});
  }
  with.probed = std::move(answers);
  return Done{};
}

// A command that has never answered is not waited for again: every row would wait as long.
void OwnFrontEnd::note_failed_start(Speaker& with, const Failure& why) {
  with.process.reset();
  if (with.probed.empty()) {
    with.failures_in_a_row = kMaxFailures;
    with.never_started = why;
    return;
  }
  ++with.failures_in_a_row;
}

Failure OwnFrontEnd::given_up(const Speaker& with) const {
  return with.never_started ? *with.never_started
                            : to_failure(msg::g2p_given_up{.command = config_.command});
}

Result<std::vector<std::string>> OwnFrontEnd::ask_all(Speaker& with,
                                                      std::span<const std::string> lines) const {
  std::vector<std::string> answers;
  for (const std::string& line : lines) {
    Result<std::string> answer = ask(with, line, config_.timeout);
    if (!answer) {
      return answer.failure();
    }
    answers.push_back(std::move(answer).value());
  }
  // A line too many or too few would have moved every answer since: ask for one that is known.
  const Result<std::string> known = ask(with, std::string(kProbes[1]), config_.timeout);
  if (!known) {
    return known.failure();
  }
  if (known.value() != with.probed[1]) {
    with.process.reset();
    throw MessageError(msg::g2p_other_answer{.command = config_.command, .text = kProbes[1]});
  }
  return answers;
}

Result<std::vector<std::string>> OwnFrontEnd::answers(std::span<const std::string> lines,
                                                      const LanguageTag& language) {
  Speaker& with = speaker(language);
  const std::lock_guard lock(with.mutex);
  if (with.failures_in_a_row >= kMaxFailures) {
    return given_up(with);
  }
  if (!with.process) {
    if (const Result<Done> started = start(with, language); !started) {
      note_failed_start(with, started.failure());
      return started.failure();
    }
  }
  Result<std::vector<std::string>> result = ask_all(with, lines);
  with.failures_in_a_row = result ? 0 : with.failures_in_a_row + 1;
  if (!result) {
    with.process.reset();
  }
  return result;
}

Result<std::uint64_t> OwnFrontEnd::probe(const LanguageTag& language) {
  Speaker& with = speaker(language);
  const std::lock_guard lock(with.mutex);
  if (with.probed.empty()) {
    if (with.failures_in_a_row >= kMaxFailures) {
      return given_up(with);
    }
    if (const Result<Done> started = start(with, language); !started) {
      note_failed_start(with, started.failure());
      return started.failure();
    }
  }
  ContentHasher hash;
  hash.add(std::to_string(kProbeVersion));
  for (const std::string& answer : with.probed) {
    hash.add(answer);
  }
  return hash.value();
}

}  // namespace qanat
