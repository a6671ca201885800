#include "text/own_reader.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/languages.h"

namespace qanat {
namespace {

constexpr std::size_t kShownLine = 40;  // of a line, in messages

// Who was asked: a command that answers the probes differently is somebody else.
std::string speaker_name(const LanguageTag& language, std::uint64_t answers) {
  return fmt::format("{}@{:016x}", language.text(), answers);
}

}  // namespace

OwnReader::OwnReader(const std::string& command, const std::filesystem::path& cache_file)
    : command_({.command = command}),
      cache_(cache_file, fmt::format("own {:016x}", content_hash(command))) {}

Result<std::string> OwnReader::symbols(std::string_view line, const LanguageTag& language) {
  const Result<std::uint64_t> answers = command_.probe(language);
  if (!answers) {
    return answers.failure();
  }
  const std::string speaker = speaker_name(language, answers.value());
  std::optional<std::string> known = cache_.find(speaker, line);
  if (!known) {
    const std::string asked(line);
    Result<std::vector<std::string>> made = command_.answers({&asked, 1}, language);
    if (!made) {
      return made.failure();
    }
    known = std::move(made.value().front());
    cache_.insert(speaker, line, *known);
  }
  if (known->empty()) {
    return to_failure(msg::g2p_empty{.command = command(), .text = excerpt(line, kShownLine)});
  }
  return *std::move(known);
}

Result<Done> OwnReader::remember(std::span<const std::string> lines, const LanguageTag& language) {
  const Result<std::uint64_t> answers = command_.probe(language);
  if (!answers) {
    return answers.failure();
  }
  const std::string speaker = speaker_name(language, answers.value());
  std::vector<std::string> unknown;
  for (const std::string& line : lines) {
    if (!cache_.find(speaker, line)) {
      unknown.push_back(line);
    }
  }
  if (unknown.empty()) {
    return Done{};
  }
  const Result<std::vector<std::string>> made = command_.answers(unknown, language);
  if (!made) {
    return made.failure();
  }
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    cache_.insert(speaker, unknown[i], made.value()[i]);
  }
  return Done{};
}

}  // namespace qanat
