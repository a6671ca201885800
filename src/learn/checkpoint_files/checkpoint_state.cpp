#include "checkpoint_files/checkpoint_state.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>

#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"

namespace qanat {
namespace {

constexpr std::string_view kStateFormat = "qanat-checkpoint";
constexpr int kStateVersion = 1;
constexpr std::int64_t kMaxVocabulary = 65'536;
constexpr std::size_t kMaxSpeakers = 1'000'000;
constexpr std::int64_t kMaxWidth = 8192;
constexpr std::int64_t kMaxBlocks = 1024;

constexpr std::array kUnits = {Choice{"characters", SymbolSet::characters},
                               Choice{"phonemes", SymbolSet::phonemes},
                               Choice{"own", SymbolSet::own}};
constexpr std::array kStress = {Choice{"keep", StressMarks::keep},
                                Choice{"drop", StressMarks::drop}};
constexpr std::array kSpelling = {Choice{"unify", SpellingVariants::unify},
                                  Choice{"keep", SpellingVariants::keep}};
constexpr std::array kEzafe = {Choice{"as_written", EzafeMarks::as_written},
                               Choice{"add", EzafeMarks::add}};

template <typename E, std::size_t kCount>
std::string_view name_of(E value, const std::array<Choice<E>, kCount>& choices) {
  for (const Choice<E>& one : choices) {
    if (one.value == value) {
      return one.name;
    }
  }
  return "";
}

std::string hex(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Reads fields one after the other; the first that is missing or wrong is what failure() tells,
// and everything read after it is a default.
class StateReader {
 public:
  explicit StateReader(const nlohmann::json& root) : root_(root) {}

  const std::optional<Failure>& failure() const { return failure_; }

  void fail(std::string what) {
    if (!failure_) {
      failure_ = Failure{std::move(what)};
    }
  }

  std::int64_t integer(const char* path, std::int64_t low, std::int64_t high) {
    const nlohmann::json* value = find(path);
    if (value == nullptr || !value->is_number_integer() || !fits(*value, low, high)) {
      fail(fmt::format("{}: {}; expected a whole number, {} to {}", path, shown(value), low, high));
      return low;
    }
    return value->get<std::int64_t>();
  }

  float number(const char* path) { return static_cast<float>(real(path)); }

  double real(const char* path) {
    const nlohmann::json* value = find(path);
    const double found = value != nullptr && value->is_number()
                             ? value->get<double>()
                             : std::numeric_limits<double>::infinity();
    if (!(std::abs(found) <= std::numeric_limits<float>::max())) {
      fail(fmt::format("{}: {}; expected a number", path, shown(value)));
      return 0.0;
    }
    return found;
  }

  std::string word(const char* path) {
    const nlohmann::json* value = find(path);
    if (value == nullptr || !value->is_string()) {
      fail(fmt::format("{}: {}; expected a text", path, shown(value)));
      return {};
    }
    return value->get<std::string>();
  }

  template <typename E, std::size_t kCount>
  E choice(const char* path, const std::array<Choice<E>, kCount>& choices) {
    const std::string found = word(path);
    std::vector<std::string_view> names;
    for (const Choice<E>& one : choices) {
      if (found == one.name) {
        return one.value;
      }
      names.push_back(one.name);
    }
    fail(fmt::format("{}: {}; expected {}", path, found, fmt::join(names, ", ")));
    return choices.front().value;
  }

  template <typename E, std::size_t kCount>
  E choice_or(const char* path, const std::array<Choice<E>, kCount>& choices, E missing) {
    return find(path) == nullptr ? missing : choice(path, choices);
  }

  std::uint64_t hash(const char* path) {
    const std::optional<std::uint64_t> value = parse_hex(word(path));
    if (!value) {
      fail(fmt::format("{}: expected 16 hexadecimal digits", path));
    }
    return value.value_or(0);
  }

  std::vector<std::string> words(const char* path) {
    const nlohmann::json* value = find(path);
    std::vector<std::string> result;
    if (value == nullptr || !value->is_array() || value->size() > kMaxSpeakers) {
      fail(fmt::format("{}: expected a list of at most {} names", path, kMaxSpeakers));
      return result;
    }
    for (const nlohmann::json& one : *value) {
      if (!one.is_string()) {
        fail(fmt::format("{}: {}; expected names", path, shown(&one)));
        return result;
      }
      result.push_back(one.get<std::string>());
    }
    return result;
  }

  // Empty when missing: files of earlier versions do not say.
  std::vector<LanguageTag> languages(const char* path) {
    std::vector<LanguageTag> result;
    if (find(path) == nullptr) {
      return result;
    }
    for (const std::string& code : words(path)) {
      const std::optional<LanguageTag> language = to_language_tag(code);
      if (!language) {
        fail(fmt::format("{}: {}; expected language tags", path, code));
        return result;
      }
      result.push_back(*language);
    }
    return result;
  }

  bool has(const char* path) const { return find(path) != nullptr; }

 private:
  static bool fits(const nlohmann::json& value, std::int64_t low, std::int64_t high) {
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(high)) {
      return false;
    }
    const auto number = value.get<std::int64_t>();
    return number >= low && number <= high;
  }

  static std::string shown(const nlohmann::json* value) {
    constexpr std::size_t kLongest = 60;
    if (value == nullptr) {
      return "missing";
    }
    if (value->is_structured()) {
      return value->type_name();
    }
    return value->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, kLongest);
  }

