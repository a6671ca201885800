#include "export/export_session.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "export/hifigan_graph.h"
#include "export/model_card.h"
#include "export/speech_graph.h"
#include "export/symbol_graph.h"
#include "export/vocoder_graph.h"
#include "export/voice_files.h"
#include "export/voice_symbols.h"
#include "export/voice_table.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"
#include "locale/messages/exported_voice.h"
#include "speech/checkpoint_weights.h"
#include "speech/hifigan.h"
#include "speech/open_vocoder.h"
#include "speech/speech_model.h"
#include "speech/vocos.h"
#include "speech/voice_of.h"
#include "train/trained_vocoder.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = (std::size_t{1} << 31) - 1;  // of the format

void check_symbols_of(const CheckpointState& state, const Tokenizer& tokenizer) {
  if (tokenizer.hash() != state.text.symbol_table_hash) {
    throw MessageError(msg::checkpoint_other_symbols{
        .ours = fmt::format("{:016x}", tokenizer.hash()),
        .stored = fmt::format("{:016x}", state.text.symbol_table_hash)});
  }
  if (state.model.vocabulary < tokenizer.size()) {
    throw MessageError(msg::checkpoint_too_few_symbols{.symbols = state.model.vocabulary,
                                                       .expected = tokenizer.size()});
  }
}

// Who speaks, in the order of ids.
struct Cast {
  std::vector<std::string> names;
  std::vector<VoiceSource> sources;
};

Cast make_cast(const ExportRequest& request, const CheckpointState& state) {
  Cast cast;
  for (std::size_t i = 0; i < state.speakers.size(); ++i) {
    cast.names.push_back(state.speakers[i]);
    cast.sources.push_back({.speaker = static_cast<int>(i)});
  }
  for (const BakedVoice& voice : request.voices) {
    if (std::ranges::find(cast.names, voice.name) != cast.names.end()) {
      throw MessageError(msg::export_name_taken{.name = voice.name});
    }
    cast.names.push_back(voice.name);
    cast.sources.push_back({.reference = read_reference(voice.file, state.mel)});
  }
  if (cast.names.empty()) {
    cast.names.push_back(request.out.stem().string());
    cast.sources.emplace_back();
  }
  return cast;
}

// Phonemes do not show which language they are of: one has to be chosen.
std::vector<LanguageTag> spoken_languages(const ExportRequest& request,
                                          const CheckpointState& state) {
  if (request.language) {
    return {*request.language};
  }
  std::vector<LanguageTag> trained = state.languages;
  if (trained.empty()) {
    trained = {Language::en, Language::fa};
  }
  std::ranges::sort(trained);
  const bool script_decides = state.text.units == SymbolSet::characters &&
                              trained == std::vector<LanguageTag>{Language::en, Language::fa};
  if (trained.size() > 1 && !script_decides) {
    throw MessageError(msg::export_which_language{});
  }
  return trained;
}

struct ExportedVocoder {
  std::string name;
  fs::path folder;
  std::function<GraphValue(GraphBuilder& graph, const GraphValue& mel)> vocode;
};

ExportedVocoder open_exported_vocoder(const ExportRequest& request,
                                      const CheckpointWeights& opened) {
  OpenedVocoder vocoder = open_vocoder(request.vocoder, opened.folder, opened.state.mel);
  ExportedVocoder exported{.name = vocoder.vocoder->name()};
  if (exported.name == kGriffinLim) {
    throw MessageError(msg::export_griffin_lim{.folder = opened.folder.parent_path().string()});
  }
  exported.folder = *vocoder.folder;
  if (auto* const hifigan = dynamic_cast<HifiGan*>(vocoder.vocoder.get())) {
    vocoder.vocoder.release();
    // Shared by the copies of the function.
    exported.vocode = [own = std::shared_ptr<const HifiGan>(hifigan)](GraphBuilder& graph,
                                                                      const GraphValue& mel) {
      return qanat::vocode(graph, *own, mel);
    };
    return exported;
  }
  if (exported.name != "vocos") {
    throw MessageError(msg::export_other_vocoder{.name = exported.name});
  }
  const VocosWeights loaded = load_vocos(exported.folder);
  VocoderGenerator generator(to_vocoder_shape(loaded.state));
  const VocosPlan plan{.mel = loaded.state.mel,
                       .blocks = loaded.state.blocks,
                       .refinements = loaded.state.refinements,
                       .mel_mean = loaded.state.mel_mean,
                       .mel_std = loaded.state.mel_std,
                       .smooth = to_array(generator->named_buffers()["smooth"])};
  exported.vocode = [plan, weights = to_arrays(loaded.weights)](GraphBuilder& graph,
                                                                const GraphValue& mel) {
    return qanat::vocode(graph, plan, weights, mel);
  };
  return exported;
}

struct VoiceParts {
  const CheckpointWeights& opened;
  const ExportedVocoder& vocoder;
  const VoiceSymbols& symbols;
  const VoiceTable& voices;
  bool several = false;  // voices
};

