// FLAC by libFLAC, which libsndfile itself uses. Directly, because libsndfile neither reports the
// frames that libFLAC found damaged (it delivers silence instead, or skips them) nor compares the
// samples with the MD5 that the file states: 1 of 10 flipped bits went unnoticed that way.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <FLAC/stream_decoder.h>
#include <fmt/format.h>

#include "audio/audio_source.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"

namespace qanat {
namespace {

struct DeleteFlacDecoder {
  void operator()(FLAC__StreamDecoder* decoder) const { FLAC__stream_decoder_delete(decoder); }
};
using FlacDecoderPtr = std::unique_ptr<FLAC__StreamDecoder, DeleteFlacDecoder>;

Message damage_of(FLAC__StreamDecoderErrorStatus status) {
  switch (status) {
    case FLAC__STREAM_DECODER_ERROR_STATUS_LOST_SYNC:
      return msg::flac_lost_sync{};
    case FLAC__STREAM_DECODER_ERROR_STATUS_BAD_HEADER:
      return msg::flac_bad_header{};
    case FLAC__STREAM_DECODER_ERROR_STATUS_FRAME_CRC_MISMATCH:
      return msg::flac_bad_frame{};
    default:
      return msg::flac_not_decoded{};
  }
}

// Every method but read(), seek() and header() is libFLAC's: called by it while it decodes.
class FlacSource : public AudioSource {
 public:
  static Result<AudioSourcePtr> open(const AudioFile& file);

  explicit FlacSource(const AudioFile& file) : file_(file) {}

  const AudioHeader& header() const override { return header_; }

  // The read that delivers the last promised frame also verifies all of them.
  Result<std::size_t> read(std::span<float> interleaved) override;
  Result<Done> seek(SampleCount frame) override;

 private:
  static FlacSource& self(void* user) { return *static_cast<FlacSource*>(user); }
  static FLAC__StreamDecoderReadStatus on_read(const FLAC__StreamDecoder* decoder,
                                               FLAC__byte* out,
                                               std::size_t* size,
                                               void* user);
  static FLAC__StreamDecoderSeekStatus on_seek(const FLAC__StreamDecoder* decoder,
                                               FLAC__uint64 place,
                                               void* user);
  static FLAC__StreamDecoderTellStatus on_tell(const FLAC__StreamDecoder* decoder,
                                               FLAC__uint64* place,
                                               void* user);
  static FLAC__StreamDecoderLengthStatus on_length(const FLAC__StreamDecoder* decoder,
                                                   FLAC__uint64* length,
                                                   void* user);
  static FLAC__bool on_end(const FLAC__StreamDecoder* decoder, void* user);
  static FLAC__StreamDecoderWriteStatus on_frame(const FLAC__StreamDecoder* decoder,
                                                 const FLAC__Frame* frame,
                                                 const FLAC__int32* const* channels,
                                                 void* user);
  static void on_metadata(const FLAC__StreamDecoder* decoder,
                          const FLAC__StreamMetadata* metadata,
                          void* user);
  static void on_error(const FLAC__StreamDecoder* decoder,
                       FLAC__StreamDecoderErrorStatus status,
                       void* user);

  Result<Done> read_metadata();
  void take_frame(const FLAC__Frame& frame, const FLAC__int32* const* channels);
  bool decode_frame();  // false at the end of the file and after a failure
  std::size_t deliver(std::span<float> interleaved);
  Result<Done> verify();
  std::int64_t promised_left() const { return header_.samples.value - delivered_; }

