#include "text/espeak_voices.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <string_view>

#include "locale/message_error.h"
#include "locale/messages/languages.h"
#include "text/child_process.h"
#include "text/place.h"

namespace qanat {
namespace {

struct OtherName {
  std::string_view tag;  // in small letters
  std::string_view voice;
};

// What BCP 47 and espeak-ng call by different names.
constexpr std::array kOtherNames = {OtherName{"zh", "cmn"},
                                    OtherName{"zh-hk", "yue"},
                                    OtherName{"zh-mo", "yue"},
                                    OtherName{"no", "nb"},
                                    OtherName{"iw", "he"},
                                    OtherName{"in", "id"}};

std::string_view primary_of(std::string_view name) {
  return name.substr(0, name.find('-'));
}

}  // namespace

Result<std::vector<std::string>> read_espeak_languages(const std::string& program,
                                                       Seconds timeout) {
  const std::array<std::string, 2> command = {program, "--voices"};
  Result<ChildProcess> process = ChildProcess::start(command);
  if (!process) {
    return process.failure();
  }
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
  std::vector<std::string> languages;
  // A table: priority, language, and more; the first line names the columns.
  for (Result<std::string> line = process.value().read_line(deadline); line;
       line = process.value().read_line(deadline)) {
    std::istringstream columns(line.value());
    int priority = 0;
    std::string language;
    if (columns >> priority >> language &&
        std::ranges::find(languages, language) == languages.end()) {
      languages.push_back(ascii_lower(language));
    }
  }
  if (languages.empty()) {
    return to_failure(msg::espeak_no_voices{.program = program});
  }
  return languages;
}

Result<std::string> find_espeak_voice(const LanguageTag& language,
                                      const std::vector<std::string>& languages) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(languages, name) != languages.end();
  };
  const std::string whole = ascii_lower(language.text());
  for (const std::string_view name : {std::string_view(whole), primary_of(whole)}) {
    const auto* other = std::ranges::find(kOtherNames, name, &OtherName::tag);
    if (other != kOtherNames.end() && has(other->voice)) {
      return std::string(other->voice);
    }
    if (has(name)) {
      return std::string(name);
    }
  }
  // "fr" is asked for and there are fr-fr, fr-be, fr-ch: espeak-ng knows which it prefers.
  const std::string_view primary = primary_of(whole);
  if (std::ranges::find(languages, primary, primary_of) != languages.end()) {
    return std::string(primary);
  }
  return to_failure(msg::phonemes_no_voice{.language = language.text(), .languages = languages});
}

}  // namespace qanat
