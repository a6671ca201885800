#include "capi/text_reader.h"

#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/loader_options.h"
#include "base/error.h"
#include "base/utf8.h"
#include "capi/loader_session.h"
#include "config/load_config.h"
#include "dataset/script.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/loader_rows.h"

namespace qanat {
namespace {

TextConfig parse_text_config(std::string_view settings) {
  const nlohmann::json data = nlohmann::json::parse(settings, nullptr, /*allow_exceptions=*/false);
  if (data.is_discarded()) {
    throw Error("settings of a tokenizer: not JSON");
  }
  try {
    const nlohmann::json config = {{"data", data}};
    return make_text_config(load_config_text(config.dump(), "settings").values.data);
  } catch (const ConfigError& error) {
    std::vector<std::string> problems;
    for (const Problem& problem : error.problems()) {
      problems.push_back(to_string({.key = problem.key, .what = problem.what}));
    }
    throw Error("{}", fmt::join(problems, "\n"));
  }
}

}  // namespace

TextReader::TextReader(std::string_view settings)
    : front_end_(std::make_shared<const TextFrontEnd>(parse_text_config(settings))) {}

nlohmann::json TextReader::read(std::string_view text, std::string_view language) const {
  if (first_invalid_utf8(text)) {
    throw MisuseError(Misuse::invalid, msg::row_not_utf8{});
  }
  const std::optional<LanguageTag> spoken =
      language.empty() ? script_of(text).language : to_language_tag(language);
  if (!spoken) {
    throw MisuseError(Misuse::invalid, msg::seen_language{.language = language});
  }
  const Result<TextReading> reading = front_end_->read(text, *spoken);
  if (!reading) {
    throw MisuseError(Misuse::invalid, msg::row_text_unread{.why = reason_of(reading.failure())});
  }
  const TextReading& read = reading.value();
  nlohmann::json unknown = nlohmann::json::object();
  for (const UnknownSymbol& symbol : read.unknown) {
    unknown[symbol.symbol] = symbol.count;
  }
  return {{"text", read.normalised},
          {"phonemes", read.phonemes.empty() ? nlohmann::json() : nlohmann::json(read.phonemes)},
          {"tokens", read.ids},
          {"unknown", std::move(unknown)},
          {"language", to_string(*spoken)}};
}

nlohmann::json TextReader::symbols() const {
  nlohmann::json symbols = nlohmann::json::array();
  const Tokenizer& tokenizer = front_end_->tokenizer();
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    symbols.push_back(tokenizer.symbol(id));
  }
  return symbols;
}

}  // namespace qanat
