#include "audio/wav_writer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "audio/sample_format.h"
#include "base/files.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"

namespace qanat {
namespace {

// The layout of the file is that of the struct: all fields little-endian and naturally aligned.
struct WavFileHeader {
  std::array<char, 4> riff = {'R', 'I', 'F', 'F'};
  std::uint32_t riff_bytes = 0;
  std::array<char, 4> wave = {'W', 'A', 'V', 'E'};
  std::array<char, 4> fmt = {'f', 'm', 't', ' '};
  std::uint32_t fmt_bytes = 16;
  std::uint16_t tag = 1;
  std::uint16_t channels = 1;
  std::uint32_t rate = 0;
  std::uint32_t bytes_per_second = 0;
  std::uint16_t bytes_per_frame = 2;
  std::uint16_t bits = 16;
  std::array<char, 4> data = {'d', 'a', 't', 'a'};
  std::uint32_t data_bytes = 0;
};
static_assert(sizeof(WavFileHeader) == 44);

}  // namespace

std::vector<std::byte> encode_wav(std::span<const std::int16_t> mono, SampleRate rate) {
  constexpr std::size_t kLargest = 0xFFFFFFFFU - sizeof(WavFileHeader);
  if (mono.size_bytes() > kLargest) {
    throw MessageError(
        msg::wav_too_long{.samples = mono.size(), .most = kLargest / sizeof(std::int16_t)});
  }
  WavFileHeader header;
  header.data_bytes = static_cast<std::uint32_t>(mono.size_bytes());
  header.riff_bytes = header.data_bytes + static_cast<std::uint32_t>(sizeof(header) - 8);
  header.rate = static_cast<std::uint32_t>(rate.value);
  header.bytes_per_second = header.rate * header.bytes_per_frame;
  std::vector<std::byte> file(sizeof(header) + mono.size_bytes());
  std::memcpy(file.data(), &header, sizeof(header));
  std::ranges::copy(std::as_bytes(mono), file.begin() + sizeof(header));
  return file;
}

void write_wav(const std::filesystem::path& path, std::span<const float> mono, SampleRate rate) {
  std::vector<std::int16_t> samples(mono.size());
  to_pcm16(mono, samples);
  AtomicFile file(path);
  file.write(encode_wav(samples, rate));
  file.commit();
}

}  // namespace qanat
