#include "speech/align_session.h"

#include <utility>

#include "audio/audio_decoder.h"
#include "base/files.h"
#include "base/time.h"
#include "dataset/manifest.h"
#include "features/mel_extractor.h"
#include "locale/message_error.h"
#include "locale/messages/speech_errors.h"
#include "monitor/host_facts.h"
#include "speech/speech_model.h"
#include "speech/text_grid.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

struct AlignedUtterance {
  TextReading reading;
  std::vector<std::int64_t> frames;  // of each token
};

class UtteranceAligner {
 public:
  explicit UtteranceAligner(SpeechModel& model)
      : model_(model), decoder_(model.state().mel.sample_rate), extractor_(model.state().mel) {}

  double frame_s() const {
    const MelConfig& mel = model_.state().mel;
    return static_cast<double>(mel.hop) / static_cast<double>(mel.sample_rate.value);
  }

  Result<AlignedUtterance> align(const Utterance& utterance, const fs::path& audio) {
    const Result<std::span<const float>> samples = decoder_.decode(audio);
    if (!samples) {
      return samples.failure();
    }
    Result<TextReading> reading = model_.text().read(utterance.text, utterance.language);
    if (!reading) {
      return reading.failure();
    }
    const MelConfig& config = model_.state().mel;
    const SampleCount count{static_cast<std::int64_t>(samples.value().size())};
    std::vector<float> mel(
        static_cast<std::size_t>(mel_frames(count, config).value * config.mel_bins));
    extractor_.extract(samples.value(), mel);
    Result<std::vector<std::int64_t>> frames = model_.align(reading.value().ids, mel);
    if (!frames) {
      return frames.failure();
    }
    return AlignedUtterance{.reading = std::move(reading).value(),
                            .frames = std::move(frames).value()};
  }

 private:
  SpeechModel& model_;
  AudioDecoder decoder_;
  MelExtractor extractor_;
};

nlohmann::json to_json(const std::vector<GridInterval>& intervals, const char* name) {
  nlohmann::json list = nlohmann::json::array();
  for (const GridInterval& one : intervals) {
    list.push_back({{name, one.label}, {"begin_s", one.begin}, {"end_s", one.end}});
  }
  return list;
}

// The way of `id` below `folder`; nothing when it would lead out of it.
std::optional<fs::path> file_below(const fs::path& folder, const std::string& id) {
  const fs::path name = fs::path(id).relative_path().lexically_normal();
  if (name.empty() || *name.begin() == "..") {
    return std::nullopt;
  }
  return folder / name;
}

class AlignmentWriter {
 public:
  AlignmentWriter(fs::path folder, const Tokenizer& tokenizer, double frame_s)
      : folder_(std::move(folder)), tokenizer_(tokenizer), frame_s_(frame_s) {
    make_folders(folder_, "--out");
  }

  Result<Done> write(const Utterance& utterance, const AlignedUtterance& aligned) const {
    const std::optional<fs::path> stem = file_below(folder_, utterance.id);
    if (!stem) {
      return to_failure(msg::align_id_leads_out{});
    }
    make_folders(stem->parent_path(), "--out");
    const TokenTimes times{
        .tokens = aligned.reading.ids, .frames = aligned.frames, .frame_s = frame_s_};
    const std::vector<GridInterval> tokens = token_intervals(times, tokenizer_);
    const std::vector<GridInterval> words = word_intervals(times, tokenizer_);
    nlohmann::json listed = to_json(tokens, "symbol");
    for (std::size_t i = 0; i < aligned.frames.size(); ++i) {
      listed[i]["frames"] = aligned.frames[i];
    }
    const nlohmann::json json = {{"id", utterance.id},
                                 {"text", utterance.text},
                                 {"normalised", aligned.reading.normalised},
                                 {"language", to_string(utterance.language)},
                                 {"frame_s", frame_s_},
                                 {"tokens", listed},
                                 {"words", to_json(words, "word")}};
    write_text_file(with_extension(*stem, ".json"),
                    json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
    write_text_file(with_extension(*stem, ".TextGrid"),
                    to_text_grid({{.name = "words", .intervals = words},
                                  {.name = "tokens", .intervals = tokens}},
                                 tokens.back().end));
    return Done{};
  }

 private:
  // Ids may have dots of their own.
  static fs::path with_extension(const fs::path& stem, const char* extension) {
    fs::path result = stem;
    result += extension;
    return result;
  }

  fs::path folder_;
  const Tokenizer& tokenizer_;
  double frame_s_;
};

Result<Done> align_one(const Utterance& utterance,
                       const fs::path& audio,
                       UtteranceAligner& aligner,
                       const AlignmentWriter& writer,
                       AlignReport& report) {
  const Clock::time_point begin = Clock::now();
  const Result<AlignedUtterance> aligned = aligner.align(utterance, audio);
  report.work_s += seconds_since(begin).count();
  if (!aligned) {
    return aligned.failure();
  }
  Result<Done> written = writer.write(utterance, aligned.value());
  if (written) {
    ++report.aligned;
    for (const std::int64_t frames : aligned.value().frames) {
      report.audio_s += static_cast<double>(frames) * aligner.frame_s();
    }
  }
  return written;
}

}  // namespace

AlignReport run_alignment(const AlignRequest& request) {
  const auto warn = [&](const Message& text) {
    if (request.warn) {
      request.warn(text);
    }
  };
  const Manifest manifest = read_manifest({.data = request.data, .language = request.language});
  const ChosenCheckpoint chosen = open_checkpoint(request.checkpoint, warn);
  torch::set_num_threads(
      speech_threads(chosen.model->state().model.size, allowed_cores(read_host_facts())));
  UtteranceAligner aligner(*chosen.model);
  const AlignmentWriter writer(request.out, chosen.model->text().tokenizer(), aligner.frame_s());
  AlignReport report{.step = chosen.step,
                     .checkpoint = chosen.folder,
                     .out = request.out,
                     .utterances = static_cast<std::int64_t>(manifest.utterances.size())};
  std::int64_t done = 0;
  for (const Utterance& utterance : manifest.utterances) {
    if (request.stop.stop_requested()) {
      report.stopped = true;
      break;
    }
    const fs::path audio = audio_path(manifest, utterance);
    const Result<Done> aligned = align_one(utterance, audio, aligner, writer, report);
    if (!aligned) {
      report.failures.push_back(
          {.id = utterance.id, .file = audio.string(), .reason = reason_of(aligned.failure())});
    }
    if (request.progress) {
      request.progress(++done, report.utterances);
    }
  }
  return report;
}

nlohmann::json to_json(const AlignReport& report) {
  nlohmann::json failures = nlohmann::json::array();
  for (const AlignFailure& one : report.failures) {
    failures.push_back(
        {{"id", one.id}, {"file", one.file}, {"reason", Translator().said(one.reason)}});
  }
  return {{"checkpoint", report.checkpoint.string()},
          {"step", report.step},
          {"out", report.out.string()},
          {"utterances", report.utterances},
          {"aligned", report.aligned},
          {"failures", failures},
          {"stopped", report.stopped},
          {"audio_s", report.audio_s},
          {"work_s", report.work_s}};
}

}  // namespace qanat
