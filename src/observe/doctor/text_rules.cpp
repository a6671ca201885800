#include "doctor/text_rules.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/utf8.h"
#include "dataset/script.h"
#include "dataset/sound_findings.h"
#include "doctor/outliers.h"
#include "evaluate/word_errors.h"
#include "locale/messages/doctor.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += text.empty() ? word : ' ' + word;
  }
  return text;
}

// Spoken form, small letters, no punctuation: what two texts are compared by.
std::vector<std::string> plain_texts(const Manifest& manifest) {
  std::vector<std::string> texts;
  for (const Utterance& utterance : manifest.utterances) {
    texts.push_back(joined(spoken_words(utterance.text, utterance.language)));
  }
  return texts;
}

bool is_measured(const DoctorReport& report, std::uint32_t item) {
  return report.measures[item] && !report.measures[item]->is_silent;
}

// Characters a second of sound, against texts that are about as long.
void judge_pace(const std::vector<std::uint32_t>& items,
                const std::vector<std::string>& texts,
                DoctorReport& report) {
  constexpr std::size_t kNeighbors = 40;
  constexpr double kDeviations = 4;
  const double least_factor = std::log(1.45);
  std::vector<double> logs;
  std::vector<double> lengths;
  for (const std::uint32_t item : items) {
    const auto characters = static_cast<double>(num_code_points(texts[item]) + 1);
    const double seconds = std::max(report.measures[item]->sounding.count(), 0.05);
    logs.push_back(std::log(characters / seconds));
    lengths.push_back(characters);
  }
  const std::vector<Usual> usual = usual_by_place(logs, lengths, kNeighbors, 0.05);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double pace = std::exp(logs[i]);
    const double distance = std::abs(usual[i].distance(logs[i]));
    const bool is_far =
        distance > kDeviations && std::abs(logs[i] - usual[i].middle) > least_factor;
    if (is_far || is_impossible_pace(pace)) {
      report.findings.push_back(
          {.rule = DoctorRuleKind::pace,
           .item = items[i],
           .strength = distance,
           .detail = msg::doc016_detail{.pace = plain(pace, 1),
                                        .usual = plain(std::exp(usual[i].middle), 1)},
           .action = is_impossible_pace(pace) || distance > 2 * kDeviations ? ViewAction::drop
                                                                            : ViewAction::check});
    }
  }
}

// Languages write the same speech with different numbers of characters.
void judge_paces(const std::vector<std::string>& texts, DoctorReport& report) {
  std::map<LanguageTag, std::vector<std::uint32_t>> languages;
  for (std::uint32_t item = 0; item < texts.size(); ++item) {
    if (is_measured(report, item) && !texts[item].empty()) {
      languages[report.manifest.utterances[item].language].push_back(item);
    }
  }
  bool has_judged = false;
  for (const auto& [language, items] : languages) {
    if (items.size() >= kMinUsual) {
      judge_pace(items, texts, report);
      has_judged = true;
    }
  }
  if (!has_judged) {
    report.skipped.push_back(
        {.rule = DoctorRuleKind::pace, .why = msg::doctor_few_clips{.least = kMinUsual}});
  }
}

// How often three letters follow each other, in all texts but one.
class LetterModel {
 public:
  void add(std::u32string_view text, int times) {
    for_each(text, [&](std::uint64_t context, std::uint64_t letters) {
      contexts_[context] += times;
      triples_[letters] += times;
    });
  }

  // Mean of the logarithm of how likely each letter is after the two before it.
  double score(std::u32string_view text) const {
    double sum = 0;
    int count = 0;
    for_each(text, [&](std::uint64_t context, std::uint64_t letters) {
      const auto seen = contexts_.find(context);
      const auto triple = triples_.find(letters);
      constexpr double kUnseen = 0.02;
      constexpr double kWeight = 2;
      const double total = seen == contexts_.end() ? 0 : seen->second;
      const double times = triple == triples_.end() ? 0 : triple->second;
      sum += std::log((times + kWeight * kUnseen) / (total + kWeight));
      ++count;
    });
    return count == 0 ? 0 : sum / count;
  }

 private:
  static void for_each(std::u32string_view text, auto&& visit) {
    std::uint64_t before = U' ';
    std::uint64_t last = U' ';
    for (const char32_t letter : text) {
      const std::uint64_t context = before << 21 | last;
      visit(context, context << 21 | letter);
      before = last;
      last = letter;
    }
  }

  std::unordered_map<std::uint64_t, double> contexts_;
  std::unordered_map<std::uint64_t, double> triples_;
};

std::string_view usual_script(const DoctorReport& report) {
  std::map<std::string_view, std::size_t> scripts;
  for (const Utterance& utterance : report.manifest.utterances) {
    ++scripts[script_of(utterance.text).name];
  }
  constexpr double kNearlyAll = 0.8;
  for (const auto& [name, count] : scripts) {
    if (static_cast<double>(count) >
        kNearlyAll * static_cast<double>(report.manifest.utterances.size())) {
      return name;
    }
  }
  return {};
}

