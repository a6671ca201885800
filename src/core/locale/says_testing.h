// For tests: what a message says in English.
#pragma once

#include <gmock/gmock.h>

#include "locale/translator.h"

namespace qanat {

// EXPECT_THAT(problem.detail, Says("text: empty")); also with a matcher inside.
MATCHER_P(Says, inner, "") {
  return testing::ExplainMatchResult(inner, Translator().said(MessageArg(arg)), result_listener);
}

}  // namespace qanat
