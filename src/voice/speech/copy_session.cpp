#include "speech/copy_session.h"

#include <algorithm>
#include <utility>

#include "audio/audio_decoder.h"
#include "audio/audio_formats.h"
#include "audio/wav_writer.h"
#include "base/files.h"
#include "base/time.h"
#include "features/mel_extractor.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/evaluate.h"
#include "speech/open_vocoder.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

std::vector<CopiedClip> planned(const CopyRequest& request) {
  if (!fs::is_directory(request.from)) {
    return {{.from = request.from, .out = request.out}};
  }
  std::vector<CopiedClip> clips;
  for (const fs::directory_entry& entry : fs::directory_iterator(request.from)) {
    if (has_audio_ending(entry.path().native())) {
      clips.push_back(
          {.from = entry.path(), .out = request.out / entry.path().stem().concat(".wav")});
    }
  }
  if (clips.empty()) {
    throw MessageError(msg::evaluate_empty_folder{.folder = request.from.string()});
  }
  std::ranges::sort(clips, {}, &CopiedClip::from);
  make_folders(request.out, "--out");
  return clips;
}

std::vector<float> mel_of(const fs::path& file, AudioDecoder& decoder, MelExtractor& extractor) {
  const Result<std::span<const float>> samples = decoder.decode(file);
  if (!samples) {
    throw MessageError(msg::copy_unreadable{.reason = reason_of(samples.failure())});
  }
  const MelConfig mel;
  const auto frames = static_cast<std::size_t>(
      mel_frames(SampleCount{static_cast<std::int64_t>(samples.value().size())}, mel).value);
  std::vector<float> values(frames * static_cast<std::size_t>(mel.mel_bins));
  if (frames > 0) {
    extractor.extract(samples.value(), values);
  }
  return values;
}

}  // namespace

CopyReport run_copy_synthesis(const CopyRequest& request) {
  const MelConfig mel;
  const OpenedVocoder opened = open_vocoder(request.vocoder, {}, mel);
  AudioDecoder decoder(mel.sample_rate);
  MelExtractor extractor(mel);
  CopyReport report{.vocoder = opened.vocoder->name(), .vocoder_folder = opened.folder};
  const std::vector<CopiedClip> clips = planned(request);
  for (CopiedClip clip : clips) {
    if (request.stop.stop_requested()) {
      break;
    }
    const std::vector<float> values = mel_of(clip.from, decoder, extractor);
    const Clock::time_point begin = Clock::now();
    const std::vector<float> samples = opened.vocoder->synthesise(values);
    report.work_s += seconds_since(begin).count();
    write_wav(clip.out, samples, mel.sample_rate);
    clip.audio_s = static_cast<double>(samples.size()) / static_cast<double>(mel.sample_rate.value);
    report.audio_s += clip.audio_s;
    report.clips.push_back(std::move(clip));
    if (request.progress) {
      request.progress(static_cast<std::int64_t>(report.clips.size()),
                       static_cast<std::int64_t>(clips.size()));
    }
  }
  return report;
}

nlohmann::json to_json(const CopyReport& report) {
  nlohmann::json clips = nlohmann::json::array();
  for (const CopiedClip& clip : report.clips) {
    clips.push_back(
        {{"from", clip.from.string()}, {"out", clip.out.string()}, {"audio_s", clip.audio_s}});
  }
  return {{"vocoder",
           {{"name", report.vocoder},
            {"folder",
             report.vocoder_folder ? nlohmann::json(report.vocoder_folder->string())
                                   : nlohmann::json()}}},
          {"clips", clips},
          {"audio_s", report.audio_s},
          {"work_s", report.work_s},
          {"real_time_factor", report.real_time_factor()}};
}

}  // namespace qanat
