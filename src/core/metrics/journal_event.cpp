#include "metrics/journal_event.h"

#include <utility>

#include <fmt/format.h>

#include "metrics/journal_fields.h"

namespace qanat {
namespace {

// Lines of these are of no use unless they are whole.
template <typename Event>
constexpr auto kMissing = std::same_as<Event, StepRecord> || std::same_as<Event, PipelineStats>
                              ? FieldReader::Missing::is_damage
                              : FieldReader::Missing::is_unknown;

// All but what the journal says of every line.
nlohmann::json fields_of(nlohmann::json line) {
  line.erase("kind");
  line.erase("t");
  return line;
}

template <std::size_t kAt = 0>
Result<JournalEvent> read_event(const std::string& kind, nlohmann::json& line) {
  using Event = std::variant_alternative_t<kAt, JournalEvent>;
  if constexpr (std::same_as<Event, UnknownEvent>) {
    return JournalEvent(UnknownEvent{.kind = kind, .fields = fields_of(std::move(line))});
  } else {
    if (kind != Event::kKind) {
      return read_event<kAt + 1>(kind, line);
    }
    JournalEvent read(std::in_place_index<kAt>);
    Event& event = std::get<kAt>(read);
    if constexpr (requires { event.fields; }) {
      event.fields = fields_of(std::move(line));
    } else {
      FieldReader reader(line, kMissing<Event>);
      Event::visit_fields(event, reader);
      if (!reader.damage().empty()) {
        return Failure{
            fmt::format("journal line of kind {}: {} is missing or wrong", kind, reader.damage())};
      }
      if constexpr (std::same_as<Event, PastSteps>) {
        if (!event.is_sane()) {
          return Failure{fmt::format("journal line of kind {}: not what a run can have had", kind)};
        }
      }
    }
    return read;
  }
}

}  // namespace

std::string_view kind_of(const JournalEvent& event) {
  return std::visit(OnEvent{[](const UnknownEvent& one) { return std::string_view(one.kind); },
                            [](const auto& one) { return one.kKind; }},
                    event);
}

nlohmann::json to_fields(const JournalEvent& event) {
  return std::visit(
      []<typename Event>(const Event& one) {
        nlohmann::json fields = nlohmann::json::object();
        if constexpr (requires { one.fields; }) {
          fields = one.fields;
        } else {
          Event::visit_fields(one, FieldWriter(fields));
        }
        return fields;
      },
      event);
}

Result<JournalEntry> to_journal_entry(nlohmann::json line) {
  JournalEntry entry;
  std::string kind;
  FieldReader reader(line, FieldReader::Missing::is_unknown);
  reader("kind", kind);
  reader("t", entry.at);
  Result<JournalEvent> event = read_event(kind, line);
  if (!event) {
    return event.failure();
  }
  entry.event = std::move(event).value();
  return entry;
}

}  // namespace qanat
