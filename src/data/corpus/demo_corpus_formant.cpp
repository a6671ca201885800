// The built-in voice: a source (pulses of the vocal folds, noise) through resonators (the vocal
// tract), steered phone by phone.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "audio/sample_format.h"
#include "base/content_hash.h"
#include "batch/random.h"
#include "corpus/demo_corpus_phones.h"
#include "corpus/demo_corpus_voice.h"

namespace qanat {
namespace {

constexpr double kRate = static_cast<double>(kDemoRate.value);
constexpr std::int64_t kFrame = 64;  // samples between two settings of the vocal tract
constexpr double kTransition = 0.022 * kRate;
constexpr double kPeak = 0.6;
constexpr double kRoom = 0.0004;  // noise of the room a recording would have
constexpr double kLips = 0.6;     // how much more of the high than of the low leaves the mouth
// The pace bends to meet the target length, but only this far.
constexpr double kSlowest = 1.3;
constexpr double kFastest = 0.75;

// What tells one speaker from the other.
struct Speaker {
  double pitch = 110;  // Hz
  double tract = 1;    // scale of the formants
  double breath = 0.02;
  double open = 0.6;  // share of a pulse in which the folds are open
};

Speaker speaker(Language language, int voice) {
  Random random({language == Language::en ? 11U : 12U, static_cast<std::uint64_t>(voice)});
  const bool high = voice % 2 == 1;  // low and high voices by turns
  return {.pitch = (high ? 190 : 105) + 35 * random.uniform(),
          .tract = (high ? 1.13 : 0.97) + 0.07 * random.uniform(),
          .breath = 0.01 + 0.03 * random.uniform(),
          .open = 0.5 + 0.2 * random.uniform()};
}

// Two poles: rings at one frequency, gain 1 at 0 Hz.
class Resonator {
 public:
  void tune(double hertz, double bandwidth) {
    const double radius = std::exp(-std::numbers::pi * bandwidth / kRate);
    back2_ = -radius * radius;
    back1_ = 2 * radius * std::cos(2 * std::numbers::pi * std::min(hertz, 0.45 * kRate) / kRate);
    gain_ = 1 - back1_ - back2_;
  }

  double filter(double input) {
    const double output = gain_ * input + back1_ * last1_ + back2_ * last2_;
    last2_ = last1_;
    last1_ = output;
    return output;
  }

 private:
  double gain_ = 1;
  double back1_ = 0;
  double back2_ = 0;
  double last1_ = 0;
  double last2_ = 0;
};

struct TimedPhone {
  const PhoneSpec* spec = nullptr;
  bool stressed = false;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

// The state of the vocal tract at one moment.
struct Posture {
  std::array<double, 3> formants = {};
  double pitch = 0;
  double voicing = 0;
  double noise = 0;
  double noise_hz = 0;
};

class Synthesis {
 public:
  Synthesis(const std::vector<TimedPhone>& phones, const Speaker& speaker, Random random)
      : phones_(phones), speaker_(speaker), random_(random) {
    fourth_.tune(3500 * speaker.tract, 250);
  }

  std::vector<float> run() {
    const std::int64_t length = phones_.back().end;
    std::vector<float> wave(static_cast<std::size_t>(length));
    std::size_t current = 0;
    for (std::int64_t begin = 0; begin < length; begin += kFrame) {
      while (phones_[current].end <= begin) {
        ++current;
      }
      const std::int64_t end = std::min(begin + kFrame, length);
      render(posture(current, begin),
             std::span(wave).subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(end - begin)));
    }
    return wave;
  }

 private:
  Posture posture(std::size_t current, std::int64_t at) const {
    const TimedPhone& phone = phones_[current];
    const double phase = static_cast<double>(at - phone.start) /
                         static_cast<double>(std::max<std::int64_t>(phone.end - phone.start, 1));
    Posture posture{.formants = {},
                    .pitch = pitch(phone, at, phase),
                    .voicing = phone.spec->voicing,
                    .noise = phone.spec->noise,
                    .noise_hz = phone.spec->noise_hz};
    for (std::size_t i = 0; i < posture.formants.size(); ++i) {
      posture.formants.at(i) = formant(current, i, at) * speaker_.tract;
    }
    // Closed first, then open.
    const double closed = phone.spec->closed;
    if (phase < closed) {
      posture.noise = 0;
    } else if (closed > 0) {
      posture.noise *= 1 - (phase - closed) / (1 - closed);
    }
    return posture;
  }

  // Halfway between two phones at their boundary, at the target in the middle of each.
  double formant(std::size_t current, std::size_t index, std::int64_t at) const {
    const TimedPhone& phone = phones_[current];
    const double own = phone.spec->formants.at(index);
    const double reach = std::min(kTransition, 0.5 * static_cast<double>(phone.end - phone.start));
    const auto from_start = static_cast<double>(at - phone.start);
    const auto from_end = static_cast<double>(phone.end - at);
    if (from_start < reach && current > 0) {
      const double other = phones_[current - 1].spec->formants.at(index);
      return own + (other - own) * 0.5 * (1 - from_start / reach);
    }
    if (from_end < reach && current + 1 < phones_.size()) {
      const double other = phones_[current + 1].spec->formants.at(index);
      return own + (other - own) * 0.5 * (1 - from_end / reach);
    }
    return own;
  }

