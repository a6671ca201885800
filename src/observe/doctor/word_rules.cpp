#include "doctor/word_rules.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "doctor/outliers.h"
#include "evaluate/word_errors.h"
#include "locale/messages/doctor.h"

namespace qanat {
namespace {

// The fewest edits that make `heard` of the words from place i on, for every pair of places.
std::vector<std::vector<std::size_t>> edits_from(const std::vector<std::string>& expected,
                                                 const std::vector<std::string>& heard) {
  const std::size_t rows = expected.size();
  const std::size_t columns = heard.size();
  std::vector<std::vector<std::size_t>> edits(rows + 1, std::vector<std::size_t>(columns + 1));
  for (std::size_t i = rows + 1; i-- > 0;) {
    for (std::size_t j = columns + 1; j-- > 0;) {
      if (i == rows || j == columns) {
        edits[i][j] = rows - i + columns - j;
        continue;
      }
      const std::size_t both = edits[i + 1][j + 1] + (expected[i] == heard[j] ? 0 : 1);
      edits[i][j] = std::min({both, edits[i + 1][j] + 1, edits[i][j + 1] + 1});
    }
  }
  return edits;
}

void add_word(const std::string& word, std::string& text) {
  text += text.empty() ? word : ' ' + word;
}

// Texts and transcripts may write a word together or not: "log in", "login".
double letter_error_rate(const std::vector<std::string>& expected,
                         const std::vector<std::string>& heard) {
  const auto letters_of = [](const std::vector<std::string>& words) {
    std::vector<std::string> letters;
    for (const std::string& word : words) {
      for (const char byte : word) {
        letters.emplace_back(1, byte);
      }
    }
    return letters;
  };
  const WordErrors errors = count_word_errors(letters_of(expected), letters_of(heard));
  return errors.words == 0 ? 1
                           : static_cast<double>(errors.errors) / static_cast<double>(errors.words);
}

HeardWords compared(const Utterance& utterance, std::string text) {
  const std::vector<std::string> expected = spoken_words(utterance.text, utterance.language);
  const std::vector<std::string> heard = spoken_words(text, utterance.language);
  return {.text = std::move(text),
          .difference = word_difference(expected, heard),
          .error_rate = letter_error_rate(expected, heard)};
}

}  // namespace

std::string word_difference(const std::vector<std::string>& expected,
                            const std::vector<std::string>& heard) {
  const std::vector<std::vector<std::size_t>> edits = edits_from(expected, heard);
  std::string text;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < expected.size() || j < heard.size()) {
    const bool both = i < expected.size() && j < heard.size();
    if (both && expected[i] == heard[j] && edits[i][j] == edits[i + 1][j + 1]) {
      add_word(expected[i], text);
      ++i;
      ++j;
    } else if (both && edits[i][j] == edits[i + 1][j + 1] + 1) {
      add_word("-" + expected[i++] + "-", text);
      add_word("{" + heard[j++] + "}", text);
    } else if (i < expected.size() && edits[i][j] == edits[i + 1][j] + 1) {
      add_word("-" + expected[i++] + "-", text);
    } else {
      add_word("{" + heard[j++] + "}", text);
    }
  }
  return text;
}

bool listen(const JudgeCommand& command,
            const ProgressFn& progress,
            const std::stop_token& stop,
            DoctorReport& report) {
  Judge judge(command, JudgeTask::transcribe, stop);
  const std::size_t count = report.manifest.utterances.size();
  report.heard.assign(count, std::nullopt);
  std::size_t refused = 0;
  for (std::uint32_t item = 0; item < count; ++item) {
    if (progress) {
      progress(item, static_cast<std::int64_t>(count));
    }
    if (!report.measures[item] || report.measures[item]->is_silent) {
      continue;
    }
    const Utterance& utterance = report.manifest.utterances[item];
    Result<JudgeAnswer> answer =
        judge.ask({.audio = std::filesystem::absolute(audio_path(report.manifest, utterance)),
                   .language = utterance.language});
    if (stop.stop_requested()) {
      return false;
    }
    if (!answer) {
      ++refused;
      continue;
    }
    report.heard[item] = compared(utterance, answer.value().text.value_or(""));
  }
  if (refused > 0) {
    report.notes.emplace_back(msg::doctor_not_heard{.count = refused});
  }
  return true;
}

void judge_words(DoctorReport& report) {
  if (report.heard.empty()) {
    report.skipped.push_back({.rule = DoctorRuleKind::other_words, .why = msg::doctor_no_asr{}});
    return;
  }
  std::vector<double> rates;
  for (const std::optional<HeardWords>& heard : report.heard) {
    if (heard) {
      rates.push_back(heard->error_rate);
    }
  }
  if (rates.size() < kMinUsual) {
    report.skipped.push_back(
        {.rule = DoctorRuleKind::other_words, .why = msg::doctor_few_clips{.least = kMinUsual}});
    return;
  }
  // A command that mishears half of the set says nothing of one clip.
  constexpr double kUseless = 0.4;
  const Usual usual = usual_of(rates, 0.03);
  if (usual.middle > kUseless) {
    report.skipped.push_back({.rule = DoctorRuleKind::other_words,
                              .why = msg::doctor_deaf_asr{.rate = in_percent(usual.middle)}});
    return;
  }
  constexpr double kDeviations = 5;
  constexpr double kMinRate = 0.3;
  constexpr double kSure = 0.5;
  const double limit = std::max(kMinRate, usual.middle + kDeviations * usual.spread);
  for (std::uint32_t item = 0; item < report.heard.size(); ++item) {
    const std::optional<HeardWords>& heard = report.heard[item];
    if (heard && heard->error_rate > limit) {
      report.findings.push_back({.rule = DoctorRuleKind::other_words,
                                 .item = item,
                                 .strength = heard->error_rate,
                                 .detail = msg::doc019_detail{.rate = in_percent(heard->error_rate),
                                                              .difference = heard->difference},
                                 .action = heard->error_rate > std::max(kSure, limit)
                                               ? ViewAction::drop
                                               : ViewAction::check});
    }
  }
}

}  // namespace qanat
