// What is in a data set and what is wrong with it: plain values that check_dataset() fills and
// report/ renders.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "dataset/notable_clips.h"
#include "dataset/problem.h"
#include "dataset/training_sets.h"

namespace qanat {

// Lengths of clips in numbers people read: extremes, middle, and a histogram. Pure functions.
struct HistogramBin {
  Seconds from{0};  // inclusive
  Seconds to{0};    // exclusive
  std::int64_t count = 0;

  bool operator==(const HistogramBin&) const = default;
};

// At most 20 bins of a round width, from 0 to the longest clip; none for no clips.
std::vector<HistogramBin> length_histogram(std::span<const double> seconds);

struct LengthSummary {
  Seconds shortest{0};
  Seconds median{0};
  Seconds mean{0};
  Seconds p95{0};
  Seconds longest{0};

  bool operator==(const LengthSummary&) const = default;
};

std::optional<LengthSummary> summarise_lengths(std::vector<double> seconds);

enum class CheckDepth {
  headers,  // what manifest, text and audio headers say
  samples,  // and every sample of every file
};

struct SetTotal {
  std::int64_t utterances = 0;
  Seconds duration{0};

  void add(Seconds length) {
    ++utterances;
    duration += length;
  }
  bool operator==(const SetTotal&) const = default;
};

struct NamedTotal {
  std::string name;
  SetTotal total;

  bool operator==(const NamedTotal&) const = default;
};

// Sums what has one rate and number of channels.
struct FormatTotal {
  Message name;  // "22050 Hz mono"
  SetTotal total;

  bool operator==(const FormatTotal&) const = default;
};

struct NamedCount {
  std::string name;
  std::int64_t count = 0;

  bool operator==(const NamedCount&) const = default;
};

// A character of the texts that no model is given, and so is not spoken.
struct UnknownCharacter {
  std::string name;              // "☃ U+2603"
  std::int64_t occurrences = 0;  // in all texts
  std::int64_t utterances = 0;   // that hold it
  std::uint8_t source = 0;       // of the first one: which of the manifest's files
  int line = 0;
  std::string id;

  bool operator==(const UnknownCharacter&) const = default;
};

// A usable utterance that is worth hearing, with all of its text.
struct NotableClip {
  ClipKind kind = ClipKind::typical;
  std::string id;
  std::string audio;  // below the root
  std::string text;
  Seconds length{0};
  double characters_per_second = 0;

  bool operator==(const NotableClip&) const = default;
};

struct DatasetReport {
  std::filesystem::path root;
  std::vector<std::string> sources;  // the manifests, relative to the root
  CheckDepth depth = CheckDepth::samples;
  LengthLimits limits;

  std::int64_t rows = 0;
  SetTotal usable;
  std::optional<SetTotal> train;  // absent: the set is not divided
  std::optional<SetTotal> validation;
  std::vector<NamedTotal> speakers;  // most hours first; one without a name: not said
  std::vector<NamedTotal> languages;
  std::vector<FormatTotal> formats;
  std::vector<UnknownCharacter> unknown_characters;  // most frequent first

  std::optional<LengthSummary> lengths;         // of all clips whose length is known
  std::vector<HistogramBin> histogram;          // of the same
  std::optional<double> characters_per_second;  // median of the usable utterances
  std::vector<NotableClip> clips;               // by kind, the extreme one first

  std::vector<DatasetProblem> problems;                 // by kind, source, line
  std::array<std::int64_t, kNumProblemKinds> counts{};  // of problems, by kind
  std::optional<Message> unusable;                      // why no run can use this set as it is
  std::vector<MessageArg> notes;                        // about the check itself

  std::int64_t dropped() const { return rows - usable.utterances; }
};

std::int64_t count_of(const DatasetReport& report, Severity severity);
// The problems of one kind; a part of report.problems.
std::span<const DatasetProblem> problems_of(const DatasetReport& report, ProblemKind kind);

}  // namespace qanat
