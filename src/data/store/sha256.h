// SHA-256 and the keyed hash that is made of it, for signatures of requests. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace qanat {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);
Sha256 hmac_sha256(std::string_view key, std::string_view bytes);

std::string to_hex(const Sha256& hash);
// The hash as the key of the next one.
std::string_view as_key(const Sha256& hash);

}  // namespace qanat
