#include "dataset/dataset_index.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/check.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/for_each_item.h"
#include "dataset/index_cache.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_report.h"

namespace qanat {
namespace {

std::uint64_t audio_key(const Utterance& utterance) {
  return content_hash(utterance.audio);
}

std::uint64_t text_key(const Utterance& utterance) {
  return content_hash(utterance.text, language_number(utterance.language));
}

// What an earlier run found, by position where the manifest is the same, else by key. Read-only
// after construction: lookups are thread-safe.
class KnownLengths {
 public:
  KnownLengths(std::vector<CachedLengths> lengths, const Manifest& manifest)
      : lengths_(std::move(lengths)), is_in_order_(has_order_of(manifest)) {
    if (is_in_order_) {
      return;
    }
    by_audio_.reserve(lengths_.size());
    for (std::uint32_t i = 0; i < lengths_.size(); ++i) {
      by_audio_.emplace_back(lengths_[i].audio_key, i);
    }
    std::ranges::sort(by_audio_);
  }

  const CachedLengths* find(std::size_t item, std::uint64_t key) const {
    if (item < lengths_.size() && lengths_[item].audio_key == key) {
      return &lengths_[item];
    }
    const auto found = std::ranges::lower_bound(by_audio_, std::pair(key, std::uint32_t{0}));
    const bool known = found != by_audio_.end() && found->first == key;
    return known ? &lengths_[found->second] : nullptr;
  }

  bool is_in_order() const { return is_in_order_; }
  const std::vector<CachedLengths>& all() const { return lengths_; }

 private:
  bool has_order_of(const Manifest& manifest) const {
    return std::ranges::equal(
        lengths_, manifest.utterances, {}, &CachedLengths::audio_key, audio_key);
  }

  std::vector<CachedLengths> lengths_;
  bool is_in_order_ = false;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_audio_;  // sorted; only without order
};

// Fixture: one run of build_index().
class IndexBuild {
 public:
  IndexBuild(const Manifest& manifest, const IndexSources& sources, const IndexOptions& options)
      : manifest_(manifest), sources_(sources), options_(options), known_(load(), manifest) {}

  std::optional<DatasetIndex> run();

 private:
  std::vector<CachedLengths> load();
  void save();
  Result<Done> save_in(const std::filesystem::path& folder, std::string_view bytes);
  void measure(std::size_t item, std::vector<IndexFailure>& failures);
  Result<Done> measure_audio(std::size_t item, const CachedLengths* known);
  Result<Done> measure_text(std::size_t item, const CachedLengths* known);
  Result<SampleCount> probe(const ClipContainer& container, const ClipPlace& place) const;
  IndexCache to_cache() const;

