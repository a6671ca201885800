#include "report/config_changes.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/field_list.h"
#include "locale/messages/run_report.h"

namespace qanat {

std::string flag_of(const Fix& fix) {
  if (!fix.is_setting()) {
    return {};
  }
  if (fix.trained_by == TrainedBy::torch) {
    return fmt::format("{}={}", fix.key, fix.value);
  }
  const std::vector<FieldEntry> fields = list_fields(RunConfig{});
  const auto field = std::ranges::find(fields, fix.key, &FieldEntry::key);
  const std::vector<std::string> names =
      field == fields.end() ? std::vector<std::string>() : flag_names(field->spec);
  if (names.empty() || (field->kind == FieldKind::on_off && fix.value != "true")) {
    return fmt::format("--set {}={}", fix.key, fix.value);
  }
  return field->kind == FieldKind::on_off ? names.front() : names.front() + ' ' + fix.value;
}

MessageArg to_message_arg(const Fix& fix) {
  if (!fix.is_setting()) {
    return fix.action;
  }
  return fix.precondition ? MessageArg(msg::fix_with_condition{.flag = flag_of(fix),
                                                               .condition = fix.precondition})
                          : MessageArg(flag_of(fix));
}

std::string fix_words(const Fix& fix, const Translator& words) {
  return words.said(to_message_arg(fix));
}

std::string flags_of(std::span<const Recommendation> all) {
  std::vector<std::string> flags;
  for (const Recommendation& one : all) {
    flags.push_back(flag_of(one.fix));
  }
  return fmt::to_string(fmt::join(flags, " "));
}

std::string yaml_of(std::span<const Recommendation> all, std::string_view indent) {
  std::map<std::string, std::string> sections;
  for (const Recommendation& one : all) {
    const std::size_t dot = one.fix.key.find('.');
    sections[one.fix.key.substr(0, dot)] +=
        fmt::format("{}  {}: {}\n", indent, one.fix.key.substr(dot + 1), one.fix.value);
  }
  std::string text;
  for (const auto& [name, lines] : sections) {
    text += fmt::format("{}{}:\n{}", indent, name, lines);
  }
  return text;
}

}  // namespace qanat
