// What is asked for at a URL: the address of an object, and where it is in S3. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/aws_settings.h"

namespace qanat {

// Where a request goes.
struct StoreAddress {
  std::string url;         // http:// or https://, encoded
  bool is_signed = false;  // to S3, with credentials
  // What is signed.
  std::string host{};
  std::string path{};
};

// Failure: it cannot be asked for: no host, no key, a password in it.
Result<StoreAddress> resolve_url(std::string_view url, const AwsSettings& aws);

}  // namespace qanat
