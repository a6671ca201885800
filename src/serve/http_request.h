// Parses the head of an HTTP request. Written by hand, because idle clients can block a server with
// a thread per connection (cpp-httplib 0.11 is one, and restarts its read timeout with every byte).
// Accepts what browsers and scrapers send for pages: GET and HEAD without a body; refuses the rest.
// Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace qanat {

struct HttpRequest {
  bool head_only = false;                      // HEAD
  std::string path;                            // "/events"; not decoded: no path of ours needs it
  std::string query;                           // behind the ?
  std::map<std::string, std::string> headers;  // names in lower case

  int port = 0;  // of ours that it came to; the server fills it in

  // Empty when it is not there.
  std::string header(const std::string& name) const;
  // The value of a parameter of the query; empty when it is not there.
  std::string parameter(std::string_view name) const;
};

struct HttpParse {
  enum class State { incomplete, complete, refused };
  State state = State::incomplete;
  int status = 0;  // of a refusal: 400, 405, 413, 414, 431, 505
  HttpRequest request{};
};

inline constexpr std::size_t kMaxRequestBytes = 8 << 10;
inline constexpr std::size_t kMaxTargetBytes = 1 << 10;
inline constexpr std::size_t kMaxHeaders = 64;

// `bytes` is all that has come so far.
HttpParse parse_request(std::string_view bytes);

}  // namespace qanat
