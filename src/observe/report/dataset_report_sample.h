// A report with something of everything, for the tests of its renderers.
#pragma once

#include "dataset/dataset_report.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"

namespace qanat {

inline DatasetReport sample_report() {
  DatasetReport report;
  report.root = "/data/voices";
  report.sources = {"metadata_train.csv", "metadata_eval.csv"};
  report.rows = 13'100;
  report.usable = {13'096, Seconds{86'000}};
  report.train = {12'502, Seconds{82'000}};
  report.validation = {594, Seconds{4'000}};
  report.speakers = {{"mary", {10'000, Seconds{70'000}}}, {"علی", {3'096, Seconds{16'000}}}};
  report.languages = {{"en", {10'000, Seconds{70'000}}}, {"fa", {3'096, Seconds{16'000}}}};
  report.formats = {{msg::format_mono{.rate = plain(22050, 0)}, {13'096, Seconds{86'000}}}};
  report.unknown_characters = {
      {.name = "☃ U+2603", .occurrences = 3, .utterances = 1, .line = 41, .id = "fa-1"}};
  report.lengths =
      LengthSummary{Seconds{1.1}, Seconds{6.5}, Seconds{6.57}, Seconds{9.8}, Seconds{14.0}};
  report.histogram = {{Seconds{0}, Seconds{5}, 4'000},
                      {Seconds{5}, Seconds{10}, 9'097},
                      {Seconds{10}, Seconds{15}, 3}};
  report.characters_per_second = 14.93;
  report.clips = {{.kind = ClipKind::typical,
                   .id = "LJ001-0007",
                   .audio = "wavs/LJ001-0007.wav",
                   .text = "Water <b>comes</b> down.",
                   .length = Seconds{6.5},
                   .characters_per_second = 14.9},
                  {.kind = ClipKind::fastest,
                   .id = "fa 2",
                   .audio = "wavs/fa 2.wav",
                   .text = "آب از کوه می‌رسد.",
                   .length = Seconds{0.5},
                   .characters_per_second = 34}};
  report.problems = {{.kind = ProblemKind::missing_audio,
                      .line = 12,
                      .id = "LJ001-0012",
                      .detail = msg::seen_no_audio{.name = "LJ001-0012", .stem = "LJ001-0012"}},
                     {.kind = ProblemKind::missing_audio,
                      .line = 15,
                      .id = "LJ001-0015",
                      .detail = msg::seen_no_audio{.name = "LJ001-0015", .stem = "LJ001-0015"}},
                     {.kind = ProblemKind::missing_audio,
                      .source = 1,
                      .line = 3,
                      .id = "<script>",
                      .detail = msg::seen_no_audio_at{.name = "<script>"}},
                     {.kind = ProblemKind::audio_too_long,
                      .line = 40,
                      .id = "LJ001-0040",
                      .audio = "wavs/LJ001-0040.wav",
                      .detail = msg::seen_long_audio{.seconds = plain(14, 2),
                                                     .frames = plain(1205, 0),
                                                     .limit = plain(1024, 0)},
                      .text = "A \"long\" & winding text"},
                     {.kind = ProblemKind::unknown_characters,
                      .line = 41,
                      .id = "fa-1",
                      .audio = "wavs/fa-1.wav",
                      .detail = msg::seen_characters{.characters = "☃ U+2603"},
                      .text = "سلام ☃ دنیا"},
                     {.kind = ProblemKind::unused_column,
                      .line = 1,
                      .detail = msg::seen_column{.name = "\x1b[31mmood"}}};
  for (const DatasetProblem& problem : report.problems) {
    ++report.counts[static_cast<std::size_t>(problem.kind)];
  }
  return report;
}

}  // namespace qanat
