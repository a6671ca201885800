#include "text/espeak.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <utility>

#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/languages.h"
#include "text/characters.h"

namespace qanat {
namespace {

// Not a word anyone writes. Its answer tells where the answers to a question end, however many
// lines espeak-ng makes of one.
constexpr std::string_view kEndOfQuestion = "zqvx kjqz";

constexpr std::size_t kLinesAtOnce = 16;  // both directions fit the socket's buffers

Clock::time_point deadline_after(Seconds timeout) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
}

int count_turns_to_english(std::string_view printed) {
  constexpr std::string_view kTurn = "(en";  // (en), (en-us)
  int turns = 0;
  for (std::size_t at = printed.find(kTurn); at != std::string_view::npos;
       at = printed.find(kTurn, at + 1)) {
    ++turns;
  }
  return turns;
}

std::string joined(std::span<const std::string> lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += text.empty() ? "" : " ";
    text += line;
  }
  return text;
}

}  // namespace

Result<std::string> read_espeak_version(const std::string& program, Seconds timeout) {
  const std::array<std::string, 2> command = {program, "--version"};
  Result<ChildProcess> process = ChildProcess::start(command);
  if (!process) {
    return process.failure();
  }
  Result<std::string> line = process.value().read_line(deadline_after(timeout));
  if (!line) {
    return to_failure(msg::set_refused{.file = program, .why = reason_of(line.failure())});
  }
  return line.value().substr(0, line.value().find("  Data at"));  // the folder says nothing
}

Espeak::Espeak(std::string program, std::string voice, Seconds timeout)
    : program_(std::move(program)), voice_(std::move(voice)), timeout_(timeout) {}

Result<Done> Espeak::start(Clock::time_point deadline) {
  const std::array<std::string, 7> command = {program_, "-q", "--ipa", "-b", "1", "-v", voice_};
  Result<ChildProcess> process = ChildProcess::start(command);
  if (!process) {
    return process.failure();
  }
  process_ = std::move(process).value();
  if (Result<Done> written = process_->write(std::string(kEndOfQuestion) + '\n', deadline);
      !written) {
    return written;
  }
  Result<std::string> answer = process_->read_line(deadline);
  if (!answer) {
    return answer.failure();
  }
  end_answer_ = std::move(answer).value();
  return Done{};
}

Result<std::vector<std::string>> Espeak::ask(std::span<const std::string> lines,
                                             Clock::time_point deadline) {
  if (!process_) {
    if (const Result<Done> started = start(deadline); !started) {
      return started.failure();
    }
  }
  std::string question;
  for (const std::string& line : lines) {
    question += line + '\n';
  }
  question += std::string(kEndOfQuestion) + '\n';
  if (const Result<Done> written = process_->write(question, deadline); !written) {
    return written.failure();
  }
  std::vector<std::string> answers;
  for (;;) {
    Result<std::string> answer = process_->read_line(deadline);
    if (!answer) {
      return answer.failure();
    }
    if (answers.size() >= lines.size() && answer.value() == end_answer_) {
      return answers;
    }
    answers.push_back(std::move(answer).value());
  }
}

Result<std::vector<std::string>> Espeak::phonemes(std::span<const std::string> lines) {
  const Clock::time_point deadline = deadline_after(timeout_);
  std::vector<std::string> result;
  while (!lines.empty()) {
    std::span<const std::string> some = lines.first(std::min(lines.size(), kLinesAtOnce));
    Result<std::vector<std::string>> answers = ask(some, deadline);
    if (answers && answers.value().size() != some.size()) {
      some = some.first(1);  // one of them was broken up; find out which, one by one
      answers = ask(some, deadline);
    }
    if (!answers) {
      process_.reset();
      return to_failure(msg::espeak_asked_for{
          .program = program_, .reason = reason_of(answers.failure()), .text = some[0]});
    }
    if (some.size() == 1) {
      answers = std::vector<std::string>{joined(answers.value())};
    }
    for (const std::string& answer : answers.value()) {
      result.push_back(clean_phonemes(answer));
    }
    lines = lines.subspan(some.size());
  }
  return result;
}

Result<std::vector<EspeakAnswer>> Espeak::ask_clauses(std::span<const std::string> lines,
                                                      Clock::time_point deadline) {
  if (!process_) {
    if (const Result<Done> started = start(deadline); !started) {
      return started.failure();
    }
  }
  std::string question;
  for (const std::string& line : lines) {
    question += line + '\n' + std::string(kEndOfQuestion) + '\n';
  }
  if (const Result<Done> written = process_->write(question, deadline); !written) {
    return written.failure();
  }
  std::vector<EspeakAnswer> said(1);
  while (said.size() <= lines.size()) {
    Result<std::string> answer = process_->read_line(deadline);
    if (!answer) {
      return answer.failure();
    }
    if (answer.value() == end_answer_) {
      said.emplace_back();
      continue;
    }
    said.back().turns_to_english += count_turns_to_english(answer.value());
    if (std::string clause = without_language_marks(answer.value()); !clause.empty()) {
      said.back().clauses.push_back(std::move(clause));
    }
  }
  said.pop_back();
  return said;
}

Result<std::vector<EspeakAnswer>> Espeak::clauses(std::span<const std::string> lines) {
  std::vector<EspeakAnswer> all;
  while (!lines.empty()) {
    const Clock::time_point deadline = deadline_after(timeout_);
    const std::span<const std::string> some = lines.first(std::min(lines.size(), kLinesAtOnce));
    Result<std::vector<EspeakAnswer>> said = ask_clauses(some, deadline);
    if (!said) {
      process_.reset();
      return to_failure(msg::espeak_asked_for{
          .program = program_, .reason = reason_of(said.failure()), .text = some[0]});
    }
    std::ranges::move(said.value(), std::back_inserter(all));
    lines = lines.subspan(some.size());
  }
  return all;
}

std::string without_language_marks(std::string_view printed) {
  std::string clean;
  bool in_mark = false;
  for (const char byte : printed) {
    in_mark = byte == '(' || (in_mark && byte != ')');
    if (in_mark || byte == ')' || (byte == ' ' && (clean.empty() || clean.back() == ' '))) {
      continue;
    }
    clean += byte;
  }
  while (clean.ends_with(' ')) {
    clean.pop_back();
  }
  return clean;
}

std::string clean_phonemes(std::string_view printed) {
  std::string clean;
  bool in_mark = false;
  for (const char byte : printed) {
    if (byte == '(') {
      in_mark = true;
    } else if (byte == ')') {
      in_mark = false;
    } else if (!in_mark && !is_ascii_digit(byte)) {
      const bool second_space = byte == ' ' && (clean.empty() || clean.back() == ' ');
      clean += second_space ? std::string_view{} : std::string_view(&byte, 1);
    }
  }
  while (clean.ends_with(' ')) {
    clean.pop_back();
  }
  return clean;
}

}  // namespace qanat