  const nlohmann::json* find(const char* path) const {
    const nlohmann::json::json_pointer pointer(path);
    return root_.contains(pointer) ? &root_.at(pointer) : nullptr;
  }

  const nlohmann::json& root_;
  std::optional<Failure> failure_;
};

StoredModel read_model(StateReader& reader) {
  StoredModel model{
      .size = reader.choice("/model/size", kChoices<ModelSize>),
      .vocabulary = static_cast<int>(reader.integer("/model/vocabulary", 1, kMaxVocabulary)),
      .mel_mean = reader.number("/model/mel_mean"),
      .mel_std = reader.number("/model/mel_std")};
  if (!(model.mel_std > 0.0F)) {
    reader.fail(fmt::format("/model/mel_std: {}; expected more than 0", model.mel_std));
  }
  return model;
}

// Only models of other languages, or of a front end of the user's own, have these.
LearntSymbols read_learnt(StateReader& reader, SymbolSet units) {
  if (!reader.has("/text/symbols")) {
    return {};
  }
  LearntSymbols symbols{.added = reader.words("/text/symbols/added"),
                        .unused = decode_utf8(reader.word("/text/symbols/unused"))};
  Result<LearntSymbols> checked = check_learnt(std::move(symbols), units);
  if (!checked) {
    reader.fail("/text/symbols: " + checked.failure().what);
    return {};
  }
  return std::move(checked).value();
}

FrontEndIdentity read_g2p(StateReader& reader) {
  FrontEndIdentity identity;
  if (!reader.has("/text/g2p")) {
    return identity;
  }
  identity.name = reader.word("/text/g2p/command");
  const std::vector<LanguageTag> languages = reader.languages("/text/g2p/languages");
  const std::vector<std::string> answers = reader.words("/text/g2p/answers");
  if (languages.size() != answers.size()) {
    reader.fail("/text/g2p: expected a hash for each language");
    return identity;
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::optional<std::uint64_t> hash = parse_hex(answers[i]);
    if (!hash) {
      reader.fail("/text/g2p/answers: expected 16 hexadecimal digits");
      return identity;
    }
    identity.probed.push_back({.language = languages[i], .answers = *hash});
  }
  return identity;
}

void add_learnt(nlohmann::json& json, const StoredText& text) {
  if (!text.symbols.added.empty()) {
    json["symbols"] = {{"added", text.symbols.added}, {"unused", encode_utf8(text.symbols.unused)}};
  }
  if (text.units != SymbolSet::own) {
    return;
  }
  nlohmann::json languages = nlohmann::json::array();
  nlohmann::json answers = nlohmann::json::array();
  for (const FrontEndIdentity::Probed& one : text.g2p.probed) {
    languages.push_back(one.language.text());
    answers.push_back(hex(one.answers));
  }
  json["g2p"] = {{"command", text.g2p.name}, {"languages", languages}, {"answers", answers}};
}

StoredText read_text(StateReader& reader) {
  const SymbolSet units = reader.choice("/text/units", kUnits);
  return {.units = units,
          .stress = reader.choice("/text/stress", kStress),
          // Checkpoints of former versions have neither: they learnt the text as it was written.
          .spelling = reader.choice_or("/text/spelling", kSpelling, SpellingVariants::keep),
          .ezafe = reader.choice_or("/text/ezafe", kEzafe, EzafeMarks::as_written),
          .symbol_table_hash = reader.hash("/text/symbol_table_hash"),
          .front_end_hash = reader.hash("/text/front_end_hash"),
          .symbols = read_learnt(reader, units),
          .g2p = read_g2p(reader)};
}

std::vector<std::string> language_codes(const std::vector<LanguageTag>& languages) {
  std::vector<std::string> codes;
  codes.reserve(languages.size());
  for (const LanguageTag& language : languages) {
    codes.emplace_back(to_string(language));
  }
  return codes;
}

nlohmann::json mel_to_json(const MelConfig& mel) {
  nlohmann::json json = nlohmann::json::object();
  MelConfig::visit_sizes(mel, [&json](const char* name, const auto& size) {
    if constexpr (requires { size.value; }) {
      json[name] = size.value;
    } else {
      json[name] = size;
    }
  });
  return json;
}

void check_format(StateReader& reader) {
  if (reader.word("/format") != kStateFormat) {
    reader.fail(fmt::format("/format: expected {}", kStateFormat));
  }
  reader.integer("/version", kStateVersion, kStateVersion);
}

Failure no_object(const nlohmann::json& json) {
  return Failure{fmt::format("state: {}; expected an object", json.type_name())};
}

MelConfig read_mel(StateReader& reader) {
  constexpr std::int64_t kMax = 1'000'000;
  MelConfig mel;
  MelConfig::visit_sizes(mel, [&reader](const std::string& name, auto& size) {
    const std::string path = "/mel/" + name;
    if constexpr (requires { size.value; }) {
      size.value = reader.integer(path.c_str(), 1, kMax);
    } else if constexpr (std::floating_point<std::remove_cvref_t<decltype(size)>>) {
      size = reader.number(path.c_str());
    } else {
      size = static_cast<int>(reader.integer(path.c_str(), 1, kMax));
    }
  });
  const std::vector<std::string> found = problems(mel);
  if (!found.empty()) {
    reader.fail(fmt::format("/mel: {}", fmt::join(found, "; ")));
  }
  return mel;
}

}  // namespace

