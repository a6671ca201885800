#include "corpus/demo_corpus_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/error.h"
#include "corpus/demo_corpus_random.h"
#include "corpus/demo_corpus_sentences.h"
#include "text/normalise.h"

namespace qanat {
namespace {

constexpr int kEvalShare = 10;  // one in ten

// Lengths as in LJSpeech: 1.1 to 10.1 s, mean 6.57, most of them long. A beta distribution with
// that mean and spread, by Jöhnk's method.
Seconds draw_length(double mean_seconds, DemoRandom& random) {
  constexpr double kA = 1.85;
  constexpr double kB = 1.2;
  constexpr double kMean = 1.1 + 9.0 * kA / (kA + kB);
  for (;;) {
    const double x = std::pow(random.uniform(), 1 / kA);
    const double y = std::pow(random.uniform(), 1 / kB);
    if (x + y > 0 && x + y <= 1) {
      return Seconds((1.1 + 9.0 * x / (x + y)) * mean_seconds / kMean);
    }
  }
}

}  // namespace

void check_options(const DemoCorpusOptions& options) {
  if (options.utterances < 2 || options.utterances > 1'000'000) {
    throw Error("utterances: {}; expected 2 to 1000000", options.utterances);
  }
  if (options.voices < 1 || options.voices > 8) {
    throw Error("voices: {}; expected 1 to 8 per language", options.voices);
  }
  if (!(options.mean_seconds >= 1.5 && options.mean_seconds <= 30)) {
    throw Error("mean seconds: {}; expected 1.5 to 30", options.mean_seconds);
  }
  if (options.languages.empty()) {
    throw Error("languages: none; expected en, fa or both");
  }
}

DemoLine plan_line(const DemoCorpusOptions& options, int index) {
  DemoRandom random(options.seed, static_cast<std::uint64_t>(index));
  const auto num_languages = static_cast<int>(options.languages.size());
  DemoLine line{.id = fmt::format("demo-{:05}", index + 1),
                .text = {},
                .normalised = {},
                .language = options.languages[static_cast<std::size_t>(index % num_languages)],
                .voice = index / num_languages % options.voices,
                .target = draw_length(options.mean_seconds, random)};
  line.text = make_demo_text(line.language, line.target, random);
  line.normalised = normalise_text(line.text, line.language);
  return line;
}

std::string speaker_name(const DemoLine& line) {
  return fmt::format("{}-{}", to_string(line.language), line.voice + 1);
}

std::vector<bool> choose_eval(const DemoCorpusOptions& options) {
  const auto count = static_cast<std::size_t>(options.utterances);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  DemoRandom random(options.seed);
  for (std::size_t i = count - 1; i > 0; --i) {
    std::swap(order[i], order[random.next() % (i + 1)]);
  }
  std::vector<bool> is_eval(count);
  for (std::size_t i = 0; i < std::max<std::size_t>(count / kEvalShare, 1); ++i) {
    is_eval[order[i]] = true;
  }
  return is_eval;
}

}  // namespace qanat
