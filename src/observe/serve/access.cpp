#include "serve/access.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/random.h>

#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/file_errors.h"

namespace qanat {
namespace {

bool host_is_ours(const std::string& host, int port) {
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) {
      return true;
    }
  }
  return false;
}

// Takes as long wherever the first difference is.
bool same_secret(std::string_view given, std::string_view secret) {
  unsigned different = given.size() == secret.size() ? 0U : 1U;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    const char other = i < given.size() ? given[i] : '\0';
    different |= static_cast<unsigned char>(secret[i]) ^ static_cast<unsigned char>(other);
  }
  return different == 0;
}

std::string token_of(const HttpRequest& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string authorization = request.header("authorization");
  return authorization.starts_with(kBearer) ? authorization.substr(kBearer.size())
                                            : request.parameter("token");
}

}  // namespace

bool is_loopback(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

std::optional<int> check_access(const HttpRequest& request, const AccessRules& rules) {
  if (request.path == "/healthz") {
    return std::nullopt;
  }
  if (!rules.token.empty()) {
    return same_secret(token_of(request), rules.token) ? std::nullopt : std::optional(401);
  }
  return host_is_ours(request.header("host"), rules.port) ? std::nullopt : std::optional(421);
}

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw MessageError(msg::set_refused{.file = "getrandom()",
                                        .why = msg::cannot_read{.reason = system_reason(errno)}});
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

}  // namespace qanat
