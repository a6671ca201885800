#include "store/store_url.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/url.h"
#include "locale/message_error.h"
#include "locale/messages/stores.h"

namespace qanat {
namespace {

constexpr std::string_view kS3 = "s3://";

// What stands in no URL, such as blanks and letters of other scripts; `%` stays.
std::string encode_stray(std::string_view url) {
  std::string encoded;
  for (const char c : url) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F) {
      encoded += fmt::format("%{:02X}", byte);
    } else {
      encoded.push_back(c);
    }
  }
  return encoded;
}

std::string_view host_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) {
    return {};
  }
  url.remove_prefix(scheme + 3);
  return url.substr(0, url.find_first_of("/?#"));
}

std::string_view path_of(std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  const std::size_t slash = url.find('/');
  return slash == std::string_view::npos ? std::string_view() : url.substr(slash);
}

// Libraries leave them out of the header Host, which is signed.
std::string_view without_default_port(std::string_view url, std::string_view host) {
  const std::string_view port = url.starts_with("https://") ? ":443" : ":80";
  return host.ends_with(port) ? host.substr(0, host.size() - port.size()) : host;
}

Result<StoreAddress> resolve_s3(std::string_view url, const AwsSettings& aws) {
  const std::string_view rest = url.substr(kS3.size());
  const std::size_t slash = rest.find('/');
  const std::string_view bucket = rest.substr(0, slash);
  const std::string_view key =
      slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  if (bucket.empty() || key.empty()) {
    return to_failure(msg::store_no_key{.url = url});
  }
  if (has_secret(aws.endpoint)) {
    return to_failure(msg::store_secret{});
  }
  if (!aws.endpoint.empty() &&
      (host_of(aws.endpoint).empty() || !is_url(aws.endpoint) || aws.endpoint.starts_with(kS3))) {
    return to_failure(msg::store_endpoint{});
  }
  StoreAddress address{.is_signed = aws.credentials.has_value()};
  if (!aws.endpoint.empty()) {
    const std::string_view host = without_default_port(aws.endpoint, host_of(aws.endpoint));
    address.host = host;
    address.path =
        fmt::format("{}/{}/{}", path_of(aws.endpoint), encode_path(bucket), encode_path(key));
    address.url = aws.endpoint.substr(0, aws.endpoint.find("://") + 3) +
                  std::string(host_of(aws.endpoint)) + address.path;
    return address;
  }
  // A certificate covers one name before the dot.
  const bool is_in_host = bucket.find('.') == std::string_view::npos;
  address.host = is_in_host ? fmt::format("{}.s3.{}.amazonaws.com", bucket, aws.region)
                            : fmt::format("s3.{}.amazonaws.com", aws.region);
  address.path = is_in_host ? "/" + encode_path(key)
                            : fmt::format("/{}/{}", encode_path(bucket), encode_path(key));
  address.url = "https://" + address.host + address.path;
  return address;
}

}  // namespace

Result<StoreAddress> resolve_url(std::string_view url, const AwsSettings& aws) {
  if (has_secret(url)) {
    return to_failure(msg::store_secret{});
  }
  if (url.starts_with(kS3)) {
    return resolve_s3(url, aws);
  }
  if (!is_url(url) || host_of(url).empty()) {
    return to_failure(msg::store_no_host{.url = url});
  }
  return StoreAddress{.url = encode_stray(url)};
}

}  // namespace qanat
