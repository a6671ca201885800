// What somebody who is given a voice wants to know of it: what it was trained on, how far, with
// what result. From the checkpoint, and from the journal of its run where that is beside it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "export/export_session.h"
#include "locale/translator.h"

namespace qanat {

// Markdown. `stored` is the state.json of the checkpoint: it is not trusted to be complete.
std::string model_card(const ExportReport& report,
                       const nlohmann::json& stored,
                       const Translator& words);

}  // namespace qanat