  // Falls over the utterance, rises on stressed vowels.
  double pitch(const TimedPhone& phone, std::int64_t at, double phase) const {
    const double place = static_cast<double>(at) / static_cast<double>(phones_.back().end);
    const double accent = phone.stressed ? 0.12 * std::sin(std::numbers::pi * phase) : 0;
    return speaker_.pitch * (1.12 - 0.27 * place + accent);
  }

  void render(const Posture& posture, std::span<float> out) {
    constexpr std::array kBandwidths = {70.0, 100.0, 150.0};
    for (std::size_t i = 0; i < tract_.size(); ++i) {
      tract_.at(i).tune(posture.formants.at(i), kBandwidths.at(i));
    }
    const bool through_tract = posture.noise_hz == 0;
    noise_.tune(through_tract ? 1500 : posture.noise_hz, 0.25 * posture.noise_hz + 300);
    for (float& sample : out) {
      // Levels follow within milliseconds: no clicks.
      voicing_ += 0.01 * (posture.voicing - voicing_);
      noise_level_ += 0.015 * (posture.noise - noise_level_);
      const double white = 2 * random_.uniform() - 1;
      double source = voicing_ * (pulse(posture.pitch) + speaker_.breath * white);
      double direct = 0;
      if (through_tract) {
        source += 0.25 * noise_level_ * white;
      } else {
        direct = noise_level_ * noise_.filter(white);
      }
      for (Resonator& resonator : tract_) {
        source = resonator.filter(source);
      }
      source = fourth_.filter(source);
      sample = static_cast<float>(source - kLips * before_lips_ + 0.5 * direct);
      before_lips_ = source;
    }
  }

  // Change of the flow through the vocal folds, which end each opening by snapping shut.
  double pulse(double pitch) {
    phase_ += pitch / kRate;
    phase_ -= phase_ >= 1 ? 1 : 0;
    const double time = phase_ / speaker_.open;
    return time < 1 ? 2 * time - 3 * time * time : 0;
  }

  const std::vector<TimedPhone>& phones_;
  Speaker speaker_;
  Random random_;
  std::array<Resonator, 3> tract_;
  Resonator fourth_;
  Resonator noise_;
  double phase_ = 0;
  double voicing_ = 0;
  double noise_level_ = 0;
  double before_lips_ = 0;
};

// As long as the target where the pace allows; the first vowel of a word is stressed.
std::vector<TimedPhone> time_phones(const PhonePlan& plan, Seconds target, Random& random) {
  std::vector<double> lengths;
  double total = 0;
  std::vector<bool> stressed(plan.phones.size());
  for (const PlannedWord& word : plan.words) {
    std::size_t at = word.first_phone;
    while (!plan.phones[at]->is_vowel() && !plan.phones[at]->is_pause()) {
      ++at;
    }
    stressed[at] = plan.phones[at]->is_vowel();
  }
  for (std::size_t i = 0; i < plan.phones.size(); ++i) {
    const double length = plan.phones[i]->milliseconds * (stressed[i] ? 1.2 : 1.0) / 1000;
    lengths.push_back(length * (0.9 + 0.2 * random.uniform()));
    total += lengths.back();
  }
  const double pace = std::clamp(target.count() / total, kFastest, kSlowest);
  std::vector<TimedPhone> timed;
  double end = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::int64_t start = timed.empty() ? 0 : timed.back().end;
    end += lengths[i] * pace * kRate;
    timed.push_back({.spec = plan.phones[i],
                     .stressed = stressed[i],
                     .start = start,
                     .end = std::max(start + 1, std::int64_t{std::llround(end)})});
  }
  return timed;
}

void record(std::span<float> wave, Random& random) {
  const float peak = peak_magnitude(wave);
  const float gain = peak > 0 ? static_cast<float>(kPeak) / peak : 0;
  for (float& sample : wave) {
    sample = sample * gain + static_cast<float>(kRoom * (2 * random.uniform() - 1));
  }
}

class FormantVoice : public DemoVoice {
 public:
  std::string name() const override { return "built-in 2"; }

  SpokenLine speak(const DemoLine& line) const override {
    Random random({content_hash(line.id), content_hash(line.normalised)});
    const PhonePlan plan = plan_phones(line.normalised);
    const std::vector<TimedPhone> phones = time_phones(plan, line.target, random);
    std::vector<float> wave = Synthesis(phones, speaker(line.language, line.voice), random).run();
    record(wave, random);

    SpokenLine spoken;
    spoken.samples.resize(wave.size());
    to_pcm16(wave, spoken.samples);
    for (const TimedPhone& phone : phones) {
      spoken.phones.push_back(
          {phone.spec->is_pause() ? "_" : std::string(phone.spec->name), phone.start});
    }
    for (const PlannedWord& word : plan.words) {
      spoken.words.push_back({word.text, phones[word.first_phone].start});
    }
    return spoken;
  }
};

}  // namespace

std::unique_ptr<DemoVoice> make_formant_voice() {
  return std::make_unique<FormantVoice>();
}

}  // namespace qanat
