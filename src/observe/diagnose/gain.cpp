#include "diagnose/gain.h"

#include <algorithm>
#include <cmath>

namespace qanat {
namespace {

constexpr double kMaxSaved = 0.99;      // of the step: what is left takes some time
constexpr double kMaxGainSpread = 2.0;  // high end of a headline's interval over its low end

double sane_seconds(double seconds, double most) {
  return std::isfinite(seconds) ? std::clamp(seconds, 0.0, most) : 0;
}

}  // namespace

Gain make_gain(double step_now, const Saving& saving, GainMethod method) {
  Gain gain{.step_now = step_now, .step_if_fixed = step_now, .method = method};
  if (!(step_now > 0)) {
    return gain;
  }
  const double most = kMaxSaved * step_now;
  const double saved = sane_seconds(saving.seconds, most);
  const auto speedup_of = [step_now](double seconds) { return step_now / (step_now - seconds); };
  gain.step_if_fixed = step_now - saved;
  gain.speedup = speedup_of(saved);
  gain.ci95 = {.low = speedup_of(std::min(sane_seconds(saving.range.low, most), saved)),
               .high = speedup_of(std::max(sane_seconds(saving.range.high, most), saved))};
  return gain;
}

bool is_sharp(const Gain& gain) {
  return gain.ci95.high <= kMaxGainSpread * gain.ci95.low;
}

double seconds_that_count(const Gain& gain) {
  return is_sharp(gain) ? gain.seconds_saved() : gain.step_now * (1 - 1 / gain.ci95.low);
}

}  // namespace qanat
