#include "store/sha256.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include <fmt/format.h>

namespace qanat {
namespace {

constexpr std::size_t kShaBlock = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kShaRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using ShaState = std::array<std::uint32_t, 8>;

void take_block(std::span<const std::uint8_t> block, ShaState& state) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w.at(i) = static_cast<std::uint32_t>(block[4 * i]) << 24U |
              static_cast<std::uint32_t>(block[4 * i + 1]) << 16U |
              static_cast<std::uint32_t>(block[4 * i + 2]) << 8U | block[4 * i + 3];
  }
  for (std::size_t i = 16; i < w.size(); ++i) {
    const std::uint32_t a = w.at(i - 15);
    const std::uint32_t b = w.at(i - 2);
    w.at(i) = w.at(i - 16) + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U)) + w.at(i - 7) +
              (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
  }
  ShaState s = state;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::uint32_t sum1 = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t first = s[7] + sum1 + choice + kShaRounds.at(i) + w.at(i);
    const std::uint32_t sum0 = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    s = {first + sum0 + majority, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    state.at(i) += s.at(i);
  }
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  ShaState state = {0x6a09e667,
                    0xbb67ae85,
                    0x3c6ef372,
                    0xa54ff53a,
                    0x510e527f,
                    0x9b05688c,
                    0x1f83d9ab,
                    0x5be0cd19};
  const std::span<const std::uint8_t> all(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                          bytes.size());
  const std::size_t whole = all.size() / kShaBlock * kShaBlock;
  for (std::size_t at = 0; at < whole; at += kShaBlock) {
    take_block(all.subspan(at, kShaBlock), state);
  }
  std::array<std::uint8_t, 2 * kShaBlock> tail{};
  const std::size_t left = all.size() - whole;
  std::ranges::copy(all.subspan(whole), tail.begin());
  tail.at(left) = 0x80;
  const std::size_t size = left + 9 <= kShaBlock ? kShaBlock : tail.size();
  const std::uint64_t bits = static_cast<std::uint64_t>(all.size()) * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    tail.at(size - 1 - i) = static_cast<std::uint8_t>(bits >> (8 * i));
  }
  for (std::size_t at = 0; at < size; at += kShaBlock) {
    take_block(std::span(tail).subspan(at, kShaBlock), state);
  }
  Sha256 hash{};
  for (std::size_t i = 0; i < hash.size(); ++i) {
    hash.at(i) = static_cast<std::uint8_t>(state.at(i / 4) >> (24 - 8 * (i % 4)));
  }
  return hash;
}

Sha256 hmac_sha256(std::string_view key, std::string_view bytes) {
  const Sha256 shortened = sha256(key);
  const std::string_view used = key.size() > kShaBlock ? as_key(shortened) : key;
  std::string inner(kShaBlock, '\x36');
  std::string outer(kShaBlock, '\x5c');
  for (std::size_t i = 0; i < used.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ used[i]);
    outer[i] = static_cast<char>(outer[i] ^ used[i]);
  }
  inner.append(bytes);
  outer.append(as_key(sha256(inner)));
  return sha256(outer);
}

std::string to_hex(const Sha256& hash) {
  std::string text;
  for (const std::uint8_t byte : hash) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::string_view as_key(const Sha256& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

}  // namespace qanat
