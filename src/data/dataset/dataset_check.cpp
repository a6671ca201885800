#include "dataset/dataset_check.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/for_each_item.h"
#include "base/utf8.h"
#include "dataset/damage_share.h"
#include "dataset/data_view.h"
#include "dataset/repeated_audio.h"
#include "dataset/script.h"
#include "dataset/sound_findings.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/data_set_layouts.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr std::size_t kExcerpt = 80;  // code points
constexpr std::size_t kClipsOfAKind = 3;

struct CharacterTally {
  std::int64_t occurrences = 0;
  std::int64_t utterances = 0;
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();  // item

  void add(const CharacterTally& other) {
    occurrences += other.occurrences;
    utterances += other.utterances;
    first = std::min(first, other.first);
  }
};

// What one worker found; merged and sorted afterwards, so that the result does not depend on
// threads.
struct WorkerFindings {
  std::vector<DatasetProblem> problems;
  std::vector<std::uint32_t> damaged;
  std::map<std::pair<std::int64_t, int>, std::vector<std::uint32_t>> formats;  // rate, channels
  std::map<std::string, CharacterTally> unknown_characters;
};

using Totals = std::map<std::string, SetTotal>;

void sort_by_duration(auto& totals) {
  std::ranges::stable_sort(
      totals, std::greater{}, [](const auto& one) { return one.total.duration; });
}

std::vector<NamedTotal> by_duration(const Totals& totals) {
  std::vector<NamedTotal> sorted;
  for (const auto& [name, total] : totals) {
    sorted.push_back({name, total});
  }
  sort_by_duration(sorted);
  return sorted;
}

// Fixture: one run of check_dataset(), in the order of its methods.
class DatasetCheck {
 public:
  DatasetCheck(const CheckOptions& options, const CheckSources& sources)
      : options_(options), sources_(sources) {}

  std::optional<DatasetReport> run();

 private:
  bool measure();
  bool inspect_all();
  void inspect(std::uint32_t item, WorkerFindings& found) const;
  Result<SoundFacts> facts_of(const Utterance& utterance) const;
  void inspect_text(std::uint32_t item, WorkerFindings& found) const;
  void merge(std::vector<WorkerFindings> found);
  void drop_damaged(std::vector<std::uint32_t> damaged);
  void find_repeats();
  double pace_of(std::uint32_t item) const;
  void check_pace();
  void choose_notable();
  void add_totals();
  void divide();
  std::optional<Message> too_damaged() const;
  void judge();
  void finish();

  ParallelOptions parallel() const {
    return {
        .threads = options_.threads, .progress = options_.sound_progress, .stop = options_.stop};
  }
  Seconds length_of(std::uint32_t item) const {
    return Seconds{static_cast<double>(index_.entries[item].samples.value) /
                   static_cast<double>(options_.limits.rate.value)};
  }
  DatasetProblem problem_of(std::uint32_t item, ProblemKind kind, MessageArg detail) const;

  const CheckOptions& options_;
  const CheckSources& sources_;
  Manifest manifest_;
  DatasetIndex index_;
  std::vector<std::uint32_t> planned_;     // what a run begins with
  std::size_t num_problems_of_start_ = 0;  // those that a run knows before it loads
  std::vector<std::uint32_t> usable_;      // of planned_, without what cannot be decoded
  DatasetReport report_;
};

std::optional<DatasetReport> DatasetCheck::run() {
  manifest_ = scan_manifest(options_.manifest);
  std::vector<MessageArg> notes;
  if (options_.view) {
    notes = apply_view(*options_.view, manifest_);
  }
  report_.root = manifest_.root;
  report_.sources = manifest_.sources;
  report_.depth = options_.depth;
  report_.limits = options_.limits;
  report_.rows = manifest_.num_rows;
  report_.problems = manifest_.problems;
  if (!measure() || !inspect_all()) {
    return std::nullopt;
  }
  std::ranges::move(notes, std::back_inserter(report_.notes));
  if (options_.depth == CheckDepth::samples) {
    find_repeats();
  }
  check_pace();
  choose_notable();
  add_totals();
  divide();
  judge();
  finish();
  return options_.stop.stop_requested() ? std::nullopt : std::optional(std::move(report_));
}

