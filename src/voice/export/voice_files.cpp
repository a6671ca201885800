#include "export/voice_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace qanat {
namespace {

constexpr const char* kPad = "_";
constexpr const char* kBegin = "^";
constexpr const char* kEnd = "$";

std::string one_utf8(char32_t code_point) {
  return encode_utf8({&code_point, 1});
}

// espeak-ng's voice; Piper wants one even where text is not phonemised.
std::string espeak_voice(const LanguageTag& language) {
  return language == Language::en ? "en-us" : language.text();
}

std::string english_name(const LanguageTag& language) {
  return language == Language::en   ? "English"
         : language == Language::fa ? "Persian"
                                    : language.text();
}

nlohmann::ordered_json language_json(const LanguageTag& language) {
  if (!language.reader()) {
    std::string code = language.text();
    std::ranges::replace(code, '-', '_');
    return {{"code", code},
            {"family", language.primary()},
            {"region", ""},
            {"name_native", language.text()},
            {"name_english", language.text()}};
  }
  const bool persian = language == Language::fa;
  return {{"code", persian ? "fa_IR" : "en_US"},
          {"family", to_string(language)},
          {"region", persian ? "IR" : "US"},
          {"name_native", persian ? "فارسی" : "English"},
          {"name_english", persian ? "Persian" : "English"}};
}

}  // namespace

nlohmann::ordered_json piper_json(const ExportedFacts& facts, const VoiceSymbols& symbols) {
  nlohmann::ordered_json ids = {
      {kPad, {0}}, {kBegin, {symbols.plan.silence}}, {kEnd, {symbols.plan.silence}}};
  for (const auto& [symbol, id] : symbols.ids) {
    ids[one_utf8(symbol)] = {id};
  }
  nlohmann::ordered_json speakers = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < facts.speakers.size(); ++i) {
    speakers[facts.speakers[i]] = i;
  }
  const bool phonemes = facts.text.units == SymbolSet::phonemes;
  const LanguageTag& language = facts.text.languages.front();
  return {
      {"audio", {{"sample_rate", facts.mel.sample_rate.value}, {"quality", facts.size}}},
      {"espeak", {{"voice", espeak_voice(language)}}},
      {"language", language_json(language)},
      {"dataset", facts.name},
      {"phoneme_type", phonemes ? "espeak" : "text"},
      {"inference", {{"noise_scale", 0}, {"length_scale", 1}, {"noise_w", 0}}},
      {"num_symbols", symbols.plan.ids},
      {"num_speakers", std::max<std::size_t>(1, facts.speakers.size())},
      {"speaker_id_map", facts.speakers.size() > 1 ? speakers : nlohmann::ordered_json::object()},
      {"hop_length", facts.mel.hop},
      {"phoneme_id_map", ids}};
}

std::string sherpa_tokens(const VoiceSymbols& symbols) {
  std::string lines = fmt::format(
      "{} 0\n{} {}\n{} {}\n", kPad, kBegin, symbols.plan.silence, kEnd, symbols.plan.silence);
  for (const auto& [symbol, id] : symbols.ids) {
    const bool is_blank = symbol == U' ';
    // Its reader splits at the spaces it knows, which would leave such a line without a symbol.
    if (is_blank || symbol > 0x20) {
      lines += fmt::format("{} {}\n", is_blank ? "" : one_utf8(symbol), id);
    }
  }
  return lines;
}

std::vector<std::pair<std::string, std::string>> sherpa_metadata(const ExportedFacts& facts) {
  const LanguageTag& language = facts.text.languages.front();
  std::vector<std::pair<std::string, std::string>> pairs = {
      {"model_type", "vits"},
      {"comment", "piper"},  // selects how the network is called
      {"language", english_name(language)},
      {"voice", espeak_voice(language)},
      {"sample_rate", std::to_string(facts.mel.sample_rate.value)},
      {"n_speakers", std::to_string(std::max<std::size_t>(1, facts.speakers.size()))},
      {"version", "1"},
      {"add_blank", "0"},
      {"use_eos_bos", "1"},
      {"bos_id", "1"},
      {"eos_id", "1"},
      {"blank_id", "0"},
      {"pad_id", "0"}};
  if (facts.text.units == SymbolSet::characters) {
    pairs.emplace_back("frontend", "characters");
    pairs.emplace_back("has_espeak", "0");
  } else {
    pairs.emplace_back("has_espeak", "1");
  }
  return pairs;
}

}  // namespace qanat
