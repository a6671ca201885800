// Signs requests to S3 (AWS Signature Version 4). Pure.
//
// libcurl has this too, but its versions differ: 7.81 (Ubuntu 22.04) sends no hash of the payload,
// 7.88 (Debian 12) does not sort the query.
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace qanat {

// Never printed, never part of a message.
struct AwsCredentials {
  std::string key_id;
  std::string secret;
  std::string session_token{};  // of temporary ones

  bool operator==(const AwsCredentials&) const = default;
};

// A GET without a body.
struct AwsRequest {
  std::string host;     // with its port, where the request names one
  std::string path;     // encoded: "/bucket/a%20b.tar"
  std::string query{};  // encoded and sorted by name: "list-type=2&prefix=a%2F"
  std::string region;
  std::time_t time = 0;
};

// The header lines that make the request one of these credentials.
std::vector<std::string> sign_request(const AwsRequest& request, const AwsCredentials& credentials);

// As S3 wants the parts of a path, `/` kept, or the value of a query.
std::string encode_path(std::string_view path);
std::string encode_value(std::string_view value);

}  // namespace qanat
