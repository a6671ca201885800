#include "report/known_names.h"

#include <algorithm>
#include <array>

#include "locale/messages/charts.h"
#include "locale/messages/full_diagnosis.h"
#include "locale/messages/profiles.h"
#include "locale/messages/run_report.h"
#include "monitor/reading_words.h"

namespace qanat {
namespace {

struct KnownName {
  std::string_view name;
  MessageId id;
};

constexpr auto kNames = std::to_array<KnownName>({
    {"decode", msg::stage_decode::id},
    {"mel", msg::stage_mel::id},
    {"tokens", msg::stage_tokens::id},
    {"copy", msg::stage_copy::id},
    {"wait", msg::phase_wait::id},
    {"data wait", msg::phase_data_wait::id},
    {"transfer", msg::phase_transfer::id},
    {"launch", msg::phase_launch::id},
    {"forward", msg::phase_forward::id},
    {"loss", msg::phase_loss::id},
    {"backward", msg::phase_backward::id},
    {"exchange", msg::phase_exchange::id},
    {"retry", msg::phase_retry::id},
    {"optimizer", msg::phase_optimizer::id},
    {"checkpoint", msg::phase_checkpoint::id},
    {"residual", msg::phase_residual::id},
    {"other", msg::phase_other::id},
    {"step", msg::phase_step::id},
    {"load", msg::phase_load::id},
    {"stage", msg::phase_stage::id},
    {"prepare", msg::phase_prepare::id},
    {"train", msg::phase_train::id},
    {"speech", msg::task_speech::id},
    {"vocoder", msg::task_vocoder::id},
    {"model", msg::role_model::id},
    {"data", msg::role_data::id},
    {"max_steps", msg::ending_max_steps::id},
    {"all_epochs", msg::ending_all_epochs::id},
    {"early_stop", msg::ending_early_stop::id},
    {"stopped", msg::ending_stopped::id},
    {"completed", msg::ending_completed::id},
    {"silent", msg::ending_silent::id},
    {"batches of an epoch", msg::cadence_epoch::id},
    {"number of workers", msg::cadence_workers::id},
    {"batches ahead", msg::cadence_ahead::id},
    {"error", msg::severity_error::id},
    {"warning", msg::severity_warning::id},
    {"note", msg::severity_note::id},
    {"done", msg::analysis_done::id},
    {"failed", msg::analysis_failed::id},
    {"cut_short", msg::analysis_cut_short::id},
    {"missing", msg::analysis_missing::id},
});

}  // namespace

MessageArg in_words(std::string_view name) {
  const auto known = std::ranges::find(kNames, name, &KnownName::name);
  return known == kNames.end() ? reading_words(name) : MessageArg(Message{known->id});
}

}  // namespace qanat
