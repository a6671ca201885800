#include "capi/loader_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "config/field.h"
#include "config/field_type.h"
#include "config/load_config.h"
#include "features/mel_presets.h"

namespace qanat {

template <>
inline constexpr std::array kChoices<SetPart> = {Choice{"all", SetPart::all},
                                                 Choice{"train", SetPart::train},
                                                 Choice{"validation", SetPart::validation}};
template <>
inline constexpr std::array kChoices<BatchSound> = {Choice{"mel", BatchSound::mel},
                                                    Choice{"audio", BatchSound::audio},
                                                    Choice{"both", BatchSound::both}};
template <>
inline constexpr std::array kChoices<TextUse> = {Choice{"tokens", TextUse::tokens},
                                                 Choice{"kept", TextUse::kept},
                                                 Choice{"none", TextUse::none}};
template <>
inline constexpr std::array kChoices<LastBatch> = {Choice{"kept", LastBatch::kept},
                                                   Choice{"dropped", LastBatch::dropped}};
template <>
inline constexpr std::array kChoices<Balance> = {Choice{"none", Balance::none},
                                                 Choice{"speakers", Balance::speakers}};
template <>
inline constexpr std::array kChoices<MelScale> = {Choice{"slaney", MelScale::slaney},
                                                  Choice{"htk", MelScale::htk}};
template <>
inline constexpr std::array kChoices<MelNorm> = {Choice{"slaney", MelNorm::slaney},
                                                 Choice{"none", MelNorm::none}};
template <>
inline constexpr std::array kChoices<MelSpectrum> = {Choice{"magnitude", MelSpectrum::magnitude},
                                                     Choice{"power", MelSpectrum::power}};
template <>
inline constexpr std::array kChoices<MelWindow> = {Choice{"periodic", MelWindow::periodic},
                                                   Choice{"symmetric", MelWindow::symmetric}};
template <>
inline constexpr std::array kChoices<MelFrames> = {Choice{"hops", MelFrames::hops},
                                                   Choice{"points", MelFrames::points}};
template <>
inline constexpr std::array kChoices<MelPadding> = {Choice{"reflect", MelPadding::reflect},
                                                    Choice{"zero", MelPadding::zero}};
template <>
inline constexpr std::array kChoices<MelFloor> = {Choice{"raise", MelFloor::raise},
                                                  Choice{"add", MelFloor::add}};

namespace {

using nlohmann::json;

// Calls `visit` with the key and the value of every field.
template <typename Mel>
void visit_mel(Mel& mel, auto&& visit) {
  visit("sample_rate", mel.sample_rate);
  visit("fft_size", mel.fft_size);
  visit("hop", mel.hop);
  visit("window", mel.window);
  visit("mel_bins", mel.mel_bins);
  visit("fmin", mel.fmin);
  visit("fmax", mel.fmax);
  visit("log_floor", mel.log_floor);
  visit("scale", mel.scale);
  visit("norm", mel.norm);
  visit("spectrum", mel.spectrum);
  visit("window_kind", mel.window_kind);
  visit("frames", mel.frames);
  visit("padding", mel.padding);
  visit("floor", mel.floor);
  visit("magnitude_floor", mel.magnitude_floor);
  visit("mean", mel.mean);
  visit("deviation", mel.deviation);
  visit("band_rate", mel.band_rate);
}

// Takes values out of an object by key and remembers what is wrong; what nobody asked for is.
class ObjectReader {
 public:
  ObjectReader(json object, std::string prefix, std::vector<std::string>& problems)
      : object_(std::move(object)), prefix_(std::move(prefix)), problems_(problems) {
    if (!object_.is_object()) {
      refuse("", object_, "an object");
      object_ = json::object();
    }
  }
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;
  ~ObjectReader() = default;

  // Absent where the key is.
  std::optional<json> take(const std::string& key) {
    const auto found = object_.find(key);
    if (found == object_.end()) {
      return std::nullopt;
    }
    json value = std::move(*found);
    object_.erase(found);
    return value;
  }

  // Into `value`, which stays as it is where the key is absent or wrong.
  template <typename T>
  void read(const std::string& key, T& value) {
    if (const std::optional<json> given = take(key)) {
      convert(key, *given, value);
    }
  }

  void refuse(const std::string& key, const json& value, const std::string& expected) {
    problems_.push_back(fmt::format("{}{}: {}; expected {}",
                                    prefix_,
                                    key,
                                    value.dump(-1, ' ', false, json::error_handler_t::replace),
                                    expected));
  }

  void finish() {
    for (const auto& [key, value] : object_.items()) {
      problems_.push_back(fmt::format("{}{}: there is no such setting", prefix_, key));
    }
  }

