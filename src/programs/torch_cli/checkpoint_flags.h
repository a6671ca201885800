// The flags with which a command names a trained model.
#pragma once

#include <string>

#include "cli/flags.h"
#include "speech/chosen_checkpoint.h"

namespace qanat {

// A part of a command; lives as long as the CLI::App it declared flags on.
class CheckpointFlags {
 public:
  void declare(Flags& flags);
  // After parsing.
  CheckpointChoice choice() const;

 private:
  std::string checkpoint_ = "auto";
  std::string pick_ = "latest";
  std::string weights_ = "ema";
  std::string g2p_;
  bool force_ = false;
};

}  // namespace qanat