// Texts of another script than nearly all; of the rest those whose letters follow each other as in
// no other text of the set.
void judge_language(const std::vector<std::string>& texts, DoctorReport& report) {
  const std::string_view usual = usual_script(report);
  if (usual.empty() || texts.size() < kMinUsual) {
    report.skipped.push_back({.rule = DoctorRuleKind::other_language,
                              .why = texts.size() < kMinUsual
                                         ? Message(msg::doctor_few_clips{.least = kMinUsual})
                                         : msg::doctor_several_scripts{}});
    return;
  }
  std::vector<std::uint32_t> items;
  std::vector<std::u32string> letters;
  LetterModel model;
  for (std::uint32_t item = 0; item < texts.size(); ++item) {
    const std::string_view script = script_of(report.manifest.utterances[item].text).name;
    if (script != usual) {
      report.findings.push_back({.rule = DoctorRuleKind::other_language,
                                 .item = item,
                                 .strength = 100,
                                 .detail = msg::doc017_script{.script = script, .usual = usual},
                                 .action = ViewAction::drop});
      continue;
    }
    items.push_back(item);
    letters.push_back(decode_utf8(texts[item]));
    model.add(letters.back(), 1);
  }
  std::vector<double> scores;
  std::vector<double> lengths;
  for (const std::u32string& text : letters) {
    model.add(text, -1);
    scores.push_back(model.score(text));
    lengths.push_back(static_cast<double>(text.size()));
    model.add(text, 1);
  }
  if (scores.size() < kMinUsual) {
    return;
  }
  constexpr std::size_t kNeighbors = 60;
  constexpr std::size_t kShortest = 8;  // letters of which a language can be told
  constexpr double kDeviations = 4;
  constexpr double kMinStep = 1.0;
  const std::vector<Usual> around = usual_by_place(scores, lengths, kNeighbors, 0.1);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double distance = -around[i].distance(scores[i]);
    if (letters[i].size() >= kShortest && distance > kDeviations &&
        around[i].middle - scores[i] > kMinStep) {
      report.findings.push_back(
          {.rule = DoctorRuleKind::other_language,
           .item = items[i],
           .strength = distance,
           .detail = msg::doc017_letters{.ratio = times(std::exp(around[i].middle - scores[i]), 1)},
           .action = ViewAction::check});
    }
  }
}

void judge_same_text(const std::vector<std::string>& texts, DoctorReport& report) {
  constexpr std::size_t kShortest = 12;  // letters: shorter ones are said often
  std::unordered_map<std::string_view, std::uint32_t> first;
  for (std::uint32_t item = 0; item < texts.size(); ++item) {
    if (num_code_points(texts[item]) < kShortest) {
      continue;
    }
    const auto [place, is_new] = first.emplace(texts[item], item);
    if (!is_new) {
      report.findings.push_back(
          {.rule = DoctorRuleKind::same_text,
           .item = item,
           .strength = static_cast<double>(num_code_points(texts[item])),
           .detail = msg::doc015_detail{.other = report.manifest.utterances[place->second].id},
           .action = ViewAction::check});
    }
  }
}

MessageArg::List letters_that_are_rare(const DoctorReport& report, const std::string& alphabet) {
  constexpr std::int64_t kRare = 5;
  std::map<char32_t, std::int64_t> counts;
  for (const char32_t letter : decode_utf8(alphabet)) {
    counts[letter] = 0;
  }
  for (const Utterance& utterance : report.manifest.utterances) {
    for (const char32_t letter :
         decode_utf8(joined(spoken_words(utterance.text, utterance.language)))) {
      if (const auto found = counts.find(letter); found != counts.end()) {
        ++found->second;
      }
    }
  }
  MessageArg::List rare;
  for (const auto& [letter, count] : counts) {
    if (count < kRare) {
      rare.emplace_back(msg::doctor_rare_letter{.letter = encode_utf8(std::u32string(1, letter)),
                                                .count = count});
    }
  }
  return rare;
}

std::string alphabet_of(const LanguageTag& language) {
  if (language == Language::en) {
    return "abcdefghijklmnopqrstuvwxyz";
  }
  return language == Language::fa ? "ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی" : "";
}

}  // namespace

void judge_text(DoctorReport& report) {
  const std::vector<std::string> texts = plain_texts(report.manifest);
  judge_same_text(texts, report);
  judge_paces(texts, report);
  judge_language(texts, report);
}

std::vector<MessageArg> missing_from(const DoctorReport& report) {
  std::vector<MessageArg> missing;
  constexpr double kFewMinutes = 15;
  const double minutes = report.good.duration.count() / 60;
  if (minutes < kFewMinutes) {
    missing.emplace_back(
        msg::doctor_little{.minutes = plain(minutes, 1), .wanted = plain(kFewMinutes, 0)});
  }
  constexpr double kLong = 6;
  constexpr double kFewLong = 0.02;
  double of_long = 0;
  for (const Seconds length : report.lengths) {
    of_long += length.count() > kLong ? 1 : 0;
  }
  if (!report.lengths.empty() && of_long < kFewLong * static_cast<double>(report.lengths.size())) {
    missing.emplace_back(msg::doctor_few_long{.count = static_cast<std::int64_t>(of_long),
                                              .seconds = plain(kLong, 0)});
  }
  std::map<LanguageTag, std::size_t> languages;
  for (const Utterance& utterance : report.manifest.utterances) {
    ++languages[utterance.language];
  }
  for (const auto& [language, count] : languages) {
    const std::string alphabet = alphabet_of(language);
    if (alphabet.empty() || count < kMinUsual) {
      continue;
    }
    if (MessageArg::List rare = letters_that_are_rare(report, alphabet); !rare.empty()) {
      missing.emplace_back(
          msg::doctor_rare_letters{.language = language.text(), .letters = std::move(rare)});
    }
  }
  return missing;
}

}  // namespace qanat