DatasetProblem DatasetCheck::problem_of(std::uint32_t item,
                                        ProblemKind kind,
                                        MessageArg detail) const {
  const Utterance& utterance = manifest_.utterances[item];
  return {.kind = kind,
          .source = utterance.source,
          .line = utterance.line,
          .id = utterance.id,
          .audio = utterance.audio,
          .detail = std::move(detail),
          .text = excerpt(utterance.text, kExcerpt)};
}

bool DatasetCheck::measure() {
  std::optional<DatasetIndex> index = build_index(manifest_,
                                                  sources_.index,
                                                  {.threads = options_.threads,
                                                   .cache_folders = options_.cache_folders,
                                                   .progress = options_.index_progress,
                                                   .stop = options_.stop});
  if (!index) {
    return false;
  }
  index_ = std::move(*index);
  trim_lengths(manifest_, options_.limits.rate, index_);
  report_.notes = index_.origin.notes;
  Partition parts = partition(index_, options_.limits);
  usable_ = std::move(parts.usable);
  for (DroppedItem& dropped : parts.dropped) {
    report_.problems.push_back(problem_of(dropped.item, dropped.kind, std::move(dropped.detail)));
  }
  planned_ = usable_;
  num_problems_of_start_ = report_.problems.size();
  return true;
}

bool DatasetCheck::inspect_all() {
  std::vector<WorkerFindings> found(static_cast<std::size_t>(num_threads(parallel())));
  const bool complete = for_each_item(usable_.size(), parallel(), [&](int worker, std::size_t at) {
    inspect(usable_[at], found[static_cast<std::size_t>(worker)]);
  });
  merge(std::move(found));
  return complete;
}

void DatasetCheck::inspect(std::uint32_t item, WorkerFindings& found) const {
  const std::filesystem::path path = audio_path(manifest_, manifest_.utterances[item]);
  const Result<SoundFacts> facts = facts_of(manifest_.utterances[item]);
  if (!facts) {
    found.problems.push_back(
        problem_of(item, ProblemKind::damaged_audio, reason_of(facts.failure(), path)));
    found.damaged.push_back(item);
    return;
  }
  found.formats[{facts.value().rate.value, facts.value().channels}].push_back(item);
  for (SoundFinding& finding : sound_findings(facts.value(), options_.sound)) {
    if (severity_of(finding.kind) == Severity::error) {
      found.damaged.push_back(item);
    }
    found.problems.push_back(problem_of(item, finding.kind, std::move(finding.detail)));
  }
  inspect_text(item, found);
}

Result<SoundFacts> DatasetCheck::facts_of(const Utterance& utterance) const {
  const ClipContainer* const container = container_of(manifest_, utterance);
  if (container == nullptr) {
    return sources_.inspect(audio_path(manifest_, utterance), options_.depth);
  }
  Result<StoredClip> clip = container->open(utterance.place);
  return clip ? sources_.inspect_stored(std::move(clip).value(), options_.depth)
              : Result<SoundFacts>(clip.failure());
}

void DatasetCheck::inspect_text(std::uint32_t item, WorkerFindings& found) const {
  MessageArg::List described;
  for (const NamedCount& unknown : sources_.unknown_characters(manifest_.utterances[item])) {
    const std::string name = describe_character(unknown.name);
    found.unknown_characters[name].add(
        {.occurrences = unknown.count, .utterances = 1, .first = item});
    described.emplace_back(name);
  }
  if (!described.empty()) {
    found.problems.push_back(problem_of(
        item, ProblemKind::unknown_characters, msg::seen_characters{.characters = described}));
  }
}

