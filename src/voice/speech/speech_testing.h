// A folder with a checkpoint of an untrained nano model, for tests of what uses checkpoints.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "audio/wav_writer.h"
#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "speech/speech_model.h"
#include "train/flat_parameters.h"

namespace qanat {

inline CheckpointState nano_state(std::vector<std::string> speakers = {}) {
  const TextConfig text;
  const TextFrontEnd front_end(text);
  return {.model = {.size = ModelSize::nano, .vocabulary = front_end.tokenizer().size()},
          .text = stored_text(text, front_end),
          .speakers = std::move(speakers),
          .mel = {}};
}

inline TensorMap nano_weights(const CheckpointState& state, std::uint64_t seed = 1) {
  torch::manual_seed(seed);
  XttsModel network(to_model_shape(state));
  const FlatParameters layout(*network);
  return layout.views(layout.adopt(*network, torch::kCPU));
}

class SpeechFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) /
            fmt::format("speech-{}-{}",
                        ::getpid(),
                        testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::filesystem::path checkpoints() const { return root_ / "checkpoints"; }
  void save(const CheckpointState& state, std::int64_t step = 1, bool best = false) const {
    const TensorMap weights = nano_weights(state);
    CheckpointFolder(checkpoints(), 3)
        .save(step, {.weights = weights, .ema = weights, .state = to_json(state)}, best);
  }
  // A second and a half of a hum.
  std::filesystem::path recording(const std::string& name) const {
    std::vector<float> samples(33'000);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i] = 0.3F * std::sin(0.05F * static_cast<float>(i));
    }
    write_wav(root_ / name, samples, SampleRate{22050});
    return root_ / name;
  }

  std::filesystem::path root_;
};

template <typename Function>
std::string error_of(Function&& function) {
  try {
    function();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace qanat
