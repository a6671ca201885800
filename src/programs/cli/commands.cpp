#include "cli/commands.h"

#include "locale/messages/evaluate.h"
#include "locale/messages/exported_voice.h"
#include "locale/messages/help.h"
#include "locale/messages/voice_server.h"

namespace qanat {

std::vector<CommandEntry> all_commands(const TorchCommands& torch) {
  return {
      {"align", msg::summary_align::id, torch.align},
      {"analyze", msg::summary_analyze::id, torch.analyze},
      {"completion", msg::summary_completion::id, torch.completion},
      {"config show", msg::summary_config_show::id, make_config_show_command},
      {"config reference", msg::summary_config_reference::id, make_config_reference_command},
      {"data check", msg::summary_data_check::id, make_data_check_command},
      {"data doctor", msg::summary_data_doctor::id, make_data_doctor_command},
      {"data make-demo", msg::summary_data_make_demo::id, make_data_make_demo_command},
      {"data mel", msg::summary_data_mel::id, make_data_mel_command},
      {"data text", msg::summary_data_text::id, make_data_text_command},
      {"demo", msg::summary_demo::id, torch.demo},
      {"devices", msg::summary_devices::id, torch.devices},
      {"diagnose", msg::summary_diagnose::id, torch.diagnose},
      {"evaluate", msg::summary_evaluate::id, make_evaluate_command},
      {"export", msg::summary_export::id, torch.export_voice},
      {"manual", msg::summary_manual::id, torch.manual},
      {"precompute", msg::summary_precompute::id, make_precompute_command},
      {"profile data", msg::summary_profile_data::id, make_profile_data_command},
      {"profile step", msg::summary_profile_step::id, torch.profile_step},
      {"profile dual", msg::summary_profile_dual::id, torch.profile_dual},
      {"report", msg::summary_report::id, make_report_command},
      {"rules", msg::summary_rules::id, make_rules_command},
      {"selftest", msg::summary_selftest::id, torch.selftest},
      {"serve", msg::summary_serve::id, torch.serve},
      {"synth", msg::summary_synth::id, torch.synth},
      {"top", msg::summary_top::id, make_top_command},
      {"train", msg::summary_train::id, torch.train},
      {"validate", msg::summary_validate::id, torch.validate},
      {"version", msg::summary_version::id, make_version_command},
      {"watch", msg::summary_watch::id, make_watch_command},
  };
}

}  // namespace qanat
