#include "torch_cli/checkpoint_flags.h"

#include "locale/messages/help.h"
#include "locale/messages/languages.h"

namespace qanat {

void CheckpointFlags::declare(Flags& flags) {
  flags.text("--checkpoint", checkpoint_, "DIR", msg::help_checkpoint{});
  flags.choice("--pick", pick_, "WORD", {"latest", "best"}, msg::help_pick{})
      ->transform(Flags::renamed("newest", "latest"));
  flags.choice("--weights", weights_, "WORD", {"ema", "plain"}, msg::help_weights{})
      ->transform(Flags::renamed("averaged", "ema"));
  flags.text("--g2p", g2p_, "CMD", msg::help_text_g2p{});
  flags.on("--force-front-end", force_, msg::help_force_front_end{});
}

CheckpointChoice CheckpointFlags::choice() const {
  return {.path = checkpoint_ == "auto" ? "" : checkpoint_,
          .pick = pick_ == "best" ? CheckpointPick::best : CheckpointPick::newest,
          .weights = weights_ == "plain" ? WeightsPick::plain : WeightsPick::averaged,
          .front_end = {
              .g2p = g2p_,
              .if_other = force_ ? FrontEndChoice::IfOther::use : FrontEndChoice::IfOther::refuse}};
}

}  // namespace qanat
