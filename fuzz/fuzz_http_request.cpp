// The head of a request as any client may send it: taken or refused, never past the bounds; and no
// request without the token gets by.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "serve/access.h"
#include "serve/http_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const qanat::HttpParse parse = qanat::parse_request(text);
  if (parse.state != qanat::HttpParse::State::complete) {
    return 0;
  }
  const qanat::HttpRequest& request = parse.request;
  QANAT_CHECK(request.path.starts_with('/')) << "a target that is no path";
  QANAT_CHECK(request.headers.size() <= qanat::kMaxHeaders) << "too many headers";
  const bool shows_token =
      request.parameter("token") == "secret" || request.header("authorization") == "Bearer secret";
  const bool answered = !qanat::check_access(request, {.port = 80, .token = "secret"});
  QANAT_CHECK(shows_token || request.path == "/healthz" || !answered) << "answered without token";
  return 0;
}
