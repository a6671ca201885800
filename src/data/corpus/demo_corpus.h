// A small corpus of synthetic speech with exact phone times, for demonstrations, tests and
// benchmarks on machines without any data.
//
// Layout: wavs/<id>.wav (22050 Hz, 16 bit, mono), metadata.csv and its division into
// metadata_train.csv and metadata_eval.csv (`id|text|normalised|speaker|language` with that
// header), demo.json (the settings it was made with), alignments.jsonl, one line per utterance:
//   {"id":"demo-00001","sample_rate":22050,"samples":43000,
//    "phones":[["_",0],["h",264],...],"words":[["hello",264],...]}
// where each phone lasts from its first sample to that of the next; "_" is silence.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/language.h"
#include "base/progress.h"
#include "base/time.h"

namespace qanat {

enum class DemoVoiceChoice { automatic, built_in };  // automatic: eSpeak NG when it is there

struct DemoCorpusOptions {
  std::filesystem::path folder;
  int utterances = 200;
  std::vector<Language> languages = {Language::en, Language::fa};
  int voices = 2;  // speakers per language
  std::uint64_t seed = 1;
  double mean_seconds = 6.5;  // as in LJSpeech
  DemoVoiceChoice voice = DemoVoiceChoice::automatic;
  std::filesystem::path espeak_program;  // qanat-espeak; empty: not there
  int threads = 0;                       // 0: one per core this process may use
  ProgressFn progress;
  std::stop_token stop;
};

enum class DemoOutcome { made, already_there, stopped };

struct DemoCorpus {
  DemoOutcome outcome = DemoOutcome::made;
  std::string voice;  // "built-in 2", "espeak-ng 1.51"
  int utterances = 0;
  int eval_utterances = 0;
  int speakers = 0;
  Seconds audio{0};
};

// The same options give the same bytes. The folder appears complete or not at all: it is built
// beside its place under the name <folder>.part, which a run that was killed leaves and the next
// one takes over. A corpus already there is left alone if it was made with the same settings;
// anything else in its place is an Error, as are options that make no sense.
DemoCorpus make_demo_corpus(const DemoCorpusOptions& options);

}  // namespace qanat
