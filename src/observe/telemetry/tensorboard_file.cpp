#include "telemetry/tensorboard_file.h"

#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "audio/wav_layout.h"
#include "base/error.h"
#include "base/files.h"

namespace qanat {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1U) != 0 ? crc >> 1U ^ 0x82f63b78U : crc >> 1U;  // the polynomial, reflected
    }
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

constexpr std::size_t kMaxBuffered = 1 << 20;

// Field numbers of TensorBoard's messages.
namespace event_field {
constexpr std::uint32_t kWallTime = 1;
constexpr std::uint32_t kStep = 2;
constexpr std::uint32_t kFileVersion = 3;
constexpr std::uint32_t kSummary = 5;
constexpr std::uint32_t kSessionLog = 7;
}  // namespace event_field
namespace value_field {
constexpr std::uint32_t kTag = 1;
constexpr std::uint32_t kSimpleValue = 2;
constexpr std::uint32_t kImage = 4;
constexpr std::uint32_t kAudio = 6;
constexpr std::uint32_t kTensor = 8;
constexpr std::uint32_t kMetadata = 9;
}  // namespace value_field
constexpr std::uint32_t kSummaryValue = 1;
constexpr std::uint64_t kStringTensor = 7;
constexpr std::uint64_t kSessionStart = 1;
constexpr std::uint64_t kRgb = 3;

void append_little_endian(std::string& to, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) {
    to += static_cast<char>(value >> (8U * static_cast<unsigned>(i)) & 0xFFU);
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

ProtoWriter event_at(const BoardTime& time) {
  ProtoWriter event;
  event.put_double(event_field::kWallTime, time.wall).put_signed(event_field::kStep, time.step);
  return event;
}

ProtoWriter tagged(const std::string& tag) {
  ProtoWriter value;
  value.put_bytes(value_field::kTag, tag);
  return value;
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) {
    value = value << 8U | static_cast<unsigned char>(byte);
  }
  return value;
}

std::filesystem::path make_folder(const std::filesystem::path& folder) {
  make_folders(folder, "training.tensorboard_dir");
  return folder;
}

// With its errno: who asked for the file decides whether that may pass.
[[noreturn]] void refuse(FileTrouble trouble) {
  std::string what = to_string(trouble);
  throw Error(Failure{.what = std::move(what), .trouble = std::move(trouble)});
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc = crc >> 8U ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU];
  }
  return ~crc;
}

TensorBoardFile::TensorBoardFile(const std::filesystem::path& folder, double wall_now) {
  make_folder(folder);
  for (int number = 0; !fd_; ++number) {
    path_ = folder / fmt::format("events.out.tfevents.{:010}.{}.{}.{}",
                                 static_cast<std::int64_t>(wall_now),
                                 host_name(),
                                 ::getpid(),
                                 number);
    fd_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
    if (!fd_ && errno != EEXIST) {
      refuse({.path = path_.string(),
              .action = FileAction::create,
              .error = errno,
              .flag = "training.tensorboard_dir"});
    }
  }
  ProtoWriter first;
  first.put_double(event_field::kWallTime, wall_now)
      .put_bytes(event_field::kFileVersion, "brain.Event:2");
  put_event(first);
  flush();
}

void TensorBoardFile::put_event(const ProtoWriter& event) {
  const std::string& bytes = event.bytes();
  std::string length;
  append_little_endian(length, bytes.size(), 8);
  buffer_ += length;
  append_little_endian(buffer_, masked_crc32c(length), 4);
  buffer_ += bytes;
  append_little_endian(buffer_, masked_crc32c(bytes), 4);
  if (buffer_.size() > kMaxBuffered) {
    flush();
  }
}

void TensorBoardFile::put_summary(const BoardTime& time, const ProtoWriter& summary) {
  put_event(event_at(time).put_message(event_field::kSummary, summary));
}

void TensorBoardFile::put_session_start(const BoardTime& time) {
  ProtoWriter log;
  log.put_varint(1, kSessionStart);
  put_event(event_at(time).put_message(event_field::kSessionLog, log));
}

void TensorBoardFile::put_scalars(const BoardTime& time, const std::vector<TagValue>& values) {
  ProtoWriter summary;
  for (const auto& [tag, value] : values) {
    summary.put_message(
        kSummaryValue, tagged(tag).put_float(value_field::kSimpleValue, static_cast<float>(value)));
  }
  put_summary(time, summary);
}

void TensorBoardFile::put_wav(const BoardTime& time, const std::string& tag, std::string_view wav) {
  const Result<std::optional<WavLayout>> layout =
      parse_wav(std::as_bytes(std::span(wav.data(), wav.size())));
  if (!layout || !layout.value()) {
    throw Error("{}: not a WAV file of plain samples", tag);
  }
  const WavLayout& of = *layout.value();
  ProtoWriter audio;
  audio.put_float(1, static_cast<float>(of.rate.value))
      .put_signed(2, of.channels)
      .put_signed(3, of.samples.value)
      .put_bytes(4, wav)
      .put_bytes(5, "audio/wav");
  ProtoWriter summary;
  summary.put_message(kSummaryValue, tagged(tag).put_message(value_field::kAudio, audio));
  put_summary(time, summary);
}

void TensorBoardFile::put_png(const BoardTime& time, const std::string& tag, std::string_view png) {
  constexpr std::size_t kWidthAt = 16;  // behind the signature and the head of the first chunk
  if (png.size() < kWidthAt + 8 || png.substr(1, 3) != "PNG") {
    throw Error("{}: not a PNG picture", tag);
  }
  ProtoWriter image;
  image.put_varint(1, big_endian(png.substr(kWidthAt + 4, 4)))
      .put_varint(2, big_endian(png.substr(kWidthAt, 4)))
      .put_varint(3, kRgb)
      .put_bytes(4, png);
  ProtoWriter summary;
  summary.put_message(kSummaryValue, tagged(tag).put_message(value_field::kImage, image));
  put_summary(time, summary);
}

void TensorBoardFile::put_markdown(const BoardTime& time,
                                   const std::string& tag,
                                   std::string_view text) {
  ProtoWriter tensor;  // a scalar: of no dimension
  tensor.put_varint(1, kStringTensor).put_message(2, ProtoWriter()).put_bytes(8, text);
  ProtoWriter plugin;
  plugin.put_bytes(1, "text");
  ProtoWriter metadata;
  metadata.put_message(1, plugin);
  ProtoWriter summary;
  summary.put_message(kSummaryValue,
                      tagged(tag)
                          .put_message(value_field::kTensor, tensor)
                          .put_message(value_field::kMetadata, metadata));
  put_summary(time, summary);
}

void TensorBoardFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t put = ::write(fd_.get(), rest.data(), rest.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0) {
      refuse({.path = path_.string(), .action = FileAction::write, .error = errno});
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  buffer_.clear();
}

}  // namespace qanat
