#include <algorithm>
#include <cmath>
#include <cstddef>

#include "evaluate/pitch.h"

namespace qanat {
namespace {

std::vector<double> best_in_each_frame(std::span<const PitchProposals> filters) {
  std::vector<double> best = filters.front().pitch;
  std::vector<double> spread = filters.front().spread;
  for (const PitchProposals& filter : filters.subspan(1)) {
    for (std::size_t f = 0; f < best.size(); ++f) {
      if (filter.spread[f] < spread[f]) {
        spread[f] = filter.spread[f];
        best[f] = filter.pitch[f];
      }
    }
  }
  return best;
}

// Frames that differ from the one before by more than is allowed are unvoiced; so are both ends.
void remove_jumps(std::vector<double>& pitch, std::size_t margin, double allowed) {
  std::fill_n(pitch.begin(), margin, 0.0);
  std::fill_n(pitch.end() - static_cast<std::ptrdiff_t>(margin), margin, 0.0);
  const std::vector<double> before = pitch;
  for (std::size_t f = margin; f < pitch.size(); ++f) {
    if (!(std::abs(before[f] - before[f - 1]) < allowed * before[f])) {
      pitch[f] = 0;
    }
  }
}

// A frame stays voiced if all within `reach` of it are.
void remove_short_stretches(std::vector<double>& pitch, std::size_t reach) {
  const std::vector<double> before = pitch;
  for (std::size_t f = reach; f + reach < pitch.size(); ++f) {
    const auto begin = before.begin() + static_cast<std::ptrdiff_t>(f - reach);
    const auto end = begin + static_cast<std::ptrdiff_t>(2 * reach + 1);
    if (std::find(begin, end, 0.0) != end) {
      pitch[f] = 0;
    }
  }
}

struct Stretches {
  std::vector<std::size_t> firsts;
  std::vector<std::size_t> lasts;
};

Stretches voiced_stretches(std::span<const double> pitch) {
  Stretches result;
  for (std::size_t f = 1; f < pitch.size(); ++f) {
    if (pitch[f] == 0 && pitch[f - 1] != 0) {
      result.lasts.push_back(f - 1);
    } else if (pitch[f - 1] == 0 && pitch[f] != 0) {
      result.firsts.push_back(f);
    }
  }
  return result;
}

// The proposal nearest to where two frames point; 0 where none is near.
double nearest_proposal(std::span<const PitchProposals> filters,
                        std::size_t frame,
                        double expected,
                        double allowed) {
  double nearest = filters.front().pitch[frame];
  for (const PitchProposals& filter : filters.subspan(1)) {
    if (std::abs(expected - filter.pitch[frame]) < std::abs(expected - nearest)) {
      nearest = filter.pitch[frame];
    }
  }
  return std::abs(1 - nearest / expected) > allowed ? 0.0 : nearest;
}

double pointed_at(double last, double one_before) {
  return (3 * last - one_before) / 2;
}

void continue_forward(std::span<const PitchProposals> filters,
                      const std::vector<std::size_t>& lasts,
                      double allowed,
                      std::vector<double>& pitch) {
  for (std::size_t i = 0; i < lasts.size(); ++i) {
    const std::size_t limit = i + 1 == lasts.size() ? pitch.size() - 1 : lasts[i + 1];
    for (std::size_t f = lasts[i]; f < limit; ++f) {
      pitch[f + 1] = nearest_proposal(filters, f + 1, pointed_at(pitch[f], pitch[f - 1]), allowed);
      if (pitch[f + 1] == 0) {
        break;
      }
    }
  }
}

void continue_backward(std::span<const PitchProposals> filters,
                       const std::vector<std::size_t>& firsts,
                       double allowed,
                       std::vector<double>& pitch) {
  for (std::size_t i = firsts.size(); i-- > 0;) {
    const std::size_t limit = i == 0 ? 1 : firsts[i - 1];
    for (std::size_t f = firsts[i]; f > limit; --f) {
      pitch[f - 1] = nearest_proposal(filters, f - 1, pointed_at(pitch[f], pitch[f + 1]), allowed);
      if (pitch[f - 1] == 0) {
        break;
      }
    }
  }
}

}  // namespace

std::vector<double> track_pitch(std::span<const PitchProposals> filters,
                                const PitchConfig& config) {
  const std::size_t frames = filters.front().pitch.size();
  // Two periods of the lowest pitch, in frames: what is shorter is not a voice.
  const auto period = static_cast<std::size_t>(std::lround(1 / config.frame_period / config.floor));
  const std::size_t shortest = 2 * period + 1;
  if (frames <= 2 * shortest) {
    return std::vector<double>(frames, 0.0);
  }
  std::vector<double> pitch = best_in_each_frame(filters);
  remove_jumps(pitch, shortest, config.allowed_change);
  remove_short_stretches(pitch, period);
  const Stretches stretches = voiced_stretches(pitch);
  continue_forward(filters, stretches.lasts, config.allowed_change, pitch);
  continue_backward(filters, stretches.firsts, config.allowed_change, pitch);
  return pitch;
}

}  // namespace qanat
