// One request over HTTP for a range of bytes, on a connection that is kept for the next.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"
#include "store/curl_library.h"
#include "store/http_head.h"
#include "store/request_limits.h"

namespace qanat {

struct RangeRequest {
  std::string url;
  std::vector<std::string> headers{};
  ByteRange range{};
  bool uses_netrc = true;  // passwords of ~/.netrc, by host
};

// How a request ended.
struct RangeAnswer {
  enum class End {
    done,      // all of the range is there
    again,     // may be other next time
    redirect,  // to `location`
    refuse,    // no use to ask again
    empty,     // there are no bytes in the object
    stopped,
  };
  End end = End::again;
  ObjectVersion version{};  // of done and empty
  std::string location{};
  Message why{};                         // of again and refuse
  std::optional<Seconds> retry_after{};  // the server asks to wait so long
  std::int64_t received = 0;             // bytes of the body
};

// Thread-safe. Outlives its requests.
class HttpClient {
 public:
  // `curl` as load_curl() gives it.
  HttpClient(const CurlFunctions& curl, RequestLimits limits, std::stop_token stop)
      : curl_(curl), limits_(std::move(limits)), stop_(std::move(stop)) {}
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  // Writes to `out`, which has room for the range. Takes bounded time. `known`: see judge().
  RangeAnswer fetch(const RangeRequest& request,
                    const ObjectVersion* known,
                    std::span<std::byte> out);

 private:
  CURL* take();
  void give_back(CURL* handle);

  const CurlFunctions& curl_;
  const RequestLimits limits_;
  const std::stop_token stop_;
  std::mutex mutex_;         // guards idle_
  std::vector<CURL*> idle_;  // each with its connections
};

}  // namespace qanat
