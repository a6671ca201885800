// A TensorBoard event file: numbers, sound, pictures and text by tag and step. Needs no TensorFlow;
// the format is a sequence of checksummed records, each one message of kind Event.
//
// Every put_*() adds one record to a buffer; flush() writes it. A file that is cut off in the
// middle of a record is read up to there. For one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "telemetry/proto_writer.h"

namespace qanat {

// The Castagnoli checksum of TensorBoard's records. By table: files grow by kilobytes a second, and
// Debian has no library for it.
std::uint32_t crc32c(std::string_view bytes);

// As records carry it, so that a checksum of bytes that hold checksums stays a good one.
inline std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return (crc >> 15U | crc << 17U) + 0xa282ead8U;
}

// When, in both of TensorBoard's axes.
struct BoardTime {
  std::int64_t step = 0;
  double wall = 0;  // seconds since 1970
};

using TagValue = std::pair<std::string, double>;

class TensorBoardFile {
 public:
  // Makes the folder and, in it, a file of a name that no other run has; TensorBoard reads all
  // files of a folder in the order of their names. Throws Error when it cannot.
  TensorBoardFile(const std::filesystem::path& folder, double wall_now);

  // The run resumes at this step: whatever older files of the folder say of it or of later steps
  // is void.
  void put_session_start(const BoardTime& time);
  void put_scalars(const BoardTime& time, const std::vector<TagValue>& values);
  // Whole files in memory.
  void put_wav(const BoardTime& time, const std::string& tag, std::string_view wav);
  void put_png(const BoardTime& time, const std::string& tag, std::string_view png);
  void put_markdown(const BoardTime& time, const std::string& tag, std::string_view text);

  // Throws Error when the disk refuses.
  void flush();

  const std::filesystem::path& path() const { return path_; }

 private:
  void put_event(const ProtoWriter& event);
  void put_summary(const BoardTime& time, const ProtoWriter& summary);

  std::filesystem::path path_;
  UniqueFd fd_;
  std::string buffer_;
};

}  // namespace qanat
