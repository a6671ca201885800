#include <unistd.h>

#include "telemetry/proto_writer.h"
#include "telemetry/trace_encoder.h"

namespace qanat {
namespace {

// Field numbers of Perfetto's messages, a stable public interface of it.
namespace packet_field {
constexpr std::uint32_t timestamp = 8;
constexpr std::uint32_t sequence = 10;
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t track_descriptor = 60;
}  // namespace packet_field
namespace event_field {
constexpr std::uint32_t annotation = 4;
constexpr std::uint32_t type = 9;
constexpr std::uint32_t track = 11;
constexpr std::uint32_t name = 23;
constexpr std::uint32_t double_value = 44;
constexpr std::uint32_t flow = 47;
constexpr std::uint32_t last_flow = 48;
}  // namespace event_field
namespace track_field {
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t process = 3;
constexpr std::uint32_t parent = 5;
constexpr std::uint32_t counter = 8;
constexpr std::uint32_t child_ordering = 11;
constexpr std::uint32_t rank = 12;
}  // namespace track_field
constexpr std::uint32_t kTracePacket = 1;
constexpr std::uint64_t kSequence = 1;
constexpr std::uint64_t kProcessTrack = 1;
constexpr std::uint64_t kByRank = 3;
enum EventType : std::uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };

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
  packet.put_varint(packet_field::sequence, kSequence)
      .put_message(packet_field::track_descriptor, descriptor);
  append_packet(out, packet);
}

void append_event(std::string& out, std::int64_t at, const ProtoWriter& event) {
  ProtoWriter packet;
  packet.put_signed(packet_field::timestamp, at)
      .put_varint(packet_field::sequence, kSequence)
      .put_message(packet_field::track_event, event);
  append_packet(out, packet);
}

ProtoWriter event_on(int track, EventType type) {
  ProtoWriter event;
  event.put_varint(event_field::type, type).put_varint(event_field::track, uuid_of(track));
  return event;
}

void put_notes(ProtoWriter& event, const TraceNotes& notes) {
  for (const auto& [name, value] : notes) {
    ProtoWriter annotation;
    annotation.put_bytes(10, name).put_bytes(6, value);
    event.put_message(event_field::annotation, annotation);
  }
}

class PerfettoEncoder final : public TraceEncoder {
 public:
  void open(std::string& out) const override {
    ProtoWriter process;
    process.put_signed(1, ::getpid()).put_bytes(6, "qanat");
    ProtoWriter descriptor;
    descriptor.put_varint(track_field::uuid, kProcessTrack)
        .put_message(track_field::process, process)
        .put_varint(track_field::child_ordering, kByRank);
    append_descriptor(out, descriptor);
  }

  void put_track(std::string& out, const TraceTrack& track) const override {
    ProtoWriter descriptor;
    descriptor.put_varint(track_field::uuid, uuid_of(track.id))
        .put_bytes(track_field::name, track.name)
        .put_varint(track_field::parent, kProcessTrack)
        .put_signed(track_field::rank, track.rank);
    if (track.kind == TraceTrackKind::counter) {
      ProtoWriter counter;
      counter.put_bytes(6, track.unit);
      descriptor.put_message(track_field::counter, counter);
    }
    append_descriptor(out, descriptor);
  }

  void put_slice(std::string& out, int track, const TraceSlice& slice) const override {
    ProtoWriter begin = event_on(track, kBegin);
    begin.put_bytes(event_field::name, slice.name);
    put_notes(begin, slice.notes);
    for (const TraceFlow& flow : slice.flows) {
      begin.put_fixed64(flow.stage == FlowStage::end ? event_field::last_flow : event_field::flow,
                        flow.id);
    }
    append_event(out, slice.begin, begin);
    for (const TraceSlice& inner : slice.inner) {
      put_slice(out, track, inner);
    }
    append_event(out, slice.end, event_on(track, kEnd));
  }

  void put_instant(std::string& out,
                   int track,
                   std::int64_t at,
                   const std::string& name,
                   const TraceNotes& notes) const override {
    ProtoWriter event = event_on(track, kInstant);
    event.put_bytes(event_field::name, name);
    put_notes(event, notes);
    append_event(out, at, event);
  }

  void put_counter(std::string& out,
                   const TraceTrack& track,
                   std::int64_t at,
                   double value) const override {
    append_event(
        out, at, event_on(track.id, kCounter).put_double(event_field::double_value, value));
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
