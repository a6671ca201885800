// Which languages this machine's espeak-ng speaks.
#pragma once

#include <string>
#include <vector>

#include "base/language_tag.h"
#include "base/result.h"
#include "base/time.h"

namespace qanat {

// As espeak-ng names them, in its order, each once: "de", "fr-fr", "cmn".
Result<std::vector<std::string>> read_espeak_languages(const std::string& program, Seconds timeout);

// What to ask espeak-ng for: the tag itself where it has it, else the language without script and
// region. A Failure lists what there is.
Result<std::string> find_espeak_voice(const LanguageTag& language,
                                      const std::vector<std::string>& languages);

}  // namespace qanat
