// qanat_normalize() of qanat.h.
#include <optional>
#include <string>

#include "base/utf8.h"
#include "capi/loader_session.h"
#include "capi/qanat.h"
#include "capi/status.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/speech_errors.h"
#include "text/read_aloud.h"

namespace {

qanat_status normalize(const char* text, const char* language, char** result) {
  const std::optional<qanat::LanguageTag> tag = qanat::to_language_tag(language);
  if (!tag) {
    throw qanat::MisuseError(
        qanat::Misuse::invalid,
        qanat::msg::seen_language{.language = qanat::encode_utf8(qanat::decode_utf8(language))});
  }
  const qanat::Result<std::string> words = qanat::read_aloud(text, *tag);
  if (!words) {
    throw qanat::MisuseError(qanat::Misuse::invalid, words.failure().message);
  }
  *result = qanat::copy_text(words.value());
  return QANAT_OK;
}

}  // namespace

qanat_status qanat_normalize(const char* text, const char* language, char** result, char** why) {
  if (why != nullptr) {
    *why = nullptr;
  }
  try {
    if (text == nullptr || language == nullptr || result == nullptr) {
      throw qanat::MisuseError(qanat::Misuse::invalid, qanat::msg::capi_null{});
    }
    return normalize(text, language, result);
  } catch (...) {
    return qanat::current_failure(why);
  }
}
