#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "audio/audio_decoder.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/help_formatter.h"
#include "cli/report_flags.h"
#include "features/mel_extractor.h"
#include "features/npy_writer.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"

namespace qanat {
namespace {

struct MelSummary {
  std::int64_t frames = 0;
  double seconds = 0.0;
  double mean = 0.0;
  double std = 0.0;  // of the sample, as torch.std
  float min = 0.0F;
  float max = 0.0F;
};

// [frames, bins] to [bins, frames]
std::vector<float> transposed(std::span<const float> mel, std::size_t bins) {
  const std::size_t frames = mel.size() / bins;
  std::vector<float> result(mel.size());
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t b = 0; b < bins; ++b) {
      result[b * frames + f] = mel[f * bins + b];
    }
  }
  return result;
}

MelSummary summarise(std::span<const float> mel) {
  MelSummary summary;
  const auto count = static_cast<double>(mel.size());
  for (const float value : mel) {
    summary.mean += value / count;
  }
  for (const float value : mel) {
    summary.std += (value - summary.mean) * (value - summary.mean);
  }
  summary.std = std::sqrt(summary.std / (count - 1));
  const auto [min, max] = std::minmax_element(mel.begin(), mel.end());
  summary.min = *min;
  summary.max = *max;
  return summary;
}

class DataMelCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.argument("FILE", file_, msg::help_mel_file{})->required();
    flags.text("--out", out_, "NPY", msg::help_mel_out{});
    report_.declare_json(flags);
    flags.footer(msg::footer_data_mel{}, {"qanat data mel clip.wav --out clip.npy"});
  }

  ExitCode run(const CommandContext& context) override {
    MelExtractor extractor;
    const MelConfig& config = extractor.config();
    AudioDecoder decoder(config.sample_rate);
    const Result<std::span<const float>> samples = decoder.decode(file_);
    if (!samples) {
      throw Error(samples.failure());
    }
    const std::vector<float> mel = log_mel(extractor, samples.value());
    const auto bins = static_cast<std::size_t>(config.mel_bins);
    MelSummary summary = summarise(mel);
    summary.frames = static_cast<std::int64_t>(mel.size() / bins);
    summary.seconds =
        static_cast<double>(samples.value().size()) / static_cast<double>(config.sample_rate.value);
    if (context.stop.stop_requested()) {
      return ExitCode::done;
    }
    if (!out_.empty()) {
      write_npy(out_, transposed(mel, bins), config.mel_bins, summary.frames);
    }
    print(summary, config, context);
    return ExitCode::done;
  }

 private:
  std::vector<float> log_mel(MelExtractor& extractor, std::span<const float> samples) const {
    const MelConfig& config = extractor.config();
    const SampleCount count{static_cast<std::int64_t>(samples.size())};
    const FrameCount frames = mel_frames(count, config);
    if (frames.value == 0) {
      throw MessageError(msg::mel_too_short{.file = file_,
                                            .samples = count.value,
                                            .rate = ungrouped(config.sample_rate.value),
                                            .least = config.hop});
    }
    std::vector<float> mel(static_cast<std::size_t>(frames.value * config.mel_bins));
    extractor.extract(samples, mel);
    return mel;
  }

  void print(const MelSummary& summary,
             const MelConfig& config,
             const CommandContext& context) const {
    std::ostream& out = context.out;
    if (report_.json()) {
      nlohmann::json object = {{"file", file_},
                               {"duration_s", summary.seconds},
                               {"shape", {config.mel_bins, summary.frames}},
                               {"mean", summary.mean},
                               {"std", summary.std},
                               {"min", summary.min},
                               {"max", summary.max}};
      if (!out_.empty()) {
        object["out"] = out_;
      }
      out << object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      return;
    }
    const Translator& w = context.words;
    const auto fact = [&](const Message& name, const std::string& value) {
      out << fact_line(w.tr(name), value);
    };
    fact(msg::mel_duration{}, w.tr(msg::mel_duration_is{.seconds = plain(summary.seconds, 3)}));
    fact(msg::mel_shape{},
         w.tr(msg::mel_shape_is{.bands = config.mel_bins, .frames = summary.frames}));
    fact(msg::mel_mean{}, w.number(summary.mean, 6));
    fact(msg::mel_std{}, w.number(summary.std, 6));
    fact(msg::mel_min{}, w.number(summary.min, 6));
    fact(msg::mel_max{}, w.number(summary.max, 6));
    if (!out_.empty()) {
      fact(msg::fact_written{}, w.verbatim(out_));
    }
  }

  std::string file_;
  std::string out_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_data_mel_command() {
  return std::make_unique<DataMelCommand>();
}

}  // namespace qanat
