// espeak-ng as a program that is kept running and asked for phonemes. Never linked: it is GPL.
//
// Not thread-safe: one caller at a time (Phonemizer sees to that).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "text/child_process.h"

namespace qanat {

// The program's own name and version, "eSpeak NG text-to-speech: 1.51".
Result<std::string> read_espeak_version(const std::string& program, Seconds timeout);

// What espeak-ng says of a line.
struct EspeakAnswer {
  std::vector<std::string> clauses;  // one for each of its pauses
  int turns_to_english = 0;          // how often it went over to its English voice
};

class Espeak {
 public:
  // `voice` as espeak-ng names it. The program is started by the first question.
  Espeak(std::string program, std::string voice, Seconds timeout);

  // The IPA of each line. Lines hold words without punctuation, at most kLongestLine bytes; none
  // is empty. A program that does not answer within the timeout is ended, and started again by
  // the next question.
  Result<std::vector<std::string>> phonemes(std::span<const std::string> lines);

  // What it says of each line. Lines may hold anything but line ends, at most kLongestSentence
  // bytes. Otherwise as above; digits of its answer, which are tones, stay.
  Result<std::vector<EspeakAnswer>> clauses(std::span<const std::string> lines);

  static constexpr std::size_t kLongestSentence = 780;  // bytes; it reads at most 800 as a clause
  static constexpr std::size_t kLongestLine = 400;      // bytes; espeak-ng breaks longer ones up

 private:
  Result<Done> start(Clock::time_point deadline);
  Result<std::vector<std::string>> ask(std::span<const std::string> lines,
                                       Clock::time_point deadline);
  Result<std::vector<EspeakAnswer>> ask_clauses(std::span<const std::string> lines,
                                                Clock::time_point deadline);

  std::string program_;
  std::string voice_;
  Seconds timeout_;
  std::optional<ChildProcess> process_;
  std::string end_answer_;  // what the line that closes a question is answered with
};

// IPA as espeak-ng prints it, made plain: language-switch marks "(en)" and digits go, its q1 for
// Persian ق becomes q, spaces are single.
std::string clean_phonemes(std::string_view printed);

// Only the marks go, and spaces are single.
std::string without_language_marks(std::string_view printed);

}  // namespace qanat
