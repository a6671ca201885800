// Runs that train a vocoder: what they tell, leave behind and resume.
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/files.h"
#include "metrics/journal_testing.h"
#include "replicas/thread_group.h"
#include "speech/speech_testing.h"
#include "training/train_session_testing.h"

namespace qanat {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kStart = 4;  // of the discriminators

// Losses by the names of the journal, and the gradient norms.
class LossListener : public TrainListener {
 public:
  using TrainListener::TrainListener;

  void on_step(const StepRecord& record) override {
    records.push_back(record);
    TrainListener::on_step(record);
  }

  std::vector<StepRecord> records;
};

class VocoderRunTest : public TrainSessionTest {
 protected:
  LoadedConfig vocoder(const std::string& name, std::int64_t steps) const {
    LoadedConfig config = this->config(name, steps);
    config.values.training.task = TrainingTask::vocoder;
    config.values.training.render_every = 0;
    config.values.training.warmup_steps = 2;
    config.values.vocoder.segment_frames = 12;
    config.values.vocoder.discriminator_start = kStart;
    return config;
  }
  // 7 steps, with a checkpoint of each.
  LoadedConfig whole() const {
    LoadedConfig config = vocoder("whole", 7);
    config.values.training.save_every = 1;
    config.values.training.keep_checkpoints = 9;
    TrainListener listener;
    train(config, listener);
    return config;
  }
  // The same run, killed after the checkpoint of a step.
  LoadedConfig broken(const LoadedConfig& whole, std::int64_t step) const {
    LoadedConfig config = whole;
    config.values.training.checkpoint_dir = folder("broken").string();
    const std::string name = fmt::format("step-{:09}", step);
    std::filesystem::create_directories(folder("broken"));
    std::filesystem::copy(std::filesystem::path(whole.values.training.checkpoint_dir) / name,
                          folder("broken") / name,
                          std::filesystem::copy_options::recursive);
    return config;
  }
  static std::string failure_of(const LoadedConfig& config) {
    TrainListener listener;
    try {
      train(config, listener);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static void edit_newest(const LoadedConfig& config,
                          const std::function<void(Checkpoint&)>& change) {
    CheckpointFolder folder(config.values.training.checkpoint_dir, 3);
    LoadedCheckpoint loaded = folder.newest(nullptr).value();
    change(loaded.checkpoint);
    folder.save(loaded.step, loaded.checkpoint, false);
  }
  // As processes of one machine; `predicting` is told of what each predicts.
  static void train_together(
      const LoadedConfig& config,
      std::vector<TrainListener>& listeners,
      const std::function<void(int rank, std::int64_t done, std::int64_t all)>& predicting = {}) {
    const auto world = static_cast<int>(listeners.size());
    const auto groups = make_thread_groups({.world = world});
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < world; ++rank) {
      threads.emplace_back([&, rank] {
        const auto i = static_cast<std::size_t>(rank);
        run_training({.config = config,
                      .observer = listeners[i],
                      .say = [](const MessageArg&) {},
                      .measuring = nullptr,
                      .predicting =
                          [&, rank](std::int64_t done, std::int64_t all) {
                            if (predicting) {
                              predicting(rank, done, all);
                            }
                          },
                      .starting = [](std::int64_t, std::int64_t) {},
                      .stop = {},
                      .place = {.rank = rank, .world = world, .local_rank = rank},
                      .group = groups[i].get()});
      });
    }
  }
  static bool is_equal(const TensorMap& a, const TensorMap& b) {
    return a.size() == b.size() && std::ranges::all_of(a, [&](const auto& one) {
             return torch::equal(one.second, b.at(one.first));
           });
  }
};

TEST_F(VocoderRunTest, NamesItsLossesAndValidatesByDistances) {
  LoadedConfig config = vocoder("run", kStart + 1);
  config.values.training.validate_every = kStart + 1;
  config.values.data.val_split = 0.3;
  LossListener listener;
  EventList journal;
  listener.sinks = {&journal};

  const TrainSummary summary = train(config, listener);

  ASSERT_EQ(listener.records.size(), static_cast<std::size_t>(kStart + 1));
  const StepLosses& before = listener.records[kStart - 1].losses;
  const StepLosses& after = listener.records[kStart].losses;
  EXPECT_GT(before.stft, 0);
  EXPECT_EQ(before.discriminator, 0);
  EXPECT_GT(after.adversarial, 0);
  EXPECT_GT(after.feature, 0);
  EXPECT_GT(after.discriminator, 0);
  EXPECT_EQ(after.prior, 0);
  ASSERT_EQ(listener.validations.size(), 1U);
  const StepLosses& validated = listener.validations.front().losses;
  EXPECT_DOUBLE_EQ(validated.total, validated.mel + validated.stft);
  EXPECT_EQ(summary.outcome.progress.best_score, validated.total);
  const nlohmann::json line = to_fields(journal.events<StepRecord>().back())["losses"];
  EXPECT_TRUE(line.contains("discriminator") && !line.contains("prior")) << line.dump();
}

TEST_F(VocoderRunTest, RendersTheFirstClipsItValidatesOn) {
  LoadedConfig config = vocoder("run", 2);
  config.values.training.render_every = 2;
  config.values.data.val_split = 0.3;
  TrainListener listener;
  EventList journal;
  listener.sinks = {&journal};

  train(config, listener);
  config.values.training.max_steps = 4;
  train(config, listener);

  const std::filesystem::path renders = this->folder("run") / "renders";
  EXPECT_TRUE(std::filesystem::exists(renders / "step-000000002" / "sentence-1.wav"));
  EXPECT_TRUE(std::filesystem::exists(renders / "step-000000002" / "sentence-1.png"));
  const std::vector<EvaluationRendered> told = journal.events<EvaluationRendered>();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told.front().vocoder, "vocos");
  const std::optional<std::string> recording = told.front().sentences.front().recording;
  EXPECT_EQ(recording, told.back().sentences.front().recording);
  EXPECT_TRUE(std::filesystem::exists(renders / recording.value()));
}

class BrokenVocoderRunTest : public VocoderRunTest, public testing::WithParamInterface<int> {};

// Before the discriminators are switched on, when they are, and after.
TEST_P(BrokenVocoderRunTest, EndsWithTheWeightsOfAnUnbrokenOne) {
  const LoadedConfig unbroken = whole();
  const LoadedConfig config = broken(unbroken, GetParam());
  TrainListener rest;

  const TrainSummary summary = train(config, rest);

  EXPECT_EQ(summary.resumed_from, GetParam());
  EXPECT_EQ(summary.outcome.progress.step, 7);
  expect_equal(tensors_of(unbroken), tensors_of(config));
}

INSTANTIATE_TEST_SUITE_P(, BrokenVocoderRunTest, testing::Values(2, 4, 5));

struct Loss {
  const char* name;
  std::function<void(LoadedConfig&, Checkpoint&)> forget;
};

class ForgetfulVocoderRunTest : public VocoderRunTest, public testing::WithParamInterface<Loss> {};

// Each of these is needed: without it the run ends elsewhere.
TEST_P(ForgetfulVocoderRunTest, EndsWithOtherWeights) {
  const LoadedConfig unbroken = whole();
  LoadedConfig config = broken(unbroken, 5);
  edit_newest(config, [&](Checkpoint& checkpoint) { GetParam().forget(config, checkpoint); });
  TrainListener rest;

  train(config, rest);

  EXPECT_FALSE(is_equal(tensors_of(unbroken), tensors_of(config)));
}

void zero_all(TensorMap& tensors, const std::string& prefix) {
  std::size_t found = 0;
  for (auto& [name, tensor] : tensors) {
    if (name.starts_with(prefix)) {
      tensor = torch::zeros_like(tensor);
      ++found;
    }
  }
  EXPECT_GT(found, 0U) << prefix;
}

INSTANTIATE_TEST_SUITE_P(
    ,
    ForgetfulVocoderRunTest,
    testing::Values(
        Loss{"MomentsOfTheGenerator",
             [](LoadedConfig&, Checkpoint& c) { zero_all(c.optimizer, "first."); }},
        Loss{"MomentsOfTheDiscriminators",
             [](LoadedConfig&, Checkpoint& c) { zero_all(c.optimizer, "discriminator.second."); }},
        Loss{"UpdatesOfTheDiscriminators",
             [](LoadedConfig&, Checkpoint& c) { zero_all(c.optimizer, "discriminator.updates"); }},
        Loss{"WeightsOfTheDiscriminators",
             [](LoadedConfig&, Checkpoint& c) { zero_all(c.weights, "discriminator."); }},
        Loss{"StepOfTheDiscriminators",
             [](LoadedConfig& config, Checkpoint&) {
               config.values.vocoder.discriminator_start = 100;
             }},
        Loss{"WhereItStood",
             [](LoadedConfig&, Checkpoint& c) { c.state["training"]["position"]["epoch"] = 40; }}),
    [](const auto& test) { return test.param.name; });

TEST_F(VocoderRunTest, LearnsTheSameThroughADataGpu) {
  LoadedConfig config = vocoder("two", kStart + 2);
  use_two_virtual_gpus(config);

  EXPECT_EQ(losses_of(config), losses_of(vocoder("one", kStart + 2)));
}

// Sums in another order differ in their last digits, and a network that begins to learn soon shows
// it.
TEST_F(VocoderRunTest, TwoProcessesLearnWhatOneDoes) {
  LoadedConfig config = vocoder("two", kStart + 2);
  config.values.data.batch_size = 2;
  std::vector<TrainListener> listeners(2);
  train_together(config, listeners);

  const std::map<std::int64_t, double> alone = losses_of(vocoder("one", kStart + 2));

  ASSERT_EQ(listeners[0].losses.size(), alone.size());
  for (const auto& [step, loss] : alone) {
    EXPECT_NEAR(listeners[0].losses.at(step), loss, 5e-3 * loss) << step;
  }
}

// Runs that learn from the mel of an untrained speech model, in the folder "speech".
class PredictedMelRunTest : public VocoderRunTest {
 protected:
  void SetUp() override { save_speech(1); }