  const Manifest& manifest_;
  const IndexSources& sources_;
  const IndexOptions& options_;
  DatasetIndex index_;
  KnownLengths known_;
  std::atomic<std::int64_t> probed_ = 0;   // audio files
  std::atomic<std::int64_t> counted_ = 0;  // texts
};

std::vector<CachedLengths> IndexBuild::load() {
  const std::string name = index_cache_name(manifest_, sources_.settings_hash);
  for (const std::filesystem::path& folder : options_.cache_folders) {
    const std::filesystem::path path = folder / name;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      continue;
    }
    const Result<MappedFile> file = MappedFile::open(path);
    Result<IndexCache> cache =
        file ? parse_index_cache(file.value().bytes()) : Result<IndexCache>(file.failure());
    if (!cache) {
      index_.origin.notes.emplace_back(
          msg::set_measured_again{.cache = path.string(), .why = reason_of(cache.failure())});
      continue;
    }
    if (cache.value().settings_hash == sources_.settings_hash) {
      index_.origin.cache = path;
      return std::move(cache).value().lengths;
    }
  }
  return {};
}

std::optional<DatasetIndex> IndexBuild::run() {
  ParallelOptions parallel{
      .threads = options_.threads, .progress = options_.progress, .stop = options_.stop};
  if (manifest_.ahead) {  // the threads wait for a network, not for cores
    parallel.threads = std::max(num_threads(parallel), manifest_.ahead->options().requests);
  }
  const std::size_t count = manifest_.utterances.size();
  index_.entries.resize(count);
  std::vector<std::vector<IndexFailure>> failures(static_cast<std::size_t>(num_threads(parallel)));
  const bool complete = for_each_item(count, parallel, [&](int worker, std::size_t item) {
    measure(item, failures[static_cast<std::size_t>(worker)]);
  });
  for (std::vector<IndexFailure>& some : failures) {
    std::ranges::move(some, std::back_inserter(index_.failures));
  }
  std::ranges::sort(index_.failures, {}, &IndexFailure::item);
  index_.origin.probed = probed_.load();
  save();
  if (!complete) {
    return std::nullopt;
  }
  index_.origin.reused = static_cast<std::int64_t>(count) - index_.origin.probed;
  return std::move(index_);
}

void IndexBuild::measure(std::size_t item, std::vector<IndexFailure>& failures) {
  const CachedLengths* const known = known_.find(item, audio_key(manifest_.utterances[item]));
  const auto fail = [&](ProblemKind kind, const Failure& failure) {
    const std::filesystem::path path = audio_path(manifest_, manifest_.utterances[item]);
    failures.push_back({static_cast<std::uint32_t>(item), kind, reason_of(failure, path)});
  };
  if (const Result<Done> audio = measure_audio(item, known); !audio) {
    fail(ProblemKind::unreadable_audio, audio.failure());
  } else if (const Result<Done> text = measure_text(item, known); !text) {
    fail(ProblemKind::untokenizable_text, text.failure());
  } else {
    index_.entries[item].usable = true;
  }
}

Result<Done> IndexBuild::measure_audio(std::size_t item, const CachedLengths* known) {
  IndexEntry& entry = index_.entries[item];
  if (known != nullptr && options_.files == FileCheck::unknown_files) {
    entry.identity = known->identity;
    entry.samples = SampleCount{known->samples};
    return Done{};
  }
  const std::filesystem::path path = audio_path(manifest_, manifest_.utterances[item]);
  const Utterance& utterance = manifest_.utterances[item];
  const ClipContainer* const container = container_of(manifest_, utterance);
  const Result<FileIdentity> identity = sources_.identify ? sources_.identify(utterance)
                                        : container != nullptr
                                            ? container->identity(utterance.place)
                                            : read_file_identity(path);
  if (!identity) {
    ++probed_;
    return identity.failure();
  }
  entry.identity = identity.value();
  if (known != nullptr && known->identity == entry.identity) {
    entry.samples = SampleCount{known->samples};
    return Done{};
  }
  ++probed_;
  const Result<SampleCount> samples = sources_.measure       ? sources_.measure(utterance)
                                      : container != nullptr ? probe(*container, utterance.place)
                                                             : sources_.probe_length(path);
  if (!samples) {
    return samples.failure();
  }
  entry.samples = samples.value();
  return Done{};
}

Result<SampleCount> IndexBuild::probe(const ClipContainer& container,
                                      const ClipPlace& place) const {
  Result<StoredClip> clip = container.open(place);
  return clip ? sources_.probe_stored(std::move(clip).value())
              : Result<SampleCount>(clip.failure());
}

Result<Done> IndexBuild::measure_text(std::size_t item, const CachedLengths* known) {
  const Utterance& utterance = manifest_.utterances[item];
  IndexEntry& entry = index_.entries[item];
  if (known != nullptr && known->text_key == text_key(utterance)) {
    entry.tokens = TokenCount{known->tokens};
    return Done{};
  }
  ++counted_;
  const Result<TokenCount> tokens = sources_.count_tokens(utterance);
  if (!tokens) {
    return tokens.failure();
  }
  entry.tokens = tokens.value();
  return Done{};
}

// Failures are not kept: such an item is asked again next time, it may have been repaired. What was
// known of an item that was not reached, or is away for now, stays: its identity guards it.
IndexCache IndexBuild::to_cache() const {
  IndexCache cache{.settings_hash = sources_.settings_hash, .lengths = {}};
  cache.lengths.reserve(index_.entries.size());
  for (std::size_t i = 0; i < index_.entries.size(); ++i) {
    const IndexEntry& entry = index_.entries[i];
    const std::uint64_t key = audio_key(manifest_.utterances[i]);
    if (entry.usable) {
      cache.lengths.push_back({.audio_key = key,
                               .text_key = text_key(manifest_.utterances[i]),
                               .identity = entry.identity,
                               .samples = entry.samples.value,
                               .tokens = entry.tokens.value});
    } else if (const CachedLengths* known = known_.find(i, key)) {
      cache.lengths.push_back(*known);
    }
  }
  return cache;
}

void IndexBuild::save() {
  const bool is_news = probed_ > 0 || counted_ > 0 || !known_.is_in_order();
  if (options_.cache_folders.empty() || !is_news) {
    index_.origin.is_cached = !index_.origin.cache.empty();
    return;
  }
  const IndexCache cache = to_cache();
  if (cache.lengths.empty() || cache.lengths == known_.all()) {
    index_.origin.is_cached = !index_.origin.cache.empty();
    return;
  }
  const std::string bytes = to_bytes(cache);
  MessageArg::List reasons;
  for (const std::filesystem::path& folder : options_.cache_folders) {
    const Result<Done> saved = save_in(folder, bytes);
    if (saved) {
      index_.origin.is_cached = true;
      return;
    }
    reasons.push_back(reason_of(saved.failure()));
  }
  index_.origin.notes.emplace_back(msg::set_not_cached{.why = reasons});
}

Result<Done> IndexBuild::save_in(const std::filesystem::path& folder, std::string_view bytes) {
  const std::filesystem::path path = folder / index_cache_name(manifest_, sources_.settings_hash);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  // The one Error that does not end the run: without a cache the next start is slower, no more.
  try {
    write_text_file(path, bytes);
  } catch (const Error& failed) {
    return failed.failure();
  }
  index_.origin.cache = path;
  return Done{};
}

}  // namespace

std::optional<DatasetIndex> build_index(const Manifest& manifest,
                                        const IndexSources& sources,
                                        const IndexOptions& options) {
  IndexSources asked = sources;
  if (sources.learn) {
    const std::uint64_t learnt = sources.learn(manifest.utterances, options);
    if (options.stop.stop_requested()) {
      return std::nullopt;
    }
    if (learnt != 0) {
      asked.settings_hash = ContentHasher().add(sources.settings_hash).add(learnt).value();
    }
  }
  return IndexBuild(manifest, asked, options).run();
}

DatasetIndex select(const DatasetIndex& index, std::span<const std::uint32_t> items) {
  DatasetIndex part;
  part.entries.reserve(items.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    QANAT_CHECK(items[i] < index.entries.size()) << "item " << items[i];
    part.entries.push_back(index.entries[items[i]]);
    const auto failure =
        std::ranges::lower_bound(index.failures, items[i], {}, &IndexFailure::item);
    if (failure != index.failures.end() && failure->item == items[i]) {
      part.failures.push_back({i, failure->kind, failure->reason});
    }
  }
  return part;
}

}  // namespace qanat
