#include "training/init_from.h"

#include <fstream>

#include <gmock/gmock.h>

#include "base/error.h"
#include "training/train_session_testing.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class InitFromTest : public TrainSessionTest {
 protected:
  // A finished run to start from.
  LoadedConfig pretrained(bool speakers = false) {
    LoadedConfig config = this->config("pretrained", 2);
    config.values.model.speaker_table = speakers;
    TrainListener listener;
    train(config, listener);
    return config;
  }
  LoadedConfig tuned(const std::string& name, std::int64_t steps = 1) {
    LoadedConfig config = this->config(name, steps);
    config.values.training.init_from = folder("pretrained").string();
    config.values.training.learning_rate = 1e-12;  // what it starts with is what it ends with
    return config;
  }
  void name_speakers(const std::vector<std::string>& names) {
    data_.write_manifest("metadata.csv", 0, 12, names);
  }
  static std::string error_of(const LoadedConfig& config) {
    try {
      TrainListener listener;
      train(config, listener);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
};

constexpr double kOneTinyStep = 1e-9;  // of a learning rate that is all but zero

TEST_F(InitFromTest, TakesTheAveragedWeightsAndStartsAtStepZero) {
  const TensorMap before = tensors_of(pretrained());
  const LoadedConfig config = tuned("tuned");

  TrainListener listener;
  const TrainSummary summary = train(config, listener);

  const TensorMap after = tensors_of(config);
  EXPECT_TRUE(torch::allclose(
      after.at("decoder.out.weight"), before.at("ema.decoder.out.weight"), 0, kOneTinyStep));
  EXPECT_TRUE(torch::allclose(
      after.at("ema.decoder.out.weight"), before.at("ema.decoder.out.weight"), 0, kOneTinyStep));
  EXPECT_FALSE(torch::equal(before.at("decoder.out.weight"), before.at("ema.decoder.out.weight")));
  EXPECT_THAT(listener.losses, testing::SizeIs(1));
  EXPECT_EQ(listener.losses.begin()->first, 0);
  EXPECT_EQ(summary.outcome.progress.step, 1);
  EXPECT_EQ(to_json(summary)["init_from"]["step"], 2);
  EXPECT_THAT(
      listener.notes,
      Contains(AllOf(HasSubstr("step-000000002"), HasSubstr("100"), HasSubstr("everything fits"))));
}

TEST_F(InitFromTest, TakesSpeakersByNameAndStartsNewOnesAtTheMean) {
  name_speakers({"anna", "bert"});
  const TensorMap before = tensors_of(pretrained(true));
  name_speakers({"clara", "bert"});
  LoadedConfig config = tuned("tuned");
  config.values.model.speaker_table = true;

  TrainListener listener;
  train(config, listener);

  const torch::Tensor stored = before.at("ema.speaker_encoder.table.weight");         // anna, bert
  const torch::Tensor table = tensors_of(config).at("speaker_encoder.table.weight");  // bert, clara
  EXPECT_TRUE(torch::allclose(table[0], stored[1], 0, kOneTinyStep));
  EXPECT_TRUE(torch::allclose(table[1], stored.mean(0), 0, 1e-6));
  EXPECT_THAT(listener.notes, Contains(AllOf(HasSubstr("speakers: 1 of 2"), HasSubstr("clara"))));
}

TEST_F(InitFromTest, TakesTheRowsOfSymbolsThatBothTablesHave) {
  LoadedCheckpoint from;
  const TextConfig characters;
  const TextFrontEnd text(characters);
  CheckpointState stored{.model = {.size = ModelSize::nano, .vocabulary = text.tokenizer().size()},
                         .text = stored_text(characters, text),
                         .speakers = {},
                         .mel = {}};
  from.checkpoint.state = to_json(stored);
  const int rows = text.tokenizer().size();
  from.checkpoint.ema["text_encoder.embedding.weight"] =
      torch::arange(rows, torch::kFloat32).unsqueeze(1).expand({rows, 2}).clone();
  from.checkpoint.ema["aligner.gone"] = torch::ones({1});
  const Tokenizer phonemes(SymbolSet::phonemes);
  CheckpointState ours = stored;
  ours.text.units = SymbolSet::phonemes;
  ours.text.symbol_table_hash = phonemes.hash();
  TensorMap views{{"text_encoder.embedding.weight", torch::full({phonemes.size(), 2}, -1.0F)},
                  {"decoder.new", torch::ones({2})}};

  const std::string note = Translator().tr(take_weights(from, ours, views));

  const torch::Tensor table = views.at("text_encoder.embedding.weight");
  for (TokenId id = 0; id < phonemes.size(); ++id) {
    float expected = -1;  // as it was
    for (TokenId other = 0; other < rows; ++other) {
      if (text.tokenizer().symbol(other) == phonemes.symbol(id)) {
        expected = static_cast<float>(other);
      }
    }
    EXPECT_EQ(table[id][0].item<float>(), expected) << phonemes.symbol(id);
  }
  EXPECT_THAT(note,
              AllOf(HasSubstr("symbols:"),
                    HasSubstr("new, with random weights: decoder.new"),
                    HasSubstr("not used of that model: aligner.gone")));
}

TEST_F(InitFromTest, KeepsFrozenPartsToTheBitWhileTheRestLearns) {
  pretrained();
  LoadedConfig config = tuned("tuned", 3);
  config.values.training.learning_rate = 1e-2;
  config.values.training.freeze = {{ModelPart::text_encoder, ModelPart::decoder}};
  const TensorMap before = load_initial(config.values, nullptr)->checkpoint.ema;

  TrainListener listener;
  train(config, listener);

  const TensorMap after = tensors_of(config);
  const FlatParameters::IsWanted frozen = parameters_of(*config.values.training.freeze);
  int kept = 0;
  for (const auto& [name, tensor] : before) {
    if (frozen(name)) {
      EXPECT_TRUE(torch::equal(after.at(name), tensor)) << name;
      EXPECT_TRUE(torch::equal(after.at("ema." + name), tensor)) << name;
      ++kept;
    }
  }
  EXPECT_GT(kept, 20);
  for (const char* const name : {"text_encoder.embedding.weight", "aligner.key_in.weight"}) {
    EXPECT_FALSE(torch::equal(after.at(name), before.at(name))) << name;
  }
  EXPECT_THAT(listener.notes, Contains(HasSubstr("text_encoder, decoder keep the weights")));
}

TEST_F(InitFromTest, ARunWithCheckpointsOfItsOwnResumesAndSaysSo) {
  pretrained();
  LoadedConfig config = tuned("tuned", 2);
  config.values.training.save_every = 1;
  TrainListener first;
  train(config, first);
  config.values.training.max_steps = 3;

  TrainListener second;
  const TrainSummary summary = train(config, second);

  EXPECT_EQ(summary.resumed_from, 2);
  EXPECT_THAT(second.notes, Contains(HasSubstr("--init-from is not used")));
  EXPECT_THAT(second.notes, Not(Contains(HasSubstr("starting with the weights"))));
  EXPECT_EQ(to_json(summary)["init_from"]["step"], 2);  // where the run came from is not forgotten
}

TEST_F(InitFromTest, TheJournalKeepsWhatWasTaken) {
  pretrained();
  const LoadedConfig config = tuned("tuned");
  TrainListener listener;
  const TrainSummary summary = train(config, listener);

  std::ifstream journal(summary.journal);
  const std::string text{std::istreambuf_iterator<char>(journal), {}};

  EXPECT_THAT(text, HasSubstr("starting with the weights of"));
}

TEST_F(InitFromTest, RefusesAModelOfAnotherSizeBeforeItReadsTheData) {
  pretrained();
  LoadedConfig config = tuned("tuned");
  config.values.model.size = ModelSize::tiny;
  config.values.data.train_data = "nowhere";

  EXPECT_THAT(error_of(config), AllOf(HasSubstr("nano"), HasSubstr("--model-size nano")));
}

TEST_F(InitFromTest, SaysWhatWasExpectedWhereThereIsNoCheckpoint) {
  LoadedConfig config = tuned("tuned");
  config.values.training.init_from = "nowhere";

  EXPECT_THAT(error_of(config), AllOf(HasSubstr("--init-from nowhere"), HasSubstr("expected")));
}

TEST_F(InitFromTest, RefusesToFreezeRandomWeights) {
  LoadedConfig config = this->config("new", 1);
  config.values.training.freeze = {{ModelPart::decoder}};

  EXPECT_THAT(error_of(config), HasSubstr("--init-from CHECKPOINT"));
}

}  // namespace
}  // namespace qanat