 private:
  void convert(const std::string& key, const json& given, int& value) {
    const auto number = given.is_number_integer() ? std::optional(given.get<std::int64_t>())
                                                  : std::optional<std::int64_t>();
    if (!number || *number < std::numeric_limits<int>::min() ||
        *number > std::numeric_limits<int>::max()) {
      refuse(key, given, "a whole number");
      return;
    }
    value = static_cast<int>(*number);
  }
  void convert(const std::string& key, const json& given, float& value) {
    if (!given.is_number() || !std::isfinite(given.get<float>())) {
      refuse(key, given, "a number");
      return;
    }
    value = given.get<float>();
  }
  void convert(const std::string& key, const json& given, std::optional<std::string>& value) {
    if (!given.is_string()) {
      refuse(key, given, "a text");
      return;
    }
    value = given.get<std::string>();
  }
  void convert(const std::string& key, const json& given, std::map<std::string, double>& value) {
    const auto is_weight = [](const json& one) {
      return one.is_number() && std::isfinite(one.get<double>()) && one.get<double>() >= 0;
    };
    if (!given.is_object() || !std::all_of(given.begin(), given.end(), is_weight)) {
      refuse(key, given, "numbers from 0 on by name");
      return;
    }
    value = given.get<std::map<std::string, double>>();
  }
  void convert(const std::string& key, const json& given, SampleRate& value) {
    int hz = 0;
    convert(key, given, hz);
    value = SampleRate{hz};
  }
  void convert(const std::string& key, const json& given, std::optional<SampleRate>& value) {
    if (given.is_null()) {
      value.reset();
      return;
    }
    convert(key, given, value.emplace());
  }
  template <typename E>
  requires std::is_enum_v<E>
  void convert(const std::string& key, const json& given, E& value) {
    const std::optional<E> found =
        given.is_string() ? FieldType<E>::read({}, {given.get<std::string>()}) : std::nullopt;
    if (found) {
      value = *found;
      return;
    }
    refuse(key, given, fmt::format("{}", fmt::join(FieldType<E>::words(), " or ")));
  }

  json object_;
  const std::string prefix_;
  std::vector<std::string>& problems_;
};

MelConfig preset_called(const std::string& name, std::vector<std::string>& problems) {
  const std::optional<MelConfig> preset = find_mel_preset(name);
  if (!preset) {
    std::vector<std::string_view> names;
    for (const MelPreset& one : mel_presets()) {
      names.push_back(one.name);
    }
    problems.push_back(
        fmt::format("mel: {}; expected one of {}", json(name).dump(), fmt::join(names, ", ")));
  }
  return preset.value_or(MelConfig{});
}

MelConfig read_mel(json given, std::vector<std::string>& problems) {
  if (given.is_string()) {
    return preset_called(given.get<std::string>(), problems);
  }
  if (!given.is_object()) {
    problems.push_back(fmt::format("mel: {}; expected a name or settings by name", given.dump()));
    return {};
  }
  ObjectReader reader(std::move(given), "mel.", problems);
  MelConfig mel;
  if (const std::optional<json> name = reader.take("preset")) {
    mel = preset_called(name->is_string() ? name->get<std::string>() : name->dump(), problems);
  }
  visit_mel(mel, [&reader](const char* key, auto& value) { reader.read(key, value); });
  reader.finish();
  for (const std::string& problem : qanat::problems(mel)) {
    problems.push_back("mel." + problem);
  }
  return mel;
}

json parse_object(std::string_view text) {
  json settings = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (settings.is_discarded()) {
    throw Error("settings of a loader: not JSON");
  }
  return settings;
}

// A value of a MelConfig as it is written.
template <typename T>
json json_of(const T& value) {
  return value;
}
json json_of(const SampleRate& rate) {
  return rate.value;
}
json json_of(const std::optional<SampleRate>& rate) {
  return rate ? json(rate->value) : json();
}
template <typename E>
requires std::is_enum_v<E> json json_of(const E& value) {
  return FieldType<E>::json(value);
}

}  // namespace

LoaderSettings parse_settings(std::string_view text) {
  std::vector<std::string> problems;
  LoaderSettings settings;
  ObjectReader reader(parse_object(text), "", problems);
  reader.read("part", settings.part);
  reader.read("payload", settings.sound);
  reader.read("text", settings.text);
  reader.read("last", settings.last);
  reader.read("balance", settings.balance);
  reader.read("speaker_weights", settings.speaker_weights);
  reader.read("rows_root", settings.rows_root);
  reader.read("rank", settings.rank);
  reader.read("world", settings.world);
  reader.read("consumer_threads", settings.consumer_threads);
  if (std::optional<json> mel = reader.take("mel")) {
    settings.mel = read_mel(*std::move(mel), problems);
  }
  const json config = reader.take("config").value_or(json::object());
  reader.finish();
  if (settings.world < 1 || settings.rank < 0 || settings.rank >= settings.world) {
    problems.push_back(
        fmt::format("rank: {} of {}; expected 0 to below world", settings.rank, settings.world));
  }
  if (settings.consumer_threads < 0) {
    reader.refuse("consumer_threads", settings.consumer_threads, "0 or more");
  }
  try {
    settings.config = load_config_text(config.dump(), "settings").values;
  } catch (const ConfigError& error) {
    for (const Problem& problem : error.problems()) {
      problems.push_back(to_string({.key = problem.key, .what = problem.what}));
    }
  }
  if (!problems.empty()) {
    throw Error("{}", fmt::join(problems, "\n"));
  }
  return settings;
}

nlohmann::json to_json(const MelConfig& mel) {
  json object = json::object();
  visit_mel(mel, [&object](const char* key, const auto& value) { object[key] = json_of(value); });
  return object;
}

}  // namespace qanat
