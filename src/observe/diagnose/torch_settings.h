// The fixes of a finding in the words of a PyTorch loop: arguments of its DataLoader, or what to
// change in the script. The one place that knows both.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

// Replaces keys of Qanat by settings that the loop has; a fix that means nothing there is dropped.
void say_in_torch_settings(const RuleInput& input, Finding& finding);

}  // namespace qanat
