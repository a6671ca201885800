// The page to type and listen: its frame in the language that is asked for, and its resources.
#pragma once

#include <optional>

#include "locale/translator.h"
#include "serve/http_request.h"
#include "serve/http_response.h"
#include "voice_server/voice_engine.h"

namespace qanat {

// "/" and what it loads; nothing for any other path. `words` unless the query has `lang=`.
std::optional<HttpResponse> voice_page(const HttpRequest& request,
                                       const VoiceFacts& facts,
                                       const Translator& words);

}  // namespace qanat
