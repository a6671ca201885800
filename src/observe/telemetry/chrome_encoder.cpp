#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "telemetry/trace_encoder.h"

namespace qanat {
namespace {

constexpr int kProcess = 1;

// With a comma behind: close() writes one more record.
void append_record(std::string& out, const nlohmann::ordered_json& record) {
  out += record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  out += ",\n";
}

double micros(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-3;
}

nlohmann::ordered_json to_json(const TraceNotes& notes) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : notes) {
    object[name] = value;
  }
  return object;
}

class ChromeEncoder final : public TraceEncoder {
 public:
  void open(std::string& out) const override {
    out += "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    append_record(
        out,
        {{"ph", "M"}, {"pid", kProcess}, {"name", "process_name"}, {"args", {{"name", "qanat"}}}});
  }

  void put_track(std::string& out, const TraceTrack& track) const override {
    if (track.kind == TraceTrackKind::counter) {
      return;  // counters carry their names
    }
    append_record(out,
                  {{"ph", "M"},
                   {"pid", kProcess},
                   {"tid", track.id},
                   {"name", "thread_name"},
                   {"args", {{"name", track.name}}}});
    append_record(out,
                  {{"ph", "M"},
                   {"pid", kProcess},
                   {"tid", track.id},
                   {"name", "thread_sort_index"},
                   {"args", {{"sort_index", track.rank}}}});
  }

  void put_slice(std::string& out, int track, const TraceSlice& slice) const override {
    append_record(out,
                  {{"ph", "X"},
                   {"pid", kProcess},
                   {"tid", track},
                   {"ts", micros(slice.begin)},
                   {"dur", micros(slice.end - slice.begin)},
                   {"name", slice.name},
                   {"args", to_json(slice.notes)}});
    for (const TraceFlow& flow : slice.flows) {
      put_flow(out, track, slice.begin, flow);
    }
    for (const TraceSlice& inner : slice.inner) {
      put_slice(out, track, inner);
    }
  }

  void put_instant(std::string& out,
                   int track,
                   std::int64_t at,
                   const std::string& name,
                   const TraceNotes& notes) const override {
    append_record(out,
                  {{"ph", "i"},
                   {"pid", kProcess},
                   {"tid", track},
                   {"ts", micros(at)},
                   {"s", "t"},
                   {"name", name},
                   {"args", to_json(notes)}});
  }

  void put_counter(std::string& out,
                   const TraceTrack& track,
                   std::int64_t at,
                   double value) const override {
    if (std::isfinite(value)) {  // JSON knows no other
      append_record(out,
                    {{"ph", "C"},
                     {"pid", kProcess},
                     {"ts", micros(at)},
                     {"name", track.name},
                     {"args", {{track.unit.empty() ? "value" : track.unit, value}}}});
    }
  }

  void close(std::string& out) const override {
    out +=
        "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_labels\",\"args\":{\"labels\":\"qanat\"}}\n]}"
        "\n";
  }

 private:
  static void put_flow(std::string& out, int track, std::int64_t at, const TraceFlow& flow) {
    append_record(out,
                  {{"ph", flow.stage == FlowStage::begin ? "s" : "f"},
                   {"bp", "e"},
                   {"pid", kProcess},
                   {"tid", track},
                   {"ts", micros(at)},
                   {"id", fmt::format("{:x}", flow.id)},
                   {"cat", "way"},
                   {"name", "way of a batch"}});
  }
};

}  // namespace

std::unique_ptr<TraceEncoder> make_chrome_encoder() {
  return std::make_unique<ChromeEncoder>();
}

}  // namespace qanat
