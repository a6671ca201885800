#include "torch_cli/checkpoint_flags.h"

#include "config/run_config.h"
#include "locale/messages/help.h"

namespace qanat {

void CheckpointFlags::declare(Flags& flags) {
  flags.text("--checkpoint", checkpoint_, "DIR", msg::help_checkpoint{});
  flags.choice("--pick", pick_, "WORD", {"latest", "best"}, msg::help_pick{})
      ->transform(Flags::renamed("newest", "latest"));
  flags.choice("--weights", weights_, "WORD", {"ema", "plain"}, msg::help_weights{})
      ->transform(Flags::renamed("averaged", "ema"));
}

CheckpointChoice CheckpointFlags::choice() const {
  return {.path = checkpoint_ == "auto" ? TrainingConfig().checkpoint_dir : checkpoint_,
          .pick = pick_ == "best" ? CheckpointPick::best : CheckpointPick::newest,
          .weights = weights_ == "plain" ? WeightsPick::plain : WeightsPick::averaged};
}

}  // namespace qanat
