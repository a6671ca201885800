#include <unistd.h>

#include "telemetry/proto_writer.h"
#include "telemetry/trace_encoder.h"

namespace qanat {
namespace {

// Field numbers of Perfetto's messages, a stable public interface of it.
namespace packet_field {
constexpr std::uint32_t kTimestamp = 8;
constexpr std::uint32_t kSequence = 10;
constexpr std::uint32_t kTrackEvent = 11;
constexpr std::uint32_t kTrackDescriptor = 60;
}  // namespace packet_field
namespace event_field {
constexpr std::uint32_t kAnnotation = 4;
constexpr std::uint32_t kType = 9;
constexpr std::uint32_t kTrack = 11;
constexpr std::uint32_t kName = 23;
constexpr std::uint32_t kDoubleValue = 44;
constexpr std::uint32_t kFlow = 47;
constexpr std::uint32_t kLastFlow = 48;
}  // namespace event_field
namespace track_field {
constexpr std::uint32_t kUuid = 1;
constexpr std::uint32_t kName = 2;
constexpr std::uint32_t kProcess = 3;
constexpr std::uint32_t kParent = 5;
constexpr std::uint32_t kCounter = 8;
constexpr std::uint32_t kChildOrdering = 11;
constexpr std::uint32_t kRank = 12;
}  // namespace track_field
constexpr std::uint32_t kTracePacket = 1;
constexpr std::uint64_t kSequence = 1;
constexpr std::uint64_t kProcessTrack = 1;
constexpr std::uint64_t kByRank = 3;
enum class EventType : std::uint64_t { begin = 1, end = 2, instant = 3, counter = 4 };

std::uint64_t uuid_of(int track) {
  return kProcessTrack + 1 + static_cast<std::uint64_t>(track);
}

void append_packet(std::string& out, const ProtoWriter& packet) {
  ProtoWriter trace;
  trace.put_message(kTracePacket, packet);
  out += trace.bytes();
}

void append_descriptor(std::string& out, const ProtoWriter& descriptor) {
  ProtoWriter packet;
  packet.put_varint(packet_field::kSequence, kSequence)
      .put_message(packet_field::kTrackDescriptor, descriptor);
  append_packet(out, packet);
}

void append_event(std::string& out, std::int64_t at, const ProtoWriter& event) {
  ProtoWriter packet;
  packet.put_signed(packet_field::kTimestamp, at)
      .put_varint(packet_field::kSequence, kSequence)
      .put_message(packet_field::kTrackEvent, event);
  append_packet(out, packet);
}

ProtoWriter event_on(int track, EventType type) {
  ProtoWriter event;
  event.put_varint(event_field::kType, static_cast<std::uint64_t>(type))
      .put_varint(event_field::kTrack, uuid_of(track));
  return event;
}

void put_notes(ProtoWriter& event, const TraceNotes& notes) {
  for (const auto& [name, value] : notes) {
    ProtoWriter annotation;
    annotation.put_bytes(10, name).put_bytes(6, value);
    event.put_message(event_field::kAnnotation, annotation);
  }
}

class PerfettoEncoder final : public TraceEncoder {
 public:
  void open(std::string& out) const override {
    ProtoWriter process;
    process.put_signed(1, ::getpid()).put_bytes(6, "qanat");
    ProtoWriter descriptor;
    descriptor.put_varint(track_field::kUuid, kProcessTrack)
        .put_message(track_field::kProcess, process)
        .put_varint(track_field::kChildOrdering, kByRank);
    append_descriptor(out, descriptor);
  }

  void put_track(std::string& out, const TraceTrack& track) const override {
    ProtoWriter descriptor;
    descriptor.put_varint(track_field::kUuid, uuid_of(track.id))
        .put_bytes(track_field::kName, track.name)
        .put_varint(track_field::kParent, kProcessTrack)
        .put_signed(track_field::kRank, track.rank);
    if (track.kind == TraceTrackKind::counter) {
      ProtoWriter counter;
      counter.put_bytes(6, track.unit);
      descriptor.put_message(track_field::kCounter, counter);
    }
    append_descriptor(out, descriptor);
  }

  void put_slice(std::string& out, int track, const TraceSlice& slice) const override {
    ProtoWriter begin = event_on(track, EventType::begin);
    begin.put_bytes(event_field::kName, slice.name);
    put_notes(begin, slice.notes);
    for (const TraceFlow& flow : slice.flows) {
      begin.put_fixed64(flow.stage == FlowStage::end ? event_field::kLastFlow : event_field::kFlow,
                        flow.id);
    }
    append_event(out, slice.begin, begin);
    for (const TraceSlice& inner : slice.inner) {
      put_slice(out, track, inner);
    }
    append_event(out, slice.end, event_on(track, EventType::end));
  }

  void put_instant(std::string& out,
                   int track,
                   std::int64_t at,
                   const std::string& name,
                   const TraceNotes& notes) const override {
    ProtoWriter event = event_on(track, EventType::instant);
    event.put_bytes(event_field::kName, name);
    put_notes(event, notes);
    append_event(out, at, event);
  }

  void put_counter(std::string& out,
                   const TraceTrack& track,
                   std::int64_t at,
                   double value) const override {
    append_event(
        out,
        at,
        event_on(track.id, EventType::counter).put_double(event_field::kDoubleValue, value));
  }

  void close(std::string& /*out*/) const override {}
};

}  // namespace

std::unique_ptr<TraceEncoder> make_perfetto_encoder() {
  return std::make_unique<PerfettoEncoder>();
}

std::unique_ptr<TraceEncoder> make_trace_encoder(TraceFormat format) {
  return format == TraceFormat::json ? make_chrome_encoder() : make_perfetto_encoder();
}

}  // namespace qanat
