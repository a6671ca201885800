// Takes arbitrary bytes for an audio file: header, samples as float and as 16 bits, facts.
//
// The bytes are put into a file in memory, so the whole way from open() on is the one a data set
// takes. What a header promises, the decoder has to deliver.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "audio/audio_decoder.h"
#include "audio/audio_facts.h"
#include "audio/audio_source.h"
#include "audio/wav_layout.h"
#include "base/check.h"
#include "base/files.h"

namespace qanat {
namespace {

constexpr SampleRate kTarget{22050};

class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::uint8_t> bytes)
      : fd_(::memfd_create("fuzz_audio", MFD_CLOEXEC)) {
    QANAT_CHECK(::write(fd_.get(), bytes.data(), bytes.size()) ==
                static_cast<ssize_t>(bytes.size()));
  }

  std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", fd_.get()); }

 private:
  UniqueFd fd_;
};

void parse_in_memory(std::span<const std::byte> bytes) {
  if (!is_wav(bytes)) {
    return;
  }
  const Result<std::optional<WavLayout>> layout = parse_wav(bytes);
  if (layout && layout.value()) {
    const std::int64_t end = layout.value()->data_offset +
                             layout.value()->samples.value * layout.value()->frame_bytes().value;
    QANAT_CHECK(end <= static_cast<std::int64_t>(bytes.size())) << end;
  }
}

void read_file(const std::filesystem::path& path) {
  AudioDecoder decoder(kTarget);
  const Result<AudioHeader> header = read_audio_header(path);
  const auto samples = decoder.decode(path);
  if (samples) {
    QANAT_CHECK(header) << header.failure().what;
    const SampleCount promised =
        resampled_length(header.value().samples, header.value().rate, kTarget);
    QANAT_CHECK(static_cast<std::int64_t>(samples.value().size()) == promised.value);
  }
  const bool decodes = samples.ok();
  QANAT_CHECK(decoder.decode_pcm16(path).ok() == decodes);
  QANAT_CHECK(!decodes || inspect_audio(path).ok());
}

}  // namespace
}  // namespace qanat

// libsndfile 1.2.0 leaks a few kB when it refuses a damaged Vorbis file; ours are still found.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: the name LeakSanitizer asks for
  return "leak:libsndfile.so\nleak:libvorbis.so\nleak:libFLAC.so\nleak:libopus.so\n";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  qanat::parse_in_memory(std::as_bytes(bytes));
  qanat::read_file(qanat::MemoryFile(bytes).path());
  return 0;
}
