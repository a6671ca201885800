#include "app/loader_options.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "audio/audio_facts.h"
#include "audio/audio_source.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "dataset/index_cache.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "pipeline/clip_source.h"

namespace qanat {
namespace {

// Without a configured budget: an eighth of what is free, within bounds that suit small containers
// and do not surprise on large machines.
constexpr std::int64_t kBudgetShare = 8;
constexpr Bytes kMinBudget = mebibytes(64);
constexpr Bytes kMaxBudget = mebibytes(1024);
constexpr std::int64_t kCacheShare = 4;
// What is taken for free where the kernel does not say.
constexpr Bytes kAssumedFree = mebibytes(2048);

constexpr int kBufferSize = 50;  // batches ahead, when nothing is tuned

Bytes to_bytes(Megabytes megabytes) {
  return mebibytes(megabytes.value);
}

Bytes batch_budget(const RunConfig& config, const HostFacts& host) {
  if (config.pipeline.memory_budget) {
    return to_bytes(*config.pipeline.memory_budget);
  }
  const Bytes share{free_memory(host).value_or(kAssumedFree).value / kBudgetShare};
  return std::clamp(share, kMinBudget, kMaxBudget);
}

BatchingConfig make_batching(const RunConfig& config) {
  if (const std::optional<SegmentOptions> segment = segment_options(config)) {
    return {.batch_size = config.data.batch_size,
            .max_edges = 1,
            .max_frames = segment->frames,
            .max_tokens = 1,
            .token_multiple = 1,
            .frame_budget = config.pipeline.frame_budget,
            .order = config.pipeline.shuffle ? ItemOrder::shuffled : ItemOrder::by_length};
  }
  return {.batch_size = config.data.batch_size,
          .max_edges = config.pipeline.bucket_edges,
          .max_frames = config.data.max_mel_frames,
          .max_tokens = config.data.max_text_length,
          .frame_budget = config.pipeline.frame_budget,
          .shapes =
              config.data.enable_static_shapes ? ShapePolicy::static_edges : ShapePolicy::per_batch,
          .order = config.pipeline.shuffle ? ItemOrder::shuffled : ItemOrder::by_length};
}

// Raised when the length read from some header changes: cached lengths of before are not used.
constexpr int kLengthVersion = 1;

Result<SampleCount> length_of(const Result<AudioHeader>& header, SampleRate rate) {
  if (!header) {
    return header.failure();
  }
  return resampled_length(header.value().samples, header.value().rate, rate);
}

// `Audio` is a path or a clip that is open.
template <typename Audio>
Result<SoundFacts> inspect(const Audio& audio, CheckDepth depth) {
  if (depth == CheckDepth::headers) {
    const Result<AudioHeader> header = read_audio_header(audio);
    if (!header) {
      return header.failure();
    }
    return SoundFacts{
        .rate = header.value().rate, .channels = header.value().channels, .levels = {}};
  }
  const Result<AudioFacts> facts = inspect_audio(audio);
  if (!facts) {
    return facts.failure();
  }
  const AudioFacts& found = facts.value();
  return SoundFacts{.rate = found.header.rate,
                    .channels = found.header.channels,
                    .levels = SoundLevels{.clipped_share = found.clipped_fraction,
                                          .silent = found.silent,
                                          .leading_silence = found.leading_silence,
                                          .trailing_silence = found.trailing_silence,
                                          .non_finite = found.non_finite}};
}

auto probe_files(SampleRate rate) {
  return [rate](const std::filesystem::path& path) {
    return length_of(read_audio_header(path), rate);
  };
}

auto probe_stored(SampleRate rate) {
  return [rate](StoredClip clip) {
    return length_of(read_audio_header(to_audio_file(std::move(clip))), rate);
  };
}

// Beside the index: what was asked for once is not asked again. Empty: there is no data set.
std::filesystem::path phoneme_cache_file(const DataConfig& data) {
  if (!data.train_data || !(data.use_phonemes || data.g2p)) {
    return {};
  }
  const std::string name =
      data.g2p ? fmt::format("g2p-{:016x}.tsv", content_hash(*data.g2p)) : "phonemes.tsv";
  if (data.cache_dir) {
    return std::filesystem::path(*data.cache_dir) / name;
  }
  const std::vector<std::filesystem::path> folders = index_cache_folders(*data.train_data);
  return folders.empty() ? std::filesystem::path() : folders.front() / name;
}

std::vector<NamedCount> unknown_characters(const TextFrontEnd& text, const Utterance& utterance) {
  const Result<TextReading> reading = text.read(utterance.text, utterance.language);
  std::vector<NamedCount> characters;
  if (reading) {
    for (const UnknownSymbol& unknown : reading.value().unknown) {
      characters.push_back({.name = unknown.symbol, .count = unknown.count});
    }
  }
  return characters;
}

std::uint64_t learn_symbols(TextFrontEnd& text,
                            std::span<const Utterance> utterances,
                            const IndexOptions& how) {
  std::vector<TextRow> rows;
  rows.reserve(utterances.size());
  for (const Utterance& utterance : utterances) {
    rows.push_back({.text = utterance.text, .language = utterance.language});
  }
  TextFrontEnd::Learning learning{.progress = {}, .stop = how.stop};
  if (how.progress) {
    learning.progress = [&how](std::size_t done, std::size_t all) {
      how.progress(static_cast<std::int64_t>(done), static_cast<std::int64_t>(all));
    };
  }
  return text.learn(rows, learning);
}

}  // namespace

LoaderOptions make_loader_options(const RunConfig& config,
                                  const HostFacts& host,
                                  int consumer_threads) {
  LoaderOptions options{.batching = make_batching(config),
                        .seed = static_cast<std::uint64_t>(config.training.seed),
                        .epochs = num_epochs(config.training),
                        .workers = config.data.num_workers,
                        .max_workers = std::max(1, allowed_cores(host) - consumer_threads),
                        .window = config.data.pipeline_buffer_size,
                        .max_window = kBufferSize,
                        .budget = batch_budget(config, host),
                        .max_bad_fraction = config.pipeline.max_bad_fraction};
  if (!config.data.optimize_cpu_gpu_overlap) {
    options.workers = options.workers.value_or(options.max_workers);
    options.window = options.window.value_or(kBufferSize);
  }
  return options;
}

std::optional<SegmentOptions> segment_options(const RunConfig& config) {
  if (!trains_vocoder(config.training)) {
    return std::nullopt;
  }
  return SegmentOptions{.frames = config.vocoder.segment_frames + 2 * kSegmentContext,
                        .seed = static_cast<std::uint64_t>(config.training.seed),
                        .step = reads_predicted_mel(config) ? kMel.hop : 1};
}

PayloadKind loaded_payload(const RunConfig& config, bool has_data_gpu) {
  return has_data_gpu ? PayloadKind::pcm_s16 : trained_payload(config);
}

PayloadKind trained_payload(const RunConfig& config) {
  return trains_vocoder(config.training) ? PayloadKind::pcm_s16 : PayloadKind::mel_f32;
}

Bytes feature_cache_budget(const RunConfig& config, const HostFacts& host) {
  if (config.training.epochs == 1) {
    return Bytes{0};
  }
  if (config.pipeline.feature_cache) {
    return to_bytes(*config.pipeline.feature_cache);
  }
  return Bytes{free_memory(host).value_or(kAssumedFree).value / kCacheShare};
}

TextConfig make_text_config(const DataConfig& data) {
  TextConfig text;
  text.units = data.g2p            ? SymbolSet::own
               : data.use_phonemes ? SymbolSet::phonemes
                                   : SymbolSet::characters;
  text.g2p = data.g2p.value_or("");
  text.phoneme_cache = phoneme_cache_file(data);
  text.spelling = data.unify_spelling ? SpellingVariants::unify : SpellingVariants::keep;
  text.ezafe = data.mark_ezafe ? EzafeMarks::add : EzafeMarks::as_written;
  return text;
}

TrainingSetOptions make_training_set_options(const RunConfig& config, const HostFacts& host) {
  if (!config.data.train_data) {
    throw MessageError(msg::data_none_given{});
  }
  TrainingSetOptions options{.train_data = *config.data.train_data};
  options.store.timeout = config.data.store_timeout;
  options.store.requests = config.data.store_requests;
  options.store.cache = to_bytes(config.data.store_cache);
  if (config.data.store_cache_dir) {
    options.store.folder = *config.data.store_cache_dir;
  }
  if (config.data.val_data) {
    options.val_data = *config.data.val_data;
  }
  if (config.data.view) {
    options.view = *config.data.view;
  }
  options.language = config.data.language;
  if (config.data.columns) {
    Result<ColumnChoice> columns = parse_column_choice(*config.data.columns);
    if (!columns) {
      throw Error(columns.failure());
    }
    options.columns = std::move(columns).value();
  }
  options.split = {.val_fraction = config.data.val_split,
                   .seed = static_cast<std::uint64_t>(config.data.split_seed.value_or(0))};
  options.limits.max_tokens = TokenCount{config.data.max_text_length};
  options.limits.max_frames = FrameCount{config.data.max_mel_frames};
  if (trains_vocoder(config.training)) {  // only a segment of an utterance is ever read
    options.limits.max_frames = FrameCount{std::numeric_limits<std::int32_t>::max()};
  }
  options.index.threads = allowed_cores(host);
  if (config.data.cache_dir) {
    options.index.cache_folders = {*config.data.cache_dir};
  }
  return options;
}

CheckOptions make_check_options(const RunConfig& config, const HostFacts& host) {
  const TrainingSetOptions set = make_training_set_options(config, host);
  CheckOptions options;
  options.manifest = {
      .data = set.train_data, .language = set.language, .columns = set.columns, .store = set.store};
  options.view = set.view;
  options.split = set.split;
  options.limits = set.limits;
  options.limits.rate = kMel.sample_rate;
  options.sound.rate = kMel.sample_rate;
  options.max_bad_fraction = config.pipeline.max_bad_fraction;
  options.threads = set.index.threads;
  options.cache_folders = set.index.cache_folders;
  if (options.cache_folders.empty()) {
    std::error_code ignored;
    options.cache_folders =
        index_cache_folders(std::filesystem::is_directory(set.train_data, ignored)
                                ? set.train_data
                                : set.train_data.parent_path());  // of a manifest file
  }
  return options;
}

IndexSources make_index_sources(const TextFrontEnd& text, SampleRate rate) {
  return {
      .probe_length = probe_files(rate),
      .probe_stored = probe_stored(rate),
      .count_tokens = [&text](const Utterance& utterance) -> Result<TokenCount> {
        const Result<std::int64_t> count = text.count_tokens(utterance.text, utterance.language);
        return count ? Result<TokenCount>(TokenCount{count.value()}) : count.failure();
      },
      .settings_hash =
          content_hash(fmt::format("{} {} {}", kLengthVersion, rate.value, text.reading_hash()))};
}

IndexSources make_index_sources(TextFrontEnd& text, SampleRate rate) {
  IndexSources sources = make_index_sources(std::as_const(text), rate);
  // Shared by the copies of the function: the first set is the first for all of them.
  const auto learnt = std::make_shared<bool>(false);
  sources.learn = [&text, learnt](std::span<const Utterance> utterances, const IndexOptions& how) {
    return std::exchange(*learnt, true) ? 0 : learn_symbols(text, utterances, how);
  };
  return sources;
}

IndexSources make_audio_index_sources(SampleRate rate) {
  return {.probe_length = probe_files(rate),
          .probe_stored = probe_stored(rate),
          .count_tokens = [](const Utterance&) -> Result<TokenCount> { return TokenCount{1}; },
          .settings_hash = content_hash(fmt::format("{} {} audio", kLengthVersion, rate.value))};
}

CheckSources make_check_sources(TextFrontEnd& text, SampleRate rate) {
  return {.index = make_index_sources(text, rate),
          .inspect = inspect<std::filesystem::path>,
          .inspect_stored =
              [](StoredClip clip, CheckDepth depth) {
                return inspect(to_audio_file(std::move(clip)), depth);
              },
          .unknown_characters =
              [&text](const Utterance& utterance) { return unknown_characters(text, utterance); }};
}

}  // namespace qanat
