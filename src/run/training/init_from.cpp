#include "training/init_from.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/program_files.h"
#include "checkpoint/find_checkpoint.h"
#include "checkpoint_files/checkpoint_seal.h"
#include "config/field_type.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"
#include "locale/messages/training.h"
#include "text/tokenizer.h"

namespace qanat {
namespace {

constexpr std::string_view kSymbolTable = "text_encoder.embedding.weight";
constexpr std::string_view kSpeakerTable = "speaker_encoder.table.weight";

struct PartPrefix {
  ModelPart part;
  std::string_view prefix;
};
// The first that a name begins with says where it belongs.
constexpr std::array<PartPrefix, 9> kPrefixes = {{
    {ModelPart::symbols, "text_encoder.embedding."},
    {ModelPart::text_encoder, "text_encoder."},
    {ModelPart::speaker_table, "speaker_encoder.table."},
    {ModelPart::speaker_encoder, "speaker_encoder."},
    {ModelPart::aligner, "aligner."},
    {ModelPart::duration_predictor, "duration_predictor."},
    {ModelPart::decoder, "decoder."},
    {ModelPart::decoder, "prior_mean."},
    {ModelPart::decoder, "postnet."},
}};

std::vector<std::string> shortened_list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())));
  if (names.size() > kShown) {
    shown.emplace_back("…");
  }
  return shown;
}

// What the user names: a folder of checkpoints, one of them, or the start weights of the program.
struct Origin {
  std::filesystem::path path;
  bool is_start = false;
};

Origin origin_of(const RunConfig& config) {
  if (*config.training.init_from != kStartWord) {
    return {.path = *config.training.init_from};
  }
  const std::filesystem::path start = start_weights();
  const std::filesystem::path path = trains_vocoder(config.training) ? start / "vocoder" : start;
  std::error_code unknown;
  if (start.empty() || !std::filesystem::exists(start / kSealName, unknown)) {
    throw MessageError(msg::start_none{.path = start.string()});
  }
  if (!std::filesystem::exists(path / kSealName, unknown)) {
    throw MessageError(msg::start_no_vocoder{});
  }
  return {.path = path, .is_start = true};
}

LoadedCheckpoint load_at(const std::filesystem::path& path,
                         const CheckpointParts& parts,
                         const WarnFn& warn) {
  Result<std::optional<LoadedCheckpoint>> found =
      find_checkpoint({.path = path, .parts = parts, .warn = warn});
  if (!found) {
    throw MessageError(
        msg::init_damaged{.path = path.string(), .reason = reason_of(found.failure())});
  }
  if (!found.value()) {
    throw MessageError(msg::init_none{.path = path.string()});
  }
  return *std::move(found).value();
}

CheckpointState state_of(const LoadedCheckpoint& loaded, const std::filesystem::path& path) {
  Result<CheckpointState> state = to_checkpoint_state(loaded.checkpoint.state);
  if (!state) {
    throw MessageError(
        msg::init_damaged{.path = path.string(), .reason = reason_of(state.failure())});
  }
  return std::move(state).value();
}

// By id; nothing when the ids of the checkpoint mean symbols of another version.
std::optional<std::vector<std::string>> symbols_of(const StoredText& text) {
  const Tokenizer tokenizer(text.units, text.symbols);
  if (tokenizer.hash() != text.symbol_table_hash) {
    return std::nullopt;
  }
  std::vector<std::string> symbols;
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    symbols.push_back(tokenizer.symbol(id));
  }
  return symbols;
}

// What has been taken, and what is said about it.
class Taking {
 public:
  Taking(const LoadedCheckpoint& from, const CheckpointState& ours, const TensorMap& views)
      : from_(from), stored_(state_of(from, from.folder)), ours_(ours), views_(views) {}

  Message run() {
    const torch::NoGradGuard no_grad;
    for (const auto& [name, view] : views_) {
      all_ += view.numel();
      if (name == kSymbolTable) {
        take_symbols(view);
      } else if (name == kSpeakerTable) {
        take_speakers(view);
      } else {
        take_whole(name, view);
      }
    }
    std::vector<std::string> unused;
    for (const auto& [name, tensor] : from_.checkpoint.ema) {
      if (!views_.contains(name)) {
        unused.push_back(name);
      }
    }
    if (!fresh_.empty()) {
      details_.emplace_back(msg::init_fresh{.names = shortened_list(fresh_)});
    }
    if (!unused.empty()) {
      details_.emplace_back(msg::init_unused{.names = shortened_list(unused)});
    }
    return msg::init_taken{
        .folder = from_.folder.string(),
        .step = from_.step,
        .share = in_percent(static_cast<double>(taken_) / static_cast<double>(all_), 1),
        .details = details_.empty() ? Message(msg::init_all_fit{})
                                    : Message(msg::init_details{.parts = details_})};
  }

 private:
  struct Rows {
    std::size_t known = 0;
    std::vector<std::string> fresh{};
  };

  const torch::Tensor* find(std::string_view name) const {
    const auto found = from_.checkpoint.ema.find(std::string(name));
    return found == from_.checkpoint.ema.end() ? nullptr : &found->second;
  }

  void take_whole(const std::string& name, const torch::Tensor& view) {
    const torch::Tensor* const found = find(name);
    if (found == nullptr || found->sizes() != view.sizes()) {
      fresh_.push_back(name);
      return;
    }
    view.copy_(*found);
    taken_ += view.numel();
  }

