// What a report says by its English, until it says messages: see locale/translator.h. Persian comes
// from a catalogue of sentences with gaps for what differs (report/persian.h).
#pragma once

#include <string>
#include <string_view>

#include "locale/translator.h"

namespace qanat {

class Words : public Translator {
 public:
  using Translator::Translator;

  // An English sentence in this language; what the catalogue does not know stays English, isolated
  // so that it does not disturb the text around it.
  std::string say(std::string_view english) const;
};

}  // namespace qanat
