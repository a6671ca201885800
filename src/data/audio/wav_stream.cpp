#include "audio/wav_stream.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "audio/sample_format.h"
#include "audio/wav_writer.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"
#include "locale/messages/data_set_errors.h"

namespace qanat {
namespace {

constexpr std::size_t kRiffBytesAt = 4;
constexpr std::size_t kDataBytesAt = 40;
constexpr std::size_t kHeaderBytes = 44;
constexpr std::uint32_t kUnknown = 0xFFFFFFFFU;

std::vector<std::byte> header_of(std::uint32_t data_bytes, SampleRate rate) {
  std::vector<std::byte> header = encode_wav({}, rate);
  const std::uint32_t riff_bytes =
      data_bytes == kUnknown ? kUnknown : data_bytes + static_cast<std::uint32_t>(kHeaderBytes - 8);
  std::memcpy(header.data() + kRiffBytesAt, &riff_bytes, sizeof(riff_bytes));
  std::memcpy(header.data() + kDataBytesAt, &data_bytes, sizeof(data_bytes));
  return header;
}

}  // namespace

WavStream::WavStream(const std::filesystem::path& path, SampleRate rate)
    : path_(path), rate_(rate) {
  if (path != "-") {
    file_ = UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file_) {
      throw MessageError(msg::set_refused{.file = path.string(), .why = system_reason(errno)});
    }
  }
  put(header_of(kUnknown, rate));
}

void WavStream::put(std::span<const std::byte> bytes) {
  const int fd = file_ ? file_.get() : STDOUT_FILENO;
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done < 0) {
      throw MessageError(msg::set_refused{.file = path_.string(), .why = system_reason(errno)});
    }
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void WavStream::write(std::span<const float> mono) {
  constexpr std::int64_t kMax = (kUnknown - 1 - kHeaderBytes) / sizeof(std::int16_t);
  if (samples_ + static_cast<std::int64_t>(mono.size()) > kMax) {
    throw MessageError(msg::set_refused{
        .file = path_.string(),
        .why = msg::wav_too_long{.samples = samples_ + static_cast<std::int64_t>(mono.size()),
                                 .most = kMax}});
  }
  rounded_.resize(mono.size());
  to_pcm16(mono, rounded_);
  put(std::as_bytes(std::span(rounded_)));
  samples_ += static_cast<std::int64_t>(mono.size());
}

void WavStream::finish() {
  if (!file_) {
    return;
  }
  const auto bytes =
      static_cast<std::uint32_t>(samples_ * static_cast<std::int64_t>(sizeof(std::int16_t)));
  const std::vector<std::byte> header = header_of(bytes, rate_);
  if (::pwrite(file_.get(), header.data(), header.size(), 0) !=
          static_cast<ssize_t>(header.size()) &&
      errno != ESPIPE) {
    throw MessageError(msg::set_refused{.file = path_.string(), .why = system_reason(errno)});
  }
}

}  // namespace qanat
