// Recordings and what was said in them, for the acceptance tests. Values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "base/language.h"
#include "model/model_batch.h"

namespace qanat {

struct Clip {
  std::string id;
  std::vector<std::int64_t> tokens;
  torch::Tensor mel;           // f32 [T, 80], natural log-mel
  std::vector<double> starts;  // frame each token begins at, where that is known exactly

  std::int64_t frames() const { return mel.size(0); }
};

struct ClipSet {
  std::vector<Clip> clips;
  int vocabulary = 0;
};

struct DemoSpeech {
  int utterances = 64;
  double mean_seconds = 4;
  Language language = Language::en;
};

// Speech of eSpeak NG, with its phones for tokens and their exact times. Throws Error when eSpeak
// NG is not installed. The corpus is made under `folder` unless it is there already.
ClipSet make_phone_clips(const std::filesystem::path& folder, const DemoSpeech& speech);

// The `count` shortest clips of a data set that say different things, with the tokens a training
// run would give them.
ClipSet read_shortest_clips(const std::filesystem::path& data, int count);

// Padded to the longest. The reference of each clip is its first half.
ModelBatch to_batch(const std::vector<Clip>& clips);

}  // namespace qanat