void DatasetCheck::merge(std::vector<WorkerFindings> found) {
  std::vector<std::uint32_t> damaged;
  std::map<std::pair<std::int64_t, int>, std::vector<std::uint32_t>> formats;
  std::map<std::string, CharacterTally> characters;
  for (WorkerFindings& one : found) {
    std::ranges::move(one.problems, std::back_inserter(report_.problems));
    std::ranges::copy(one.damaged, std::back_inserter(damaged));
    for (const auto& [format, items] : one.formats) {
      std::ranges::copy(items, std::back_inserter(formats[format]));
    }
    for (const auto& [name, tally] : one.unknown_characters) {
      characters[name].add(tally);
    }
  }
  drop_damaged(std::move(damaged));
  for (auto& [format, items] : formats) {
    std::ranges::sort(items);  // sums of seconds depend on their order
    FormatTotal& one = report_.formats.emplace_back(
        FormatTotal{.name = format_name(SampleRate{format.first}, format.second)});
    for (const std::uint32_t item : items) {
      one.total.add(length_of(item));
    }
  }
  sort_by_duration(report_.formats);
  for (const auto& [name, tally] : characters) {
    const Utterance& first = manifest_.utterances[tally.first];
    report_.unknown_characters.push_back({.name = name,
                                          .occurrences = tally.occurrences,
                                          .utterances = tally.utterances,
                                          .source = first.source,
                                          .line = first.line,
                                          .id = first.id});
  }
  std::ranges::stable_sort(
      report_.unknown_characters, std::greater{}, &UnknownCharacter::occurrences);
}

void DatasetCheck::drop_damaged(std::vector<std::uint32_t> damaged) {
  std::ranges::sort(damaged);
  std::erase_if(usable_,
                [&](std::uint32_t item) { return std::ranges::binary_search(damaged, item); });
}

void DatasetCheck::find_repeats() {
  ParallelOptions silent = parallel();
  silent.progress = {};
  for (const RepeatedAudio& repeat : find_repeated_audio(manifest_, index_, usable_, silent)) {
    report_.problems.push_back(
        problem_of(repeat.item,
                   ProblemKind::repeated_audio,
                   msg::seen_same_audio{.other = manifest_.utterances[repeat.first].id}));
  }
}

// Characters per second.
double DatasetCheck::pace_of(std::uint32_t item) const {
  return qanat::pace_of(manifest_.utterances[item].text, length_of(item));
}

// Languages write the same speech with different numbers of characters: each has its own pace.
void DatasetCheck::check_pace() {
  std::map<LanguageTag, std::vector<std::uint32_t>> items;
  for (const std::uint32_t item : usable_) {
    items[manifest_.utterances[item].language].push_back(item);
  }
  std::vector<double> all;
  for (const auto& [language, group] : items) {
    std::vector<double> paces;
    for (const std::uint32_t item : group) {
      paces.push_back(pace_of(item));
      if (is_impossible_pace(paces.back())) {
        report_.problems.push_back(
            problem_of(item,
                       ProblemKind::unusual_pace,
                       msg::seen_impossible_pace{.pace = plain(paces.back(), 1),
                                                 .slowest = plain(kSlowestPace, 0),
                                                 .fastest = plain(kFastestPace, 0)}));
      }
    }
    for (const PaceOutlier& outlier : pace_outliers(paces)) {
      if (is_impossible_pace(outlier.pace)) {
        continue;
      }
      report_.problems.push_back(problem_of(
          group[outlier.item],
          ProblemKind::unusual_pace,
          msg::seen_pace{.pace = plain(outlier.pace, 1), .usual = plain(outlier.usual, 1)}));
    }
    std::ranges::copy(paces, std::back_inserter(all));
  }
  if (!all.empty()) {
    report_.characters_per_second = median(all);
  }
  if (const std::optional<double> pace = impossible_median(all)) {
    report_.problems.push_back({.kind = ProblemKind::set_pace,
                                .detail = msg::seen_set_pace{.pace = plain(*pace, 1),
                                                             .slowest = plain(kSlowestMedian, 0),
                                                             .fastest = plain(kFastestMedian, 0)}});
  }
}

