#include "store/aws_signature.h"

#include <array>
#include <cctype>

#include <fmt/format.h>

#include "store/sha256.h"

namespace qanat {
namespace {

// "20130524T000000Z"
std::string stamp_of(std::time_t time) {
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return {text.data(), size};
}

std::string encode(std::string_view text, bool keep_slash) {
  constexpr std::string_view kUnreserved = "-_.~";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        byte < 0x80 && (std::isalnum(byte) != 0 || kUnreserved.find(c) != std::string_view::npos);
    if (is_plain || (keep_slash && c == '/')) {
      encoded.push_back(c);
    } else {
      encoded += fmt::format("%{:02X}", byte);
    }
  }
  return encoded;
}

}  // namespace

std::string encode_path(std::string_view path) {
  return encode(path, true);
}

std::string encode_value(std::string_view value) {
  return encode(value, false);
}

std::vector<std::string> sign_request(const AwsRequest& request,
                                      const AwsCredentials& credentials) {
  const std::string stamp = stamp_of(request.time);
  const std::string day = stamp.substr(0, 8);
  const std::string payload = to_hex(sha256(""));
  const bool has_token = !credentials.session_token.empty();

  std::string headers = fmt::format(
      "host:{}\nx-amz-content-sha256:{}\nx-amz-date:{}\n", request.host, payload, stamp);
  std::string signed_names = "host;x-amz-content-sha256;x-amz-date";
  if (has_token) {
    headers += fmt::format("x-amz-security-token:{}\n", credentials.session_token);
    signed_names += ";x-amz-security-token";
  }
  const std::string canonical = fmt::format(
      "GET\n{}\n{}\n{}\n{}\n{}", request.path, request.query, headers, signed_names, payload);
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", day, request.region);
  const std::string to_sign =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", stamp, scope, to_hex(sha256(canonical)));

  Sha256 key = hmac_sha256("AWS4" + credentials.secret, day);
  for (const std::string_view part : {std::string_view(request.region),
                                      std::string_view("s3"),
                                      std::string_view("aws4_request")}) {
    key = hmac_sha256(as_key(key), part);
  }
  std::vector<std::string> lines = {
      fmt::format("x-amz-content-sha256: {}", payload),
      fmt::format("x-amz-date: {}", stamp),
      fmt::format(
          "Authorization: AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
          credentials.key_id,
          scope,
          signed_names,
          to_hex(hmac_sha256(as_key(key), to_sign)))};
  if (has_token) {
    lines.push_back(fmt::format("x-amz-security-token: {}", credentials.session_token));
  }
  return lines;
}

}  // namespace qanat
