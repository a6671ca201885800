#include "doctor/doctor_rules.h"

#include <algorithm>
#include <array>

#include "locale/messages/doctor_rules.h"

namespace qanat {
namespace {

// One line per kind, in the order of the enumeration.
constexpr std::array<DoctorRule, kNumDoctorRules> kRules = {{
    {"DOC001",
     text_of<msg::doc001_looks_for, msg::doc001_means, msg::doc001_remedy>(),
     msg::doc001_title::id,
     ViewAction::drop},
    {"DOC002",
     text_of<msg::doc002_looks_for, msg::doc002_means, msg::doc002_remedy>(),
     msg::doc002_title::id,
     ViewAction::drop},
    {"DOC003",
     text_of<msg::doc003_looks_for, msg::doc003_means, msg::doc003_remedy>(),
     msg::doc003_title::id,
     ViewAction::trim},
    {"DOC004",
     text_of<msg::doc004_looks_for, msg::doc004_means, msg::doc004_remedy>(),
     msg::doc004_title::id,
     ViewAction::check},
    {"DOC005",
     text_of<msg::doc005_looks_for, msg::doc005_means, msg::doc005_remedy>(),
     msg::doc005_title::id,
     ViewAction::drop},
    {"DOC006",
     text_of<msg::doc006_looks_for, msg::doc006_means, msg::doc006_remedy>(),
     msg::doc006_title::id,
     ViewAction::drop},
    {"DOC007",
     text_of<msg::doc007_looks_for, msg::doc007_means, msg::doc007_remedy>(),
     msg::doc007_title::id,
     ViewAction::drop},
    {"DOC008",
     text_of<msg::doc008_looks_for, msg::doc008_means, msg::doc008_remedy>(),
     msg::doc008_title::id,
     ViewAction::check},
    {"DOC009",
     text_of<msg::doc009_looks_for, msg::doc009_means, msg::doc009_remedy>(),
     msg::doc009_title::id,
     ViewAction::check},
    {"DOC010",
     text_of<msg::doc010_looks_for, msg::doc010_means, msg::doc010_remedy>(),
     msg::doc010_title::id,
     ViewAction::drop},
    {"DOC011",
     text_of<msg::doc011_looks_for, msg::doc011_means, msg::doc011_remedy>(),
     msg::doc011_title::id,
     ViewAction::drop},
    {"DOC012",
     text_of<msg::doc012_looks_for, msg::doc012_means, msg::doc012_remedy>(),
     msg::doc012_title::id,
     ViewAction::drop},
    {"DOC013",
     text_of<msg::doc013_looks_for, msg::doc013_means, msg::doc013_remedy>(),
     msg::doc013_title::id,
     ViewAction::check},
    {"DOC014",
     text_of<msg::doc014_looks_for, msg::doc014_means, msg::doc014_remedy>(),
     msg::doc014_title::id,
     ViewAction::drop},
    {"DOC015",
     text_of<msg::doc015_looks_for, msg::doc015_means, msg::doc015_remedy>(),
     msg::doc015_title::id,
     ViewAction::check},
    {"DOC016",
     text_of<msg::doc016_looks_for, msg::doc016_means, msg::doc016_remedy>(),
     msg::doc016_title::id,
     ViewAction::drop},
    {"DOC017",
     text_of<msg::doc017_looks_for, msg::doc017_means, msg::doc017_remedy>(),
     msg::doc017_title::id,
     ViewAction::drop},
    {"DOC018",
     text_of<msg::doc018_looks_for, msg::doc018_means, msg::doc018_remedy>(),
     msg::doc018_title::id,
     ViewAction::drop},
    {"DOC019",
     text_of<msg::doc019_looks_for, msg::doc019_means, msg::doc019_remedy>(),
     msg::doc019_title::id,
     ViewAction::drop},
}};

}  // namespace

std::span<const DoctorRule> doctor_rules() {
  return kRules;
}

const DoctorRule& rule_of(DoctorRuleKind kind) {
  return kRules.at(static_cast<std::size_t>(kind));
}

const DoctorRule* find_doctor_rule(std::string_view id) {
  const auto* const found = std::ranges::find(kRules, id, &DoctorRule::id);
  return found == kRules.end() ? nullptr : found;
}

}  // namespace qanat