  const AudioFile& file_;
  std::int64_t position_ = 0;  // in the file
  FlacDecoderPtr decoder_;
  AudioHeader header_;
  unsigned bits_ = 0;               // per sample
  std::optional<Failure> failure_;  // the first one
  std::vector<float> pending_;      // interleaved, of the last frame
  std::size_t pending_begin_ = 0;   // of what was not delivered
  std::int64_t delivered_ = 0;      // frames, in the sense of AudioSource::read()
};

FLAC__StreamDecoderReadStatus FlacSource::on_read(const FLAC__StreamDecoder* /*decoder*/,
                                                  FLAC__byte* out,
                                                  std::size_t* size,
                                                  void* user) {
  FlacSource& source = self(user);
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(out), *size);
  const Result<std::size_t> got = read_at(source.file_, Bytes{source.position_}, bytes);
  if (!got) {
    source.failure_ = source.failure_.value_or(got.failure());
    return FLAC__STREAM_DECODER_READ_STATUS_ABORT;
  }
  *size = got.value();
  source.position_ += static_cast<std::int64_t>(got.value());
  return got.value() == 0 ? FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM
                          : FLAC__STREAM_DECODER_READ_STATUS_CONTINUE;
}

FLAC__StreamDecoderSeekStatus FlacSource::on_seek(const FLAC__StreamDecoder* /*decoder*/,
                                                  FLAC__uint64 place,
                                                  void* user) {
  self(user).position_ = static_cast<std::int64_t>(place);
  return FLAC__STREAM_DECODER_SEEK_STATUS_OK;
}

FLAC__StreamDecoderTellStatus FlacSource::on_tell(const FLAC__StreamDecoder* /*decoder*/,
                                                  FLAC__uint64* place,
                                                  void* user) {
  *place = static_cast<FLAC__uint64>(self(user).position_);
  return FLAC__STREAM_DECODER_TELL_STATUS_OK;
}

FLAC__StreamDecoderLengthStatus FlacSource::on_length(const FLAC__StreamDecoder* /*decoder*/,
                                                      FLAC__uint64* length,
                                                      void* user) {
  *length = static_cast<FLAC__uint64>(self(user).file_.size.value);
  return FLAC__STREAM_DECODER_LENGTH_STATUS_OK;
}

FLAC__bool FlacSource::on_end(const FLAC__StreamDecoder* /*decoder*/, void* user) {
  const FlacSource& source = self(user);
  return source.position_ >= source.file_.size.value ? 1 : 0;
}

FLAC__StreamDecoderWriteStatus FlacSource::on_frame(const FLAC__StreamDecoder* /*decoder*/,
                                                    const FLAC__Frame* frame,
                                                    const FLAC__int32* const* channels,
                                                    void* user) {
  FlacSource& source = self(user);
  source.take_frame(*frame, channels);
  return source.failure_ ? FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
                         : FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}

void FlacSource::on_metadata(const FLAC__StreamDecoder* /*decoder*/,
                             const FLAC__StreamMetadata* metadata,
                             void* user) {
  if (metadata->type != FLAC__METADATA_TYPE_STREAMINFO) {
    return;
  }
  FlacSource& source = self(user);
  const FLAC__StreamMetadata_StreamInfo& stated = metadata->data.stream_info;
  source.header_ = {.rate = SampleRate{stated.sample_rate},
                    .channels = static_cast<int>(stated.channels),
                    .samples = SampleCount{static_cast<std::int64_t>(stated.total_samples)},
                    .encoding = "flac"};
  source.bits_ = stated.bits_per_sample;
}

void FlacSource::on_error(const FLAC__StreamDecoder* /*decoder*/,
                          FLAC__StreamDecoderErrorStatus status,
                          void* user) {
  FlacSource& source = self(user);
  if (!source.failure_) {
    source.failure_ = to_failure(msg::flac_damaged_after{.what = damage_of(status),
                                                         .samples = ungrouped(source.delivered_)});
  }
}

// The MD5 covers the samples; what they mean is stated by every frame once more.
void FlacSource::take_frame(const FLAC__Frame& frame, const FLAC__int32* const* channels) {
  if (frame.header.sample_rate != header_.rate.value ||
      frame.header.channels != static_cast<unsigned>(header_.channels) ||
      frame.header.bits_per_sample != bits_) {
    failure_ = to_failure(msg::flac_other_frame{.rate = ungrouped(header_.rate.value),
                                                .channels = header_.channels,
                                                .bits = bits_,
                                                .frame_rate = ungrouped(frame.header.sample_rate),
                                                .frame_channels = frame.header.channels,
                                                .frame_bits = frame.header.bits_per_sample});
    return;
  }
  const auto width = static_cast<std::size_t>(header_.channels);
  const float scale = 1.0F / static_cast<float>(std::uint32_t{1} << (bits_ - 1));
  pending_.resize(frame.header.blocksize * width);
  pending_begin_ = 0;
  for (std::size_t channel = 0; channel < width; ++channel) {
    for (std::size_t i = 0; i < frame.header.blocksize; ++i) {
      pending_[i * width + channel] = static_cast<float>(channels[channel][i]) * scale;
    }
  }
}

bool FlacSource::decode_frame() {
  pending_.clear();
  pending_begin_ = 0;
  FLAC__StreamDecoder* decoder = decoder_.get();
  while (pending_.empty() && !failure_) {
    const bool went_well = FLAC__stream_decoder_process_single(decoder) != 0;
    const FLAC__StreamDecoderState state = FLAC__stream_decoder_get_state(decoder);
    if (state == FLAC__STREAM_DECODER_END_OF_STREAM && pending_.empty()) {
      failure_.reset();  // a frame that the file ends in: who asked for more says truncated
      break;
    }
    if (!went_well && !failure_) {
      failure_ = to_failure(msg::flac_damaged{.what = FLAC__StreamDecoderStateString[state]});
    }
  }
  return !pending_.empty() && !failure_;
}

std::size_t FlacSource::deliver(std::span<float> interleaved) {
  const auto width = static_cast<std::size_t>(header_.channels);
  const std::size_t count = std::min({interleaved.size() / width,
                                      (pending_.size() - pending_begin_) / width,
                                      static_cast<std::size_t>(promised_left())});
  std::memcpy(interleaved.data(), pending_.data() + pending_begin_, count * width * sizeof(float));
  pending_begin_ += count * width;
  delivered_ += static_cast<std::int64_t>(count);
  return count;
}

Result<std::size_t> FlacSource::read(std::span<float> interleaved) {
  const auto width = static_cast<std::size_t>(header_.channels);
  std::size_t frames = 0;
  while (promised_left() > 0 && (frames + 1) * width <= interleaved.size()) {
    if (pending_begin_ == pending_.size() && !decode_frame()) {
      break;
    }
    frames += deliver(interleaved.subspan(frames * width));
  }
  if (failure_) {
    return *failure_;
  }
  if (promised_left() == 0) {
    const Result<Done> whole = verify();
    if (!whole) {
      return whole.failure();
    }
  }
  return frames;
}

// libFLAC delivers what it found there at once: from that very frame on.
Result<Done> FlacSource::seek(SampleCount frame) {
  pending_.clear();
  pending_begin_ = 0;
  const bool went_well = FLAC__stream_decoder_seek_absolute(
                             decoder_.get(), static_cast<FLAC__uint64>(frame.value)) != 0;
  if (failure_) {
    return *failure_;
  }
  if (!went_well) {
    const FLAC__StreamDecoderState state = FLAC__stream_decoder_get_state(decoder_.get());
    return to_failure(msg::flac_damaged{.what = FLAC__StreamDecoderStateString[state]});
  }
  delivered_ = frame.value;
  return Done{};
}

Result<Done> FlacSource::verify() {
  if (pending_begin_ < pending_.size()) {
    return to_failure(msg::flac_too_many{.samples = ungrouped(header_.samples.value)});
  }
  // Without an MD5 in the file, or when called again, there is nothing to compare.
  if (FLAC__stream_decoder_finish(decoder_.get()) == 0) {
    return to_failure(msg::flac_checksum{});
  }
  return Done{};
}

Result<Done> FlacSource::read_metadata() {
  decoder_.reset(FLAC__stream_decoder_new());
  if (!decoder_) {
    return to_failure(msg::audio_no_decoder{.library = "libFLAC"});
  }
  FLAC__stream_decoder_set_md5_checking(decoder_.get(), 1);
  const FLAC__StreamDecoderInitStatus started = FLAC__stream_decoder_init_stream(decoder_.get(),
                                                                                 on_read,
                                                                                 on_seek,
                                                                                 on_tell,
                                                                                 on_length,
                                                                                 on_end,
                                                                                 on_frame,
                                                                                 on_metadata,
                                                                                 on_error,
                                                                                 this);
  if (started != FLAC__STREAM_DECODER_INIT_STATUS_OK) {
    return to_failure(msg::audio_no_decoder{.library = "libFLAC"});
  }
  const bool read = FLAC__stream_decoder_process_until_end_of_metadata(decoder_.get()) != 0;
  if (failure_) {
    return *failure_;
  }
  if (!read || header_.encoding.empty()) {
    return to_failure(msg::flac_no_header{});
  }
  if (header_.samples.value == 0) {
    return to_failure(msg::audio_no_length{});
  }
  return check_audio_header(header_);
}

Result<AudioSourcePtr> FlacSource::open(const AudioFile& file) {
  auto source = std::make_unique<FlacSource>(file);
  const Result<Done> described = source->read_metadata();
  if (!described) {
    return described.failure();
  }
  return AudioSourcePtr(std::move(source));
}

}  // namespace

Result<AudioSourcePtr> open_flac_source(const AudioFile& file) {
  return FlacSource::open(file);
}

}  // namespace qanat
