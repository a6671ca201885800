#include "app/dataset_sources.h"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "audio/audio_facts.h"
#include "audio/audio_header.h"
#include "base/content_hash.h"

namespace qanat {
namespace {

// Raised when the length read from some header changes: cached lengths of before are not used.
constexpr int kLengthVersion = 1;

Result<SampleCount> probe_length(const std::filesystem::path& path, SampleRate rate) {
  const Result<AudioHeader> header = read_audio_header(path);
  if (!header) {
    return header.failure();
  }
  return resampled_length(header.value().samples, header.value().rate, rate);
}

Result<SoundFacts> inspect(const std::filesystem::path& path, CheckDepth depth) {
  if (depth == CheckDepth::headers) {
    const Result<AudioHeader> header = read_audio_header(path);
    if (!header) {
      return header.failure();
    }
    return SoundFacts{
        .rate = header.value().rate, .channels = header.value().channels, .levels = {}};
  }
  const Result<AudioFacts> facts = inspect_audio(path);
  if (!facts) {
    return facts.failure();
  }
  const AudioFacts& found = facts.value();
  return SoundFacts{.rate = found.header.rate,
                    .channels = found.header.channels,
                    .levels = SoundLevels{.clipped_share = found.clipped_fraction,
                                          .silent = found.silent,
                                          .leading_silence = found.leading_silence,
                                          .trailing_silence = found.trailing_silence,
                                          .non_finite = found.non_finite}};
}

std::vector<NamedCount> unknown_characters(const TextFrontEnd& text, const Utterance& utterance) {
  const Result<TextReading> reading = text.read(utterance.text, utterance.language);
  std::vector<NamedCount> characters;
  if (reading) {
    for (const UnknownSymbol& unknown : reading.value().unknown) {
      characters.push_back({.name = unknown.symbol, .count = unknown.count});
    }
  }
  return characters;
}

}  // namespace

IndexSources make_index_sources(const TextFrontEnd& text, SampleRate rate) {
  return {.probe_length =
              [rate](const std::filesystem::path& path) { return probe_length(path, rate); },
          .count_tokens = [&text](const Utterance& utterance) -> Result<TokenCount> {
            const Result<TokenIds> ids = text.tokens(utterance.text, utterance.language);
            if (!ids) {
              return ids.failure();
            }
            return TokenCount{static_cast<std::int64_t>(ids.value().size())};
          },
          .settings_hash =
              content_hash(fmt::format("{} {} {}", kLengthVersion, rate.value, text.hash()))};
}

CheckSources make_check_sources(const TextFrontEnd& text, SampleRate rate) {
  return {.index = make_index_sources(text, rate),
          .inspect = inspect,
          .unknown_characters = [&text](const Utterance& utterance) {
            return unknown_characters(text, utterance);
          }};
}

}  // namespace qanat