  // Rows of the same name; nothing when the tables do not have rows of one width.
  std::optional<Rows> take_rows(const torch::Tensor* table,
                                const std::vector<std::string>& stored,
                                const std::vector<std::string>& ours,
                                const torch::Tensor& view) {
    if (table == nullptr || table->dim() != 2 || table->size(1) != view.size(1) ||
        table->size(0) < static_cast<std::int64_t>(stored.size()) ||
        view.size(0) < static_cast<std::int64_t>(ours.size())) {
      return std::nullopt;
    }
    Rows rows;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const auto found = std::ranges::find(stored, ours[i]);
      if (found == stored.end()) {
        rows.fresh.push_back(ours[i]);
        continue;
      }
      view[static_cast<std::int64_t>(i)].copy_((*table)[found - stored.begin()]);
      taken_ += view.size(1);
      ++rows.known;
    }
    return rows;
  }

  void take_symbols(const torch::Tensor& view) {
    const auto stored = symbols_of(stored_.text);
    const auto ours = symbols_of(ours_.text);
    const auto rows = stored && ours ? take_rows(find(kSymbolTable), *stored, *ours, view)
                                     : std::optional<Rows>();
    if (!rows) {
      details_.emplace_back(msg::init_symbols_unknown{.all = view.size(0)});
    } else if (!rows->fresh.empty()) {
      details_.emplace_back(msg::init_symbols{
          .known = rows->known, .all = ours->size(), .names = shortened_list(rows->fresh)});
    }
  }

  void take_speakers(const torch::Tensor& view) {
    const torch::Tensor* const table = find(kSpeakerTable);
    const bool fits = table != nullptr && table->dim() == 2 && table->size(1) == view.size(1);
    // Rows are added to what the reference says: zero changes nothing.
    view.copy_(fits ? table->mean(0, /*keepdim=*/true).expand_as(view) : torch::zeros_like(view));
    const Rows rows = take_rows(table, stored_.speakers, ours_.speakers, view)
                          .value_or(Rows{.known = 0, .fresh = ours_.speakers});
    details_.emplace_back(rows.fresh.empty()
                              ? Message(msg::init_speakers_kept{.all = ours_.speakers.size()})
                              : Message(msg::init_speakers{.known = rows.known,
                                                           .all = ours_.speakers.size(),
                                                           .names = shortened_list(rows.fresh)}));
  }

  const LoadedCheckpoint& from_;
  const CheckpointState stored_;
  const CheckpointState& ours_;
  const TensorMap& views_;
  std::int64_t all_ = 0;  // values
  std::int64_t taken_ = 0;
  std::vector<std::string> fresh_;  // tensors
  MessageArg::List details_;
};

void check_network(const Origin& origin, ModelSize stored, const MelConfig& mel, ModelSize size) {
  const std::filesystem::path path = origin.is_start ? kStartWord : origin.path;
  if (stored != size) {
    throw MessageError(msg::init_other_size{.path = path.string(),
                                            .stored = FieldType<ModelSize>::name_of(stored),
                                            .ours = FieldType<ModelSize>::name_of(size)});
  }
  if (mel != MelConfig{}) {
    throw MessageError(msg::init_other_mel{.path = path.string()});
  }
}

void check_model(const LoadedCheckpoint& loaded, const Origin& origin, const RunConfig& config) {
  const std::filesystem::path& path = origin.path;
  if (!trains_vocoder(config.training)) {
    const CheckpointState stored = state_of(loaded, path);
    check_network(origin, stored.model.size, stored.mel, config.model.size);
    return;
  }
  const Result<VocoderState> stored = to_vocoder_state(loaded.checkpoint.state);
  if (!stored) {
    throw MessageError(
        msg::init_damaged{.path = path.string(), .reason = reason_of(stored.failure())});
  }
  check_network(origin, stored.value().size, stored.value().mel, config.model.size);
}

}  // namespace

void check_initial(const RunConfig& config) {
  if (config.training.init_from) {
    const Origin origin = origin_of(config);
    const LoadedCheckpoint loaded =
        load_at(origin.path, {.weights = false, .ema = false, .optimizer = false}, nullptr);
    check_model(loaded, origin, config);
  }
}

std::optional<LoadedCheckpoint> load_initial(const RunConfig& config, const WarnFn& warn) {
  if (!config.training.init_from) {
    if (config.training.freeze && !trains_vocoder(config.training)) {
      throw MessageError(msg::init_freeze_random{});
    }
    return std::nullopt;
  }
  const Origin origin = origin_of(config);
  LoadedCheckpoint loaded = load_at(origin.path, {.weights = false, .optimizer = false}, warn);
  check_model(loaded, origin, config);
  if (loaded.checkpoint.ema.empty()) {
    loaded = load_at(loaded.folder, {.ema = false, .optimizer = false}, warn);
    loaded.checkpoint.ema = std::move(loaded.checkpoint.weights);
  }
  return loaded;
}

Message take_weights(const LoadedCheckpoint& from,
                     const CheckpointState& ours,
                     const TensorMap& views) {
  return Taking(from, ours, views).run();
}

FlatParameters::IsWanted parameters_of(const std::vector<ModelPart>& parts) {
  return [parts](const std::string& name) {
    const auto* const found = std::ranges::find_if(
        kPrefixes, [&](const PartPrefix& one) { return name.starts_with(one.prefix); });
    return found != kPrefixes.end() && std::ranges::find(parts, found->part) != parts.end();
  };
}

}  // namespace qanat
