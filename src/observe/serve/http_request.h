// Parses the head of an HTTP request. Written by hand, because idle clients can block a server with
// a thread per connection (cpp-httplib 0.11 is one, and restarts its read timeout with every byte).
// Accepts what browsers and scrapers send for pages: GET and HEAD without a body; and POST with a
// body of a length that is said, where the limits allow one. Refuses the rest. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace qanat {

struct HttpRequest {
  std::string method = "GET";
  bool head_only = false;                      // HEAD
  bool is_old = false;                         // HTTP/1.0: knows no chunks
  std::string path;                            // "/events"; not decoded: no path of ours needs it
  std::string query;                           // behind the ?
  std::map<std::string, std::string> headers;  // names in lower case

  std::string body{};  // of a POST

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
  // Incomplete: the body is missing, and the client waits to hear that it may come.
  bool awaits_continue = false;
};

struct HttpLimits {
  std::size_t body = 0;  // bytes of a POST; 0: there is none
};

inline constexpr std::size_t kMaxRequestBytes = 8 << 10;
inline constexpr std::size_t kMaxTargetBytes = 1 << 10;
inline constexpr std::size_t kMaxHeaders = 64;

// `bytes` is all that has come so far.
HttpParse parse_request(std::string_view bytes, const HttpLimits& limits = {});

}  // namespace qanat