StoredText stored_text(const TextConfig& config,
                       const TextFrontEnd& front_end,
                       std::span<const LanguageTag> languages) {
  return {
      .units = config.units,
      .stress = config.stress,
      .spelling = config.spelling,
      .ezafe = config.ezafe,
      .symbol_table_hash = front_end.tokenizer().hash(),
      .front_end_hash = front_end.hash(),
      .symbols = front_end.tokenizer().learnt(),
      .g2p = config.units == SymbolSet::own ? front_end.identity(languages) : FrontEndIdentity{}};
}

TextConfig make_text_config(const StoredText& text) {
  return {.units = text.units,
          .spelling = text.spelling,
          .ezafe = text.ezafe,
          .stress = text.stress,
          .learnt = text.symbols};
}

nlohmann::json to_json(const CheckpointState& state) {
  const StoredModel& model = state.model;
  const StoredText& text = state.text;
  nlohmann::json reading = {{"units", name_of(text.units, kUnits)},
                            {"stress", name_of(text.stress, kStress)},
                            {"spelling", name_of(text.spelling, kSpelling)},
                            {"ezafe", name_of(text.ezafe, kEzafe)},
                            {"symbol_table_hash", hex(text.symbol_table_hash)},
                            {"front_end_hash", hex(text.front_end_hash)}};
  add_learnt(reading, text);
  return {{"format", kStateFormat},
          {"version", kStateVersion},
          {"model",
           {{"size", name_of(model.size, kChoices<ModelSize>)},
            {"vocabulary", model.vocabulary},
            {"mel_mean", model.mel_mean},
            {"mel_std", model.mel_std}}},
          {"text", std::move(reading)},
          {"speakers", state.speakers},
          {"languages", language_codes(state.languages)},
          {"mel", mel_to_json(state.mel)}};
}

