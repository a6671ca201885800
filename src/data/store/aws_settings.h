// Who asks S3, and where it is: from the environment and the files that the tools of AWS share.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "store/aws_signature.h"

namespace qanat {

struct AwsSettings {
  std::optional<AwsCredentials> credentials;  // absent: requests are not signed
  std::string region = "us-east-1";
  std::string endpoint{};  // "https://host:9000"; empty: Amazon's
};

// The value of a variable; null: it is not set.
using ReadVariable = std::function<const char*(const char* name)>;

// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (AWS_SESSION_TOKEN), else the profile AWS_PROFILE or
// `default` of ~/.aws/credentials; AWS_REGION or AWS_DEFAULT_REGION; AWS_ENDPOINT_URL_S3 or
// AWS_ENDPOINT_URL; region and endpoint_url of ~/.aws/config.
AwsSettings read_aws_settings(const ReadVariable& variable);

// `key = value` lines of a section; files that are not there have none.
struct IniSection {
  std::string text;
  // Empty: it is not there.
  std::string value(std::string_view key) const;
};
IniSection read_ini_section(const std::filesystem::path& file, std::string_view section);
IniSection parse_ini_section(std::string_view text, std::string_view section);

}  // namespace qanat
