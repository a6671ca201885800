#include "torch_cli/checkpoint_flags.h"

#include "config/run_config.h"
#include "locale/messages/help.h"

namespace qanat {

void CheckpointFlags::declare(Flags& flags) {
  flags.text("--checkpoint", checkpoint_, "DIR", msg::help_checkpoint{});
  flags.choice("--pick", pick_, "WORD", {"newest", "best"}, msg::help_pick{});
  flags.choice("--weights", weights_, "WORD", {"averaged", "plain"}, msg::help_weights{});
}

CheckpointChoice CheckpointFlags::choice() const {
  return {.path = checkpoint_ == "auto" ? TrainingConfig().checkpoint_dir : checkpoint_,
          .pick = pick_ == "best" ? CheckpointPick::best : CheckpointPick::newest,
          .weights = weights_ == "plain" ? WeightsPick::plain : WeightsPick::averaged};
}

}  // namespace qanat
