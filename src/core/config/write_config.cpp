#include "config/write_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "config/field_list.h"
#include "locale/messages/configuration.h"

namespace qanat {
namespace {

// A comment must stay on its line, whatever a file is called.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string escaped_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') {
      cell += '\\';
    }
    cell += c;
  }
  return cell;
}

std::string flag_cell(const FieldSpec& spec, const Translator& words) {
  std::vector<std::string> cells = flag_names(spec);
  if (!spec.off_flag.empty()) {
    cells.emplace_back(spec.off_flag);
  }
  std::string text;
  for (const std::string& name : cells) {
    text += fmt::format("{}`{}`", text.empty() ? "" : words.comma(), name);
  }
  return text;
}

Message meaning_of(const FieldSpec& spec) {
  Message help{spec.help};
  switch (spec.needs) {
    case Needs::nothing:
      break;
    case Needs::gpu:
      return msg::reference_without_gpu{.help = help};
    case Needs::cuda:
      return msg::reference_without_cuda{.help = help};
    case Needs::tensorflow:
      return msg::reference_no_effect{.help = help, .reason = Message{spec.inert_reason}};
  }
  return help;
}

std::string unit_cell(std::string_view unit, const Translator& words) {
  constexpr std::array<std::pair<std::string_view, MessageId>, 9> kUnits{
      {{"tokens", msg::unit_field_tokens::id},
       {"frames", msg::unit_field_frames::id},
       {"utterances", msg::unit_field_utterances::id},
       {"threads", msg::unit_field_threads::id},
       {"batches", msg::unit_field_batches::id},
       {"slots", msg::unit_field_slots::id},
       {"steps", msg::unit_field_steps::id},
       {"s", msg::unit_field_s::id},
       {"MB", msg::unit_field_mb::id}}};
  const auto found = std::ranges::find(kUnits, unit, &decltype(kUnits)::value_type::first);
  return found == kUnits.end() ? std::string(unit) : words.tr(Message{found->second});
}

std::string table_head(const Translator& words) {
  std::string text = "|";
  for (const Message& title : {Message(msg::reference_key{}),
                               Message(msg::reference_meaning{}),
                               Message(msg::reference_value{}),
                               Message(msg::reference_unit{}),
                               Message(msg::reference_default{}),
                               Message(msg::reference_flag{})}) {
    text += fmt::format(" {} |", words.tr(title));
  }
  return text + "\n|---|---|---|---|---|---|\n";
}

}  // namespace

std::string to_yaml(const LoadedConfig& config) {
  constexpr std::size_t kCommentColumn = 40;
  std::string text;
  std::string section;
  for (const FieldEntry& field : list_fields(config.values)) {
    if (field.section != section) {
      section = field.section;
      text += section + ":\n";
    }
    std::string line = fmt::format("  {}: {}", field.spec.name, field.value);
    if (const auto origin = config.origins.find(field.key); origin != config.origins.end()) {
      line = fmt::format("{:<{}}  # from {}", line, kCommentColumn, one_line(origin->second));
    }
    text += line + "\n";
  }
  return text;
}

std::string config_reference(const Translator& words) {
  std::string text = fmt::format("# {}\n\n{}\n\n{}\n",
                                 words.tr(msg::reference_title{}),
                                 words.tr(msg::reference_made{}),
                                 words.tr(msg::reference_intro{}));
  const std::vector<FieldEntry> fields = list_fields(RunConfig{});
  for (const SectionSpec& section : list_sections()) {
    text += fmt::format("\n## `{}`: {}\n\n", section.name, words.tr(Message{section.help}));
    text += table_head(words);
    for (const FieldEntry& field : fields) {
      if (field.section == section.name) {
        text += fmt::format("| `{}` | {} | {} | {} | `{}` | {} |\n",
                            field.spec.name,
                            escaped_cell(words.tr(meaning_of(field.spec))),
                            escaped_cell(words.tr(field.expected)),
                            unit_cell(field.spec.unit_name, words),
                            field.value,
                            flag_cell(field.spec, words));
      }
    }
  }
  return text;
}

}  // namespace qanat