OnnxGraph write_graph(const VoiceParts& parts, WeightType weights) {
  GraphBuilder graph(weights);
  const GraphValue input = graph.input("input", OnnxType::i64, {1, -1}, "phonemes");
  const GraphValue lengths = graph.input("input_lengths", OnnxType::i64, {1});
  const GraphValue scales = graph.input("scales", OnnxType::f32, {3});
  SpeechInputs speech;
  if (parts.several) {
    speech.voice = graph.input("sid", OnnxType::i64, {1});
  }
  const SymbolValues symbols = read_symbols(graph, parts.symbols.plan, input, lengths);
  speech.tokens = symbols.tokens;
  speech.length_scale = graph.slice(scales, 1, 2, 0);
  const ArrayMap arrays = to_arrays(parts.opened.weights, {"aligner.", "speaker_encoder."});
  const SpeechValues said =
      speak(graph, to_model_shape(parts.opened.state), arrays, parts.voices, speech);
  const GraphValue samples = parts.vocoder.vocode(graph, said.mel);
  graph.output("output",
               samples,
               OnnxType::f32,
               {.name = "", .dims = {std::int64_t{1}, std::int64_t{1}, "time"}});
  graph.output("durations",
               place_durations(graph, symbols, said.durations),
               OnnxType::f32,
               {.name = "", .dims = {std::int64_t{1}, "phonemes"}});
  return std::move(graph).finish("qanat");
}

// A sentence to compare roundings by.
std::vector<std::int64_t> sample_tokens(const Tokenizer& tokenizer, const VoiceText& text) {
  const LanguageTag& language = text.languages.front();
  const char* const sentence =
      text.units == SymbolSet::phonemes ? "ðɪ oʊld kænæl kæɹiz wɔːtɚ"
      : language == Language::fa
          ? "قنات آب را بی‌هیچ پمپی از راهی دور می‌آورد."
          : "the old canal carries water without a pump.";
  const TokenIds tokens = tokenizer.encode(sentence, language);
  return {tokens.begin(), tokens.end()};
}

// All of them are complete before the first has its name.
void write_files(const std::vector<std::pair<fs::path, std::string>>& texts,
                 const fs::path& network_path,
                 const ProtoMessage& network) {
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (const auto& [path, text] : texts) {
    files.push_back(std::make_unique<AtomicFile>(path));
    files.back()->write(text);
  }
  files.push_back(std::make_unique<AtomicFile>(network_path));
  for (const std::string& part : network.parts()) {
    files.back()->write(part);
  }
  for (const std::unique_ptr<AtomicFile>& file : files) {
    file->commit();
  }
}

fs::path beside(const fs::path& out, const std::string& ending) {
  return out.parent_path() / (out.stem().string() + ending);
}

}  // namespace

ExportReport run_export(const ExportRequest& request) {
  const CheckpointWeights opened = open_weights(request.checkpoint, request.warn);
  const CheckpointState& state = opened.state;
  const Tokenizer tokenizer(state.text.units, state.text.symbols);
  check_symbols_of(state, tokenizer);
  const ExportedVocoder vocoder = open_exported_vocoder(request, opened);
  const Cast cast = make_cast(request, state);
  const VoiceTable voices = make_voice_table(state, opened.weights, cast.sources);
  ExportedFacts facts{.name = request.out.stem().string(),
                      .size = opened.stored["model"]["size"],
                      .text = {.units = state.text.units,
                               .stress = state.text.stress,
                               .languages = spoken_languages(request, state)},
                      .speakers = cast.names,
                      .mel = state.mel};
  const VoiceSymbols symbols = make_voice_symbols(tokenizer, facts.text);
  const VoiceParts parts{.opened = opened,
                         .vocoder = vocoder,
                         .symbols = symbols,
                         .voices = voices,
                         .several = cast.names.size() > 1};
  const ProtoMessage network = to_onnx({.graph = write_graph(parts, request.weights),
                                        .producer_version = request.version,
                                        .metadata = sherpa_metadata(facts)});
  if (network.size() > kLargestFile) {
    throw MessageError(
        msg::export_too_large{.size = in_bytes(static_cast<double>(network.size()))});
  }
  ExportReport report{.step = opened.step,
                      .checkpoint = opened.folder,
                      .vocoder = vocoder.name,
                      .vocoder_folder = vocoder.folder,
                      .out = request.out,
                      .files = {fs::path(request.out) += ".json",
                                beside(request.out, ".tokens.txt"),
                                beside(request.out, ".md")},
                      .voices = cast.names,
                      .languages = facts.text.languages,
                      .sample_rate = state.mel.sample_rate.value,
                      .bytes = static_cast<std::int64_t>(network.size()),
                      .weights = request.weights};
  if (request.weights == WeightType::f16) {
    const RoundingDifference difference = rounding_difference(
        state, opened.weights, cast.sources.front(), sample_tokens(tokenizer, facts.text));
    report.mean_difference = difference.mean;
    report.max_difference = difference.max;
  }
  if (!request.out.parent_path().empty()) {
    make_folders(request.out.parent_path(), "--out");
  }
  write_files({{report.files[0], piper_json(facts, symbols).dump(2) + "\n"},
               {report.files[1], sherpa_tokens(symbols)},
               {report.files[2], model_card(report, opened.stored, request.words)}},
              request.out,
              network);
  return report;
}

nlohmann::json to_json(const ExportReport& report) {
  nlohmann::json files = nlohmann::json::array({report.out.string()});
  for (const fs::path& file : report.files) {
    files.push_back(file.string());
  }
  nlohmann::json languages = nlohmann::json::array();
  for (const LanguageTag& language : report.languages) {
    languages.push_back(to_string(language));
  }
  nlohmann::json json = {
      {"checkpoint", report.checkpoint.string()},
      {"step", report.step},
      {"vocoder", {{"name", report.vocoder}, {"folder", report.vocoder_folder.string()}}},
      {"files", files},
      {"voices", report.voices},
      {"languages", languages},
      {"sample_rate", report.sample_rate},
      {"bytes", report.bytes},
      {"weights", report.weights == WeightType::f16 ? "f16" : "f32"}};
  if (report.mean_difference) {
    json["mel_difference"] = {{"mean", *report.mean_difference}, {"max", *report.max_difference}};
  }
  return json;
}

}  // namespace qanat
