#include "torch_cli/checkpoint_flags.h"

#include "config/training_config.h"

namespace qanat {

void CheckpointFlags::declare(CLI::App& app) {
  app.add_option("--checkpoint",
                 checkpoint_,
                 "folder of checkpoints, or one of them (default: auto, the folder `checkpoints`)")
      ->type_name("DIR");
  app.add_option("--pick", pick_, "newest, or best by validation (default: newest)")
      ->check(CLI::IsMember({"newest", "best"}).description(""))
      ->type_name("WORD");
  app.add_option("--weights", weights_, "averaged, or plain (default: averaged)")
      ->check(CLI::IsMember({"averaged", "plain"}).description(""))
      ->type_name("WORD");
}

CheckpointChoice CheckpointFlags::choice() const {
  return {.path = checkpoint_ == "auto" ? TrainingConfig().checkpoint_dir : checkpoint_,
          .pick = pick_ == "best" ? CheckpointPick::best : CheckpointPick::newest,
          .weights = weights_ == "plain" ? WeightsPick::plain : WeightsPick::averaged};
}

}  // namespace qanat
