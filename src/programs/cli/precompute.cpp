#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/loader_options.h"
#include "app/make_loader.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/config_flags.h"
#include "cli/precompute_report.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "dataset/data_view.h"
#include "dataset/index_cache.h"
#include "features/feature_fingerprint.h"
#include "launch/replica_place.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "locale/messages/training.h"
#include "pipeline/precompute_folder.h"

namespace qanat {
namespace {

class PrecomputeCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data.train_data", "data.view", "data.num_workers"});
    flags.text("--out", out_, "DIR", msg::help_precompute_out{});
    flags.choice("--dtype", dtype_, "WORD", {"f32", "f16"}, msg::help_precompute_dtype{});
    CLI::Option* const verify = flags.on("--verify", verify_, msg::help_precompute_verify{});
    flags.on("--repair", repair_, msg::help_precompute_repair{})->excludes(verify);
    report_.declare_json(flags);
    flags.footer(msg::footer_precompute{},
                 {"qanat precompute --data LJSpeech-1.1 --dtype f16",
                  "qanat precompute --data LJSpeech-1.1 --verify"});
  }

  ExitCode run(const CommandContext& context) override {
    const std::optional<MelDtype> dtype = parse_dtype();
    const RunConfig config = flags_.load_with_data().values;
    const HostFacts host = read_host_facts();
    const ReplicaPlace place = read_replica_place();
    const int cores = std::max(1, allowed_cores(host) / place.local_world);
    TrainingSetOptions options = make_training_set_options(config, host);
    options.index.threads = cores;
    const auto text = std::make_shared<TextFrontEnd>(make_text_config(config.data));
    const std::shared_ptr<const UtteranceSet> set = load(options, *text, context);
    if (!set) {
      return stopped(context);
    }
    const std::unique_ptr<RowSource> source = make_audio_source({.set = set, .text = text});
    const PrecomputeInputs inputs{.manifest = set->manifest,
                                  .index = set->index,
                                  .source = *source,
                                  .mel = kMel,
                                  .fingerprint = feature_fingerprint(kMel, text->hash())};
    const std::filesystem::path folder = folder_for(config.data, set->manifest);
    if (verify_) {
      return verify(inputs, folder, context);
    }
    return make(inputs,
                {.folder = folder,
                 .dtype = dtype,
                 .workers = config.data.num_workers.value_or(cores),
                 .share = {.rank = place.rank, .world = place.world},
                 .stop = context.stop},
                context);
  }

 private:
  std::optional<MelDtype> parse_dtype() const {
    if (dtype_.empty()) {
      return std::nullopt;
    }
    return dtype_ == "f32" ? MelDtype::f32 : MelDtype::f16;
  }

  // Null when stopped.
  std::shared_ptr<const UtteranceSet> load(const TrainingSetOptions& options,
                                           TextFrontEnd& text,
                                           const CommandContext& context) const {
    auto set = std::make_shared<UtteranceSet>();
    auto store = options.store;
    store.stop = context.stop;
    set->manifest = read_manifest({.data = options.train_data,
                                   .language = options.language,
                                   .columns = options.columns,
                                   .store = store});
    for (const MessageArg& note : reading_notes(set->manifest)) {
      tell(context, msg::note{.text = note});
    }
    if (options.view) {
      for (const MessageArg& note : apply_view(*options.view, set->manifest)) {
        tell(context, msg::note{.text = note});
      }
    }
    ProgressLine progress(context, msg::progress_measuring{});
    IndexOptions how = options.index;
    how.progress = progress.fn();
    how.stop = context.stop;
    if (how.cache_folders.empty()) {
      how.cache_folders = index_cache_folders(set->manifest.root);
    }
    std::optional<DatasetIndex> index =
        build_index(set->manifest, make_index_sources(text, kMel.sample_rate), how);
    progress.finish();
    if (!index) {
      return nullptr;
    }
    trim_lengths(set->manifest, kMel.sample_rate, *index);
    set->index = *std::move(index);
    const std::int64_t num_unused = num_left_out(set->manifest);
    if (num_unused > 0) {
      const Message unused =
          msg::set_left_out{.count = num_unused, .data = options.train_data.string()};
      tell(context, msg::note{.text = unused});
    }
    for (const MessageArg& note : set->index.origin.notes) {
      tell(context, msg::note{.text = note});
    }
    return set;
  }

  std::filesystem::path folder_for(const DataConfig& data, const Manifest& manifest) const {
    if (!out_.empty()) {
      return out_;
    }
    if (data.feature_dir) {
      return *data.feature_dir;
    }
    if (verify_) {
      return find_feature_folder(manifest.root).value_or(writable_feature_folder(manifest.root));
    }
    return writable_feature_folder(manifest.root);
  }

  ExitCode verify(const PrecomputeInputs& inputs,
                  const std::filesystem::path& folder,
                  const CommandContext& context) const {
    const std::optional<FeatureAudit> audit = look(inputs, folder, context);
    if (!audit) {
      return stopped(context);
    }
    const PrecomputeSubject subject = subject_of(inputs, folder);
    report_.print(context.out, to_document(subject, *audit));
    return audit->ok() ? ExitCode::done : ExitCode::findings;
  }

  static std::optional<FeatureAudit> look(const PrecomputeInputs& inputs,
                                          const std::filesystem::path& folder,
                                          const CommandContext& context) {
    ProgressLine progress(context, msg::progress_checking_features{});
    return audit_features(FeatureStore::open(folder, inputs.fingerprint),
                          inputs.manifest,
                          inputs.index,
                          {.progress = progress.fn(), .stop = context.stop});
  }

  ExitCode make(const PrecomputeInputs& inputs,
                PrecomputeOptions options,
                const CommandContext& context) const {
    ProgressLine checking(context, msg::progress_checking_features{});
    ProgressLine making(context, msg::progress_making_features{});
    options.audit_progress = checking.fn();
    options.progress = [&](std::int64_t done, std::int64_t total) {
      checking.finish();
      making.update(done, total);
    };
    const PrecomputeReport report = precompute(inputs, options);
    checking.finish();
    making.finish();
    const PrecomputeSubject subject = subject_of(inputs, options.folder);
    const PrecomputeDetail detail = repair_ ? PrecomputeDetail::ids : PrecomputeDetail::counts;
    report_.print(context.out, to_document(subject, report, detail));
    return report.stopped ? ExitCode::failed : ExitCode::done;
  }

  static PrecomputeSubject subject_of(const PrecomputeInputs& inputs,
                                      const std::filesystem::path& folder) {
    return {.manifest = inputs.manifest, .index = inputs.index, .folder = folder};
  }

  static ExitCode stopped(const CommandContext& context) {
    tell(context, msg::stopped_before_made{});
    return ExitCode::failed;
  }

  ConfigFlags flags_;
  std::string out_;
  std::string dtype_;
  bool verify_ = false;
  bool repair_ = false;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_precompute_command() {
  return std::make_unique<PrecomputeCommand>();
}

}  // namespace qanat
