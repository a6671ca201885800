// eSpeak NG as the voice of the demo corpus: one short-lived process per line, since the state
// eSpeak NG keeps from the line before changes how the next one sounds.
#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/result.h"
#include "corpus/demo_corpus_text.h"
#include "corpus/demo_corpus_voice.h"
#include "locale/message_error.h"
#include "locale/messages/demo.h"
#include "text/child_process.h"

namespace qanat {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kPatience{60};
// The settings that speak about as fast as speaking_time() assumes.
constexpr double kEnglishWordsPerMinute = 138;
constexpr double kPersianWordsPerMinute = 205;

// Men and women by turns.
constexpr std::array<std::string_view, 8> kVariants = {
    "m3", "f2", "m1", "f4", "m7", "f3", "m4", "f1"};

int digit_value(char digit) {
  return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

std::vector<std::int16_t> to_samples(std::string_view hex) {
  std::vector<std::int16_t> samples(hex.size() / 4);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    int bits = 0;
    for (const char digit : hex.substr(4 * i, 4)) {
      bits = bits * 16 + digit_value(digit);
    }
    samples[i] = static_cast<std::int16_t>(bits);
  }
  return samples;
}

std::vector<TimedLabel> to_labels(const json& list) {
  std::vector<TimedLabel> labels;
  for (const json& item : list) {
    labels.push_back({.label = item.at(0), .start = item.at(1)});
  }
  return labels;
}

Result<json> read_answer(ChildProcess& program) {
  const Result<std::string> line = program.read_line(Clock::now() + kPatience);
  if (!line) {
    return line.failure();
  }
  json answer = json::parse(line.value(), nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) {
    return to_failure(msg::demo_espeak_no_json{});
  }
  if (answer.contains("error")) {
    return Failure{answer.at("error").get<std::string>()};
  }
  return answer;
}

class EspeakVoice : public DemoVoice {
 public:
  EspeakVoice(std::filesystem::path program, std::string name)
      : program_(std::move(program)), name_(std::move(name)) {}

  std::string name() const override { return name_; }

  SpokenLine speak(const DemoLine& line) const override {
    Result<SpokenLine> spoken = try_to_speak(line);
    if (!spoken) {
      // Ctrl-C in the terminal also reaches a program that has just started and is not in its own
      // process group yet. That is no failure of the voice: the corpus is stopped elsewhere.
      spoken = try_to_speak(line);
    }
    if (!spoken) {
      throw MessageError(
          msg::demo_espeak_failed{.line = line.id, .reason = reason_of(spoken.failure())});
    }
    return std::move(spoken).value();
  }

 private:
  Result<SpokenLine> try_to_speak(const DemoLine& line) const {
    const std::string voice =
        fmt::format("{}+{}",
                    line.language == Language::en ? "en-us" : "fa",
                    kVariants.at(static_cast<std::size_t>(line.voice) % kVariants.size()));
    const double haste = speaking_time(line.text) / line.target;
    const double speed =
        (line.language == Language::en ? kEnglishWordsPerMinute : kPersianWordsPerMinute) *
        std::clamp(haste, 0.8, 1.3);
    const std::array<std::string, 6> command = {
        program_.string(), "speak", voice, fmt::format("{:.0f}", speed), "50", line.normalised};
    Result<ChildProcess> program = ChildProcess::start(command);
    if (!program) {
      return program.failure();
    }
    const Result<json> times = read_answer(program.value());
    if (!times) {
      return times.failure();
    }
    const Result<std::string> samples = program.value().read_line(Clock::now() + kPatience);
    if (!samples) {
      return samples.failure();
    }
    return SpokenLine{.samples = to_samples(samples.value()),
                      .phones = to_labels(times.value().at("phones")),
                      .words = to_labels(times.value().at("words"))};
  }

  std::filesystem::path program_;
  std::string name_;
};

}  // namespace

std::unique_ptr<DemoVoice> make_espeak_voice(const std::filesystem::path& program) {
  Result<ChildProcess> started =
      ChildProcess::start(std::array<std::string, 2>{program.string(), "version"});
  if (!started) {
    return nullptr;
  }
  const Result<json> answer = read_answer(started.value());
  if (!answer) {
    return nullptr;
  }
  return std::make_unique<EspeakVoice>(
      program, "espeak-ng " + answer.value().value("version", std::string("unknown")));
}

}  // namespace qanat