void DatasetCheck::choose_notable() {
  std::vector<ClipFacts> facts;
  for (const std::uint32_t item : usable_) {
    facts.push_back({.length = length_of(item), .pace = pace_of(item)});
  }
  for (const ChosenClip& chosen : choose_clips(facts, kClipsOfAKind)) {
    const Utterance& utterance = manifest_.utterances[usable_[chosen.clip]];
    report_.clips.push_back({.kind = chosen.kind,
                             .id = utterance.id,
                             .audio = utterance.audio,
                             .text = utterance.text,
                             .length = facts[chosen.clip].length,
                             .characters_per_second = facts[chosen.clip].pace});
  }
}

void DatasetCheck::add_totals() {
  Totals speakers;
  Totals languages;
  for (const std::uint32_t item : usable_) {
    const Utterance& utterance = manifest_.utterances[item];
    const Seconds length = length_of(item);
    report_.usable.add(length);
    speakers[utterance.speaker].add(length);
    languages[std::string(to_string(utterance.language))].add(length);
  }
  report_.speakers = by_duration(speakers);
  report_.languages = by_duration(languages);
  std::vector<double> seconds;
  for (std::uint32_t item = 0; item < index_.entries.size(); ++item) {
    if (index_.entries[item].usable) {
      seconds.push_back(length_of(item).count());
    }
  }
  report_.histogram = length_histogram(seconds);
  report_.lengths = summarise_lengths(std::move(seconds));
}

void DatasetCheck::divide() {
  const auto validates = [&](std::uint32_t item) {
    return manifest_.utterances[item].split == SplitHint::validation;
  };
  // A folder of nothing but metadata_eval.csv is another one's validation set.
  if (options_.split.val_fraction <= 0 || std::ranges::all_of(usable_, validates)) {
    return;
  }
  const DatasetSplit split = split_dataset(manifest_, usable_, options_.split);
  report_.train.emplace();
  report_.validation.emplace();
  for (const std::uint32_t item : split.train) {
    report_.train->add(length_of(item));
  }
  for (const std::uint32_t item : split.validation) {
    report_.validation->add(length_of(item));
  }
  report_.unusable = why_unusable(manifest_, split);
  if (auto note = why_without_validation(manifest_, split, options_.split); note) {
    report_.notes.push_back(*std::move(note));
  }
}

// A run refuses what it cannot read at its start, and stops at what it cannot decode while it
// loads: each by its own share.
std::optional<Message> DatasetCheck::too_damaged() const {
  const bool divided = report_.train.has_value();
  const std::vector<std::uint32_t> planned =
      divided ? split_dataset(manifest_, planned_, options_.split).train : planned_;
  const auto used = static_cast<std::int64_t>(planned.size());
  const std::span<const DatasetProblem> problems(report_.problems);
  if (auto why = why_too_damaged(manifest_,
                                 damage_share(used, problems.first(num_problems_of_start_)),
                                 options_.max_bad_fraction)) {
    return why;
  }
  DamageShare loading = damage_share(0, problems.subspan(num_problems_of_start_));
  loading.all = used;
  loading.damaged = std::ranges::count_if(
      planned, [this](std::uint32_t item) { return !std::ranges::binary_search(usable_, item); });
  return why_too_damaged(manifest_, loading, options_.max_bad_fraction);
}

void DatasetCheck::judge() {
  if (!usable_.empty()) {
    if (!report_.unusable) {
      report_.unusable = too_damaged();
    }
    return;
  }
  report_.unusable = why_unusable(manifest_);
  if (!report_.unusable) {
    report_.unusable = msg::set_no_usable{.folder = manifest_.root.string(),
                                          .utterances = manifest_.utterances.size()};
  }
}

void DatasetCheck::finish() {
  // Those of one row come from one worker, in order.
  std::ranges::stable_sort(report_.problems, {}, [](const DatasetProblem& problem) {
    return std::tie(problem.kind, problem.source, problem.line, problem.id);
  });
  for (const DatasetProblem& problem : report_.problems) {
    ++report_.counts[static_cast<std::size_t>(problem.kind)];
  }
}

}  // namespace

std::optional<DatasetReport> check_dataset(const CheckOptions& options,
                                           const CheckSources& sources) {
  return DatasetCheck(options, sources).run();
}

}  // namespace qanat