Result<CheckpointState> to_checkpoint_state(const nlohmann::json& json) {
  if (!json.is_object()) {
    return no_object(json);
  }
  if (stored_task(json) == TrainingTask::vocoder) {
    return to_failure(msg::checkpoint_is_vocoder{});
  }
  StateReader reader(json);
  check_format(reader);
  CheckpointState state{.model = read_model(reader),
                        .text = read_text(reader),
                        .speakers = reader.words("/speakers"),
                        .languages = reader.languages("/languages"),
                        .mel = read_mel(reader)};
  if (reader.failure()) {
    return *reader.failure();
  }
  return state;
}

nlohmann::json to_json(const VocoderState& state) {
  return {{"format", kStateFormat},
          {"version", kStateVersion},
          {"task", name_of(TrainingTask::vocoder, kChoices<TrainingTask>)},
          {"vocoder",
           {{"size", name_of(state.size, kChoices<ModelSize>)},
            {"width", state.width},
            {"ffn", state.ffn},
            {"blocks", state.blocks},
            {"kernel", state.kernel},
            {"refinements", state.refinements},
            {"mel_mean", state.mel_mean},
            {"mel_std", state.mel_std}}},
          {"mel", mel_to_json(state.mel)}};
}

Result<VocoderState> to_vocoder_state(const nlohmann::json& json) {
  if (!json.is_object()) {
    return no_object(json);
  }
  if (stored_task(json) != TrainingTask::vocoder) {
    return to_failure(msg::checkpoint_is_speech{});
  }
  StateReader reader(json);
  check_format(reader);
  VocoderState state{.size = reader.choice("/vocoder/size", kChoices<ModelSize>),
                     .width = reader.integer("/vocoder/width", 1, kMaxWidth),
                     .ffn = reader.integer("/vocoder/ffn", 1, kMaxWidth),
                     .blocks = reader.integer("/vocoder/blocks", 1, kMaxBlocks),
                     .kernel = reader.integer("/vocoder/kernel", 1, kMaxBlocks),
                     .refinements = reader.integer("/vocoder/refinements", 0, kMaxBlocks),
                     .mel_mean = reader.real("/vocoder/mel_mean"),
                     .mel_std = reader.real("/vocoder/mel_std"),
                     .mel = read_mel(reader)};
  if (!(state.mel_std > 0)) {
    reader.fail(fmt::format("/vocoder/mel_std: {}; expected more than 0", state.mel_std));
  }
  if (reader.failure()) {
    return *reader.failure();
  }
  return state;
}

TrainingTask stored_task(const nlohmann::json& json) {
  const auto task = json.is_object() ? json.find("task") : json.end();
  return task != json.end() && *task == name_of(TrainingTask::vocoder, kChoices<TrainingTask>)
             ? TrainingTask::vocoder
             : TrainingTask::speech;
}

}  // namespace qanat
