#include "store/aws_settings.h"

#include <utility>

#include "base/files.h"
#include "base/quantity.h"

namespace qanat {
namespace {

constexpr Bytes kMaxIniFile = mebibytes(1);

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string first_of(const ReadVariable& variable, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (const char* const value = variable(name); value != nullptr && *value != '\0') {
      return value;
    }
  }
  return {};
}

std::filesystem::path file_of(const ReadVariable& variable, const char* name, const char* file) {
  const std::string given = first_of(variable, {name});
  return given.empty() ? std::filesystem::path(first_of(variable, {"HOME"})) / ".aws" / file
                       : std::filesystem::path(given);
}

std::optional<AwsCredentials> credentials_of(std::string id,
                                             std::string secret,
                                             std::string token) {
  if (id.empty() || secret.empty()) {
    return std::nullopt;
  }
  return AwsCredentials{
      .key_id = std::move(id), .secret = std::move(secret), .session_token = std::move(token)};
}

std::string or_else(std::string value, std::string other) {
  return value.empty() ? std::move(other) : std::move(value);
}

}  // namespace

std::string IniSection::value(std::string_view key) const {
  std::string_view left = text;
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && trimmed(line.substr(0, equals)) == key) {
      return std::string(trimmed(line.substr(equals + 1)));
    }
  }
  return {};
}

IniSection parse_ini_section(std::string_view text, std::string_view section) {
  IniSection found;
  bool is_inside = false;
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view line = trimmed(whole);
    if (line.starts_with('[') && line.ends_with(']')) {
      is_inside = trimmed(line.substr(1, line.size() - 2)) == section;
    } else if (is_inside && !line.empty() && line.front() != '#' && line.front() != ';') {
      found.text.append(line).append("\n");
    }
  }
  return found;
}

IniSection read_ini_section(const std::filesystem::path& file, std::string_view section) {
  const Result<std::string> text = read_text_file(file, kMaxIniFile);
  return text ? parse_ini_section(text.value(), section) : IniSection{};
}

AwsSettings read_aws_settings(const ReadVariable& variable) {
  const std::string profile =
      or_else(first_of(variable, {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}), "default");
  const IniSection config = read_ini_section(file_of(variable, "AWS_CONFIG_FILE", "config"),
                                             profile == "default" ? profile : "profile " + profile);
  AwsSettings settings;
  settings.credentials = credentials_of(first_of(variable, {"AWS_ACCESS_KEY_ID"}),
                                        first_of(variable, {"AWS_SECRET_ACCESS_KEY"}),
                                        first_of(variable, {"AWS_SESSION_TOKEN"}));
  if (!settings.credentials) {
    const IniSection stored =
        read_ini_section(file_of(variable, "AWS_SHARED_CREDENTIALS_FILE", "credentials"), profile);
    for (const IniSection* const section : {&stored, &config}) {
      if (!settings.credentials) {
        settings.credentials = credentials_of(section->value("aws_access_key_id"),
                                              section->value("aws_secret_access_key"),
                                              section->value("aws_session_token"));
      }
    }
  }
  settings.region = or_else(first_of(variable, {"AWS_REGION", "AWS_DEFAULT_REGION"}),
                            or_else(config.value("region"), settings.region));
  settings.endpoint = or_else(first_of(variable, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}),
                              config.value("endpoint_url"));
  while (settings.endpoint.ends_with('/')) {
    settings.endpoint.pop_back();
  }
  return settings;
}

}  // namespace qanat
