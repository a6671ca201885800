#include "cli/command.h"
#include "cli/config_reference.h"
#include "cli/config_show.h"
#include "cli/data_check.h"
#include "cli/data_make_demo.h"
#include "cli/data_mel.h"
#include "cli/data_text.h"
#include "cli/precompute.h"
#include "cli/profile_data.h"
#include "cli/report.h"
#include "cli/rules.h"
#include "cli/top.h"
#include "cli/version.h"

namespace qanat {
namespace {

// Named here, made in torch_commands.cpp.
constexpr auto kInTorchPart = nullptr;

}  // namespace

std::vector<CommandEntry> all_commands() {
  return {
      {"align", "when each symbol of a data set is heard, for Praat and as JSON", kInTorchPart},
      {"analyze",
       "everything about a data set and its training, measured, in one folder",
       kInTorchPart},
      {"completion", "a script that completes commands and flags", kInTorchPart},
      {"config show",
       "the configuration a run would have, and where it comes from",
       make_config_show_command},
      {"config reference", "every key and flag, as Markdown", make_config_reference_command},
      {"data check",
       "what is in a data set and what is wrong with it, by line and file",
       make_data_check_command},
      {"data make-demo",
       "a small corpus of synthetic speech, with exact phone times",
       make_data_make_demo_command},
      {"data mel",
       "the log-mel spectrogram of a recording, as training sees it",
       make_data_mel_command},
      {"data text", "how a sentence is read, and its tokens", make_data_text_command},
      {"demo", "train a small model in every mode, and compare them in one table", kInTorchPart},
      {"devices", "what there is to run on, and what fits it", kInTorchPart},
      {"diagnose",
       "what is wrong with machine, configuration, data set and run, and what to change",
       kInTorchPart},
      {"manual", "manual pages of all commands", kInTorchPart},
      {"precompute",
       "make the features of a data set once, verify and repair them",
       make_precompute_command},
      {"profile data",
       "how fast and how steadily the loader delivers, and what holds it back",
       make_profile_data_command},
      {"profile step",
       "where a training step spends its time, and what free data would bring",
       kInTorchPart},
      {"profile dual", "do two GPUs pay? measured against one, in turns", kInTorchPart},
      {"report", "what held a run back, from its journal", make_report_command},
      {"rules", "every rule of diagnosis: what it means, what to do", make_rules_command},
      {"selftest", "plant known faults and see whether the diagnosis finds them", kInTorchPart},
      {"synth", "say a text with a trained model", kInTorchPart},
      {"top",
       "a running or finished run, live: pace, loss, buffers, devices, verdict",
       make_top_command},
      {"train", "train a model, in the mode that the flags select", kInTorchPart},
      {"validate",
       "does the pipeline work here? five checks, and whether two GPUs pay",
       kInTorchPart},
      {"version", "what was built, from what, with what", make_version_command},
  };
}

}  // namespace qanat
