#include "training/announce_plan.h"

#include "config/check_config.h"
#include "config/field_type.h"
#include "locale/messages/devices.h"
#include "locale/messages/training.h"
#include "monitor/host_facts.h"
#include "replicas/process_group.h"

namespace qanat {
namespace {

// Beyond it threads only wait for each other, also where they read from slow storage.
constexpr int kMaxWorkersPerCore = 16;

}  // namespace

void announce_plan(const TrainRequest& request,
                   const ProcessGroup& group,
                   const PlanChoice& choice) {
  const RunConfig& config = request.config.values;
  for (const Message& line : describe_plan(choice.plan, config.data, request.symbols)) {
    request.say(line);
  }
  const ProcessRank place = group.rank();
  if (place.world > 1) {
    request.say(msg::replicas_together{.world = place.world,
                                       .rank = place.rank,
                                       .host = group.host(place.rank),
                                       .backend = group.backend()});
    if (config.training.enable_graph_mode == true) {
      request.observer.on_note(msg::replicas_no_graphs{});
    }
  }
  const Capabilities capabilities{.trainer = true,
                                  .gpu = choice.plan.model.kind != DeviceKind::cpu,
                                  .cuda = choice.plan.model.kind == DeviceKind::cuda,
                                  .multi_gpu = choice.plan.mode == RunMode::multi_gpu};
  for (const Message& note : inert_notes(request.config, capabilities)) {
    request.observer.on_note(note);
  }
  if (config.training.freeze && !trains_vocoder(config.training)) {
    request.observer.on_note(msg::init_frozen{
        .parts = FieldType<std::vector<ModelPart>>::names(*config.training.freeze)});
  }
  const int cores = allowed_cores(read_host_facts());
  if (config.data.num_workers.value_or(0) > kMaxWorkersPerCore * cores) {
    request.observer.on_note(
        msg::train_many_workers{.workers = *config.data.num_workers, .cores = cores});
  }
  if (config.training.mixed_precision == true && choice.precision == Precision::single) {
    request.observer.on_note(msg::train_no_fast_half{});
  }
}

}  // namespace qanat
