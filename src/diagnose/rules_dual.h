// Rules about two devices that share a run: balance, overlap, and whether the pair pays at all.
// They need runs of both modes, so `qanat profile dual` applies them and no journal alone does.
#pragma once

#include <span>
#include <string_view>

#include "diagnose/dual_profile.h"

namespace qanat {

struct DualRule {
  std::string_view id;
  std::string_view looks_for;
  RuleOutcome (*decide)(const DualProfile& profile);
};

std::span<const DualRule> dual_rules();

// Adds their findings, in order of gain, and what passed or was skipped, to profile.diagnosis.
void apply_dual_rules(DualProfile& profile);

}  // namespace qanat
