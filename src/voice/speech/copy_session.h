// Copy synthesis: recordings through their own log-mel and a vocoder, to hear and measure what the
// vocoder alone does to speech.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/progress.h"

namespace qanat {

struct CopyRequest {
  std::filesystem::path from;  // a sound file, or a folder of them
  std::filesystem::path out;   // WAV; of a folder: the folder for files of the same names
  std::string vocoder;         // see open_vocoder()
  ProgressFn progress;
  std::stop_token stop;
};

struct CopiedClip {
  std::filesystem::path from;
  std::filesystem::path out;
  double audio_s = 0.0;
};

struct CopyReport {
  std::string vocoder;
  std::optional<std::filesystem::path> vocoder_folder;  // absent: Griffin-Lim
  std::vector<CopiedClip> clips;
  double audio_s = 0.0;
  double work_s = 0.0;  // of the vocoder alone

  double real_time_factor() const { return audio_s > 0 ? work_s / audio_s : 0.0; }
};

nlohmann::json to_json(const CopyReport& report);

// Stopped, it reports what is written. Throws Error naming the first file that cannot be read.
CopyReport run_copy_synthesis(const CopyRequest& request);

}  // namespace qanat