  void save_speech(std::uint64_t seed) const {
    const CheckpointState state = nano_state();
    const TensorMap weights = nano_weights(state, seed);
    CheckpointFolder(folder("speech"), 3)
        .save(static_cast<std::int64_t>(seed),
              {.weights = weights, .ema = weights, .state = to_json(state)},
              false);
  }
  LoadedConfig predicted(const std::string& name, std::int64_t steps) const {
    LoadedConfig config = vocoder(name, steps);
    config.values.vocoder.mel_from = folder("speech").string();
    return config;
  }
};

TEST_F(PredictedMelRunTest, LearnsWhatTheSpeechModelSays) {
  const std::map<std::int64_t, double> first = losses_of(predicted("first", 2));
  const std::map<std::int64_t, double> same = losses_of(predicted("same", 2));
  save_speech(2);

  const std::map<std::int64_t, double> other = losses_of(predicted("other", 2));

  EXPECT_EQ(first, same);
  EXPECT_NE(first.at(0), other.at(0));
}

TEST_F(PredictedMelRunTest, ValidatesAndRendersWhatTheSpeechModelSays) {
  LoadedConfig config = predicted("run", 2);
  config.values.training.validate_every = 2;
  config.values.training.render_every = 2;
  config.values.training.learning_rate = 1e-12;
  config.values.data.val_split = 0.3;
  LoadedConfig plain = config;
  plain.values.training.checkpoint_dir = folder("plain").string();
  plain.values.vocoder.mel_from.reset();
  TrainListener listener;
  TrainListener plain_listener;

  train(config, listener);
  train(plain, plain_listener);

  EXPECT_THAT(listener.notes, Contains(HasSubstr("is fed the mel that the speech model of")));
  const double fed = listener.validations.front().losses.mel;
  EXPECT_GT(std::abs(fed - plain_listener.validations.front().losses.mel), 0.1 * fed);
  const std::filesystem::path render = "renders/step-000000002/sentence-1.png";
  EXPECT_NE(read_text_file(folder("run") / render).value(),
            read_text_file(folder("plain") / render).value());
}

TEST_F(PredictedMelRunTest, ABrokenRunEndsWithTheWeightsOfAnUnbrokenOne) {
  LoadedConfig unbroken = predicted("whole", 7);
  unbroken.values.training.save_every = 1;
  unbroken.values.training.keep_checkpoints = 9;
  TrainListener listener;
  train(unbroken, listener);
  const LoadedConfig config = broken(unbroken, 5);
  TrainListener rest;

  const TrainSummary summary = train(config, rest);

  EXPECT_EQ(summary.resumed_from, 5);
  expect_equal(tensors_of(unbroken), tensors_of(config));
}

TEST_F(PredictedMelRunTest, ARunThatResumesPredictsNothingAgain) {
  TrainListener listener;
  train(predicted("run", 2), listener);
  const std::filesystem::path shards = folder("run") / "predicted_mel/train";
  const auto before = read_file_identity(shards / "shard-000000.qshard").value();

  train(predicted("run", 4), listener);

  EXPECT_EQ(read_file_identity(shards / "shard-000000.qshard").value(), before);
  EXPECT_FALSE(std::filesystem::exists(shards / "shard-000001.qshard"));
}

TEST_F(PredictedMelRunTest, IsStoppedWhileItPredicts) {
  const LoadedConfig config = predicted("run", 2);
  TrainListener listener;
  const auto run = [&] {
    return run_training({.config = config,
                         .observer = listener,
                         .say = [](const MessageArg&) {},
                         .measuring = nullptr,
                         .predicting =
                             [&](std::int64_t done, std::int64_t) {
                               if (done == 3) {
                                 listener.stop.request_stop();
                               }
                             },
                         .starting = [](std::int64_t, std::int64_t) {},
                         .stop = listener.stop.get_token()});
  };

  EXPECT_FALSE(run());

  EXPECT_TRUE(listener.losses.empty());
  EXPECT_EQ(losses_of(config), losses_of(predicted("unbroken", 2)));
}

TEST_F(PredictedMelRunTest, LearnsTheSameThroughADataGpu) {
  LoadedConfig config = predicted("two", 2);
  use_two_virtual_gpus(config);

  EXPECT_EQ(losses_of(config), losses_of(predicted("one", 2)));
}

// One process predicts; the other finds what it has stored.
TEST_F(PredictedMelRunTest, TwoProcessesSharePredictingAndLearnWhatOneDoes) {
  LoadedConfig alone = predicted("one", kStart + 2);
  alone.values.training.microbatch_size = 2;  // added up as two processes with 2 rows each do
  const std::map<std::int64_t, double> expected = losses_of(alone);
  LoadedConfig config = predicted("two", kStart + 2);
  config.values.data.batch_size = 2;
  std::vector<TrainListener> listeners(2);
  std::mutex mutex;
  std::map<int, std::int64_t> unfinished;  // by rank: how often something was left to predict

  train_together(config, listeners, [&](int rank, std::int64_t done, std::int64_t all) {
    const std::lock_guard lock(mutex);
    unfinished[rank] += done < all ? 1 : 0;
  });

  EXPECT_GT(unfinished[0], 0);
  EXPECT_GT(unfinished[1], 0);
  ASSERT_EQ(listeners[0].losses.size(), expected.size());
  EXPECT_EQ(listeners[0].losses, listeners[1].losses);
  for (const auto& [step, loss] : expected) {
    EXPECT_NEAR(listeners[0].losses.at(step), loss, 1e-6 * loss) << step;
  }
  const TensorMap together = tensors_of(config);
  for (const auto& [name, tensor] : tensors_of(alone)) {
    EXPECT_LT((together.at(name) - tensor).abs().max().item<double>(), 1e-5) << name;
  }
}

TEST_F(PredictedMelRunTest, AnotherSpeechModelBeginsWithoutABestScore) {
  LoadedConfig config = predicted("run", 2);
  config.values.training.validate_every = 2;
  config.values.data.val_split = 0.3;
  TrainListener listener;
  train(config, listener);
  save_speech(2);
  config.values.training.max_steps = 3;
  TrainListener rest;

  train(config, rest);

  EXPECT_THAT(rest.notes, Contains(HasSubstr("validation")));
}

TEST_F(PredictedMelRunTest, RefusesAVocoderAndWhatIsNotThere) {
  TrainListener listener;
  train(vocoder("vocoder", 1), listener);
  LoadedConfig config = predicted("run", 1);

  config.values.vocoder.mel_from = folder("vocoder").string();
  EXPECT_THAT(failure_of(config), HasSubstr("expected checkpoints of a speech model"));
  config.values.vocoder.mel_from = folder("nowhere").string();
  EXPECT_THAT(failure_of(config), HasSubstr("no checkpoint"));
}

// A note says that the flag has no effect; another one must not say the opposite.
TEST_F(VocoderRunTest, FreezesNothingAndDoesNotSayItDoes) {
  LoadedConfig config = vocoder("frozen", 1);
  config.values.training.freeze = {{ModelPart::decoder}};
  TrainListener listener;

  train(config, listener);

  EXPECT_THAT(listener.notes, Not(Contains(HasSubstr("keep the weights"))));
}

TEST_F(VocoderRunTest, AnotherSegmentBeginsTheEpochAgain) {
  LoadedConfig config = broken(whole(), 5);
  config.values.vocoder.segment_frames = 16;
  TrainListener rest;

  train(config, rest);

  EXPECT_THAT(rest.notes, Contains(HasSubstr("vocoder.segment_frames 12 -> 16")));
}

TEST_F(VocoderRunTest, RefusesTheCheckpointsOfASpeechRunAndTheReverse) {
  TrainListener listener;
  train(config("speech", 1), listener);
  train(vocoder("vocoder", 1), listener);

  EXPECT_THAT(failure_of(vocoder("speech", 2)),
              HasSubstr("this run trains vocoder; try --task speech"));
  EXPECT_THAT(failure_of(config("vocoder", 2)),
              HasSubstr("this run trains speech; try --task vocoder"));
}

TEST_F(VocoderRunTest, BeginsWithTheVocoderOfAnotherRun) {
  TrainListener listener;
  train(vocoder("first", 3), listener);
  const TensorMap before = tensors_of(vocoder("first", 3));
  LoadedConfig config = vocoder("second", 1);
  config.values.training.init_from = folder("first").string();
  config.values.training.learning_rate = 1e-9;
  TrainListener rest;

  train(config, rest);

  EXPECT_THAT(rest.notes, Contains(HasSubstr("starting with the vocoder of")));
  EXPECT_TRUE(
      torch::allclose(tensors_of(config).at("head.weight"), before.at("ema.head.weight"), 0, 1e-6));
}

TEST_F(VocoderRunTest, BeginsWithAVocoderThatHasNoAveragedWeights) {
  TrainListener listener;
  train(vocoder("first", 3), listener);
  edit_newest(vocoder("first", 3), [](Checkpoint& checkpoint) { checkpoint.ema.clear(); });
  const TensorMap before = tensors_of(vocoder("first", 3));
  ASSERT_GT(std::ranges::count_if(
                before, [](const auto& one) { return one.first.starts_with("discriminator."); }),
            0);
  LoadedConfig config = vocoder("second", 1);
  config.values.training.init_from = folder("first").string();
  config.values.training.learning_rate = 1e-9;
  TrainListener rest;

  train(config, rest);

  EXPECT_TRUE(
      torch::allclose(tensors_of(config).at("head.weight"), before.at("head.weight"), 0, 1e-6));
}

}  // namespace
}  // namespace qanat
